// The tools of the card that the user points at or has the focus on. There is one bar, which goes from card to card. It has the
// same size at any zoom, and stays between the bars of the page.

import { roving } from "./roving.js";

const COLORS = [
  ["Yellow", "#E9B824"], ["Orange", "#E4761F"], ["Red", "#D1425B"], ["Purple", "#8E4EC6"], ["Blue", "#3570D4"], ["Green", "#3E9B4F"],
];
const GAP = 6;
const TOP = 56;
const BOTTOM = 84;

export class CardTools {
  #stage;
  #on;
  #card = null;
  #node = document.createElement("div");
  #swatches = document.createElement("div");
  #grip = document.createElement("div");

  /** `act(name, key, value)`: what the user wants with a card: `edit`, `front`, `color`, `duplicate` or `delete`. */
  constructor(stage, act) {
    this.#stage = stage;
    this.#on = { act };
    this.#node.className = "card-tools";
    this.#grip.className = "grip";
    this.#swatches.className = "swatches";
    this.#swatches.setAttribute("role", "group");
    this.#swatches.setAttribute("aria-label", "Colour");
    for (const [name, color] of COLORS) {
      const swatch = document.createElement("button");
      swatch.setAttribute("aria-label", name);
      swatch.style.background = color;
      swatch.addEventListener("click", () => this.#act("color", color));
      this.#swatches.append(swatch);
    }
    this.#node.setAttribute("role", "toolbar");
    this.#node.setAttribute("aria-label", "Card");
    roving(this.#node);
    stage.addEventListener("view", () => this.place());
  }

  get grip() {
    return this.#grip;
  }

  /** Goes to a card; null: to none. */
  attach(card, type) {
    if (card === this.#card) return;
    this.#card = card;
    this.#node.remove();
    this.#grip.remove();
    if (!card) return;
    this.#swatches.hidden = true;
    const edit = type === "note" ? "Edit" : "Edit the caption";
    const tools = [button("edit", edit, () => this.#act("edit")), button("front", "Bring to front", () => this.#act("front"))];
    if (type === "note") {
      const color = button("color", "Colour", () => this.#unfold(color));
      color.setAttribute("aria-expanded", "false");
      tools.push(color);
    }
    tools.push(button("copy", "Duplicate", () => this.#act("duplicate")), button("delete", "Delete", () => this.#act("delete")));
    this.#node.replaceChildren(...tools, this.#swatches);
    for (const tool of tools) tool.tabIndex = tool === tools[0] ? 0 : -1;
    card.node.append(this.#node, this.#grip);
    this.place();
  }

  /** The card is gone. */
  drop(card) {
    if (card === this.#card) this.attach(null);
  }

  #act(name, value) {
    this.#on.act(name, this.#card.key, value);
  }

  #unfold(button) {
    this.#swatches.hidden = !this.#swatches.hidden;
    button.setAttribute("aria-expanded", String(!this.#swatches.hidden));
    this.place();
  }

  /** Above their card, or over it where that would be under a bar or outside of the window. A place of another card changes nothing. */
  place(card = this.#card) {
    if (!card || card !== this.#card) return;
    const { positionX, positionY, width, height } = this.#card.place;
    const zoom = this.#stage.zoom;
    const size = { width: this.#node.offsetWidth, height: this.#node.offsetHeight };
    const [from, to] = [this.#stage.seen(positionX, positionY), this.#stage.seen(positionX + width, positionY + height)];
    const lowest = this.#stage.height - BOTTOM - size.height;
    const top = Math.min(Math.max(from.y - size.height - GAP, TOP + GAP), Math.max(lowest, TOP + GAP));
    const left = Math.min(Math.max(to.x - size.width, GAP), this.#stage.width - size.width - GAP);
    this.#node.style.transform = `translate(${(left - from.x) / zoom}px, ${(top - from.y) / zoom}px) scale(${1 / zoom})`;
    this.#grip.style.transform = `scale(${1 / zoom})`;
  }
}

function button(icon, label, act) {
  const node = document.createElement("button");
  node.setAttribute("aria-label", label);
  node.title = label;
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  svg.setAttribute("aria-hidden", "true");
  const use = document.createElementNS("http://www.w3.org/2000/svg", "use");
  use.setAttribute("href", `#i-${icon}`);
  svg.append(use);
  node.append(svg);
  node.addEventListener("click", act);
  return node;
}
