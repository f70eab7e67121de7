// What is on the board, as cards that can be dragged, resized, edited and taken away: with a mouse, with fingers (each
// its own card), and with keys.

import { makeBody } from "./bodies.js";
import { displayName } from "./identity.js";

const STEP = 10;
const LEAP = 50;
/** A hand that only taps does not hold quite still. */
const SLACK = 4;
const LEAST = { note: [90, 60], photo: [60, 40], audio: [180, 84] };

export class Cards {
  #room;
  #stage;
  #plane;
  #colorOf;
  #cards = new Map();
  #editing = null;

  /** `colorOf(userId)` is the colour of a user. */
  constructor(room, stage, plane, colorOf) {
    this.#room = room;
    this.#stage = stage;
    this.#plane = plane;
    this.#colorOf = colorOf;
  }

  clear() {
    this.#plane.replaceChildren();
    this.#cards.clear();
    this.#editing = null;
  }

  /** An element is there, has changed or is gone. */
  show(element, how) {
    if (how === "removed") return this.#remove(element.key);
    const card = this.#cards.get(element.key) ?? this.#make(element);
    this.#place(card, element);
    this.#fill(card, element);
  }

  /** `{text, selection}` while the user writes in this card; null if not. */
  writing(key) {
    const field = this.#editing?.key === key ? this.#editing.field : null;
    return field && { text: field.value, selection: [field.selectionStart, field.selectionEnd] };
  }

  /** The colour of their creator is known now. */
  recolor(userId) {
    for (const { key, node } of this.#cards.values()) {
      if (this.#room.elements.get(key)?.createdBy === userId) node.style.setProperty("--who", this.#colorOf(userId));
    }
  }

  focus(key) {
    this.#cards.get(key)?.node.focus({ preventScroll: true });
  }

  /** The view is closer or farther: photos are shown by copies that are large enough. */
  sharpen() {
    for (const { body } of this.#cards.values()) body.sharpen?.(this.#stage.zoom);
  }

  /** Another user holds the card; `color` is null when no user does any more. */
  hold(key, color) {
    const node = this.#cards.get(key)?.node;
    node?.classList.toggle("held", color !== null);
    if (color) node?.style.setProperty("--holder", color);
  }

  // Making

  #make(element) {
    const node = document.createElement("article");
    node.className = `card ${element.type}`;
    node.tabIndex = 0;
    node.setAttribute("role", "listitem");
    node.dataset.key = element.key;
    const tools = document.createElement("div");
    tools.className = "card-tools";
    tools.append(
      button("edit", element.type === "note" ? "Edit" : "Edit the caption", () => this.edit(element.key)),
      button("delete", "Delete", () => this.#delete(element.key)));
    const grip = document.createElement("div");
    grip.className = "grip";
    const card = { key: element.key, node, body: makeBody(element), grip };
    node.append(card.body.node, tools, grip);
    this.#cards.set(element.key, card);
    this.#plane.append(node);
    this.#listen(card);
    return card;
  }

  #listen(card) {
    card.node.addEventListener("pointerdown", (event) => this.#grab(event, card));
    card.node.addEventListener("dblclick", (event) => {
      if (!event.target.closest("audio, button")) this.edit(card.key);
    });
    card.node.addEventListener("keydown", (event) => this.#key(event, card));
    card.node.addEventListener("focus", () => {
      const element = this.#room.elements.get(card.key);
      if (element && card.node.matches(":focus-visible")) this.#stage.reveal(element);
    });
  }

  #place({ node }, { positionX, positionY, width, height, isPending, createdBy }) {
    node.style.transform = `translate(${positionX}px, ${positionY}px)`;
    node.style.width = `${width}px`;
    node.style.height = `${height}px`;
    node.style.setProperty("--who", this.#colorOf(createdBy));
    node.classList.toggle("pending", isPending);
  }

  #fill({ node, body }, element) {
    const by = element.createdBy ? ` by ${displayName(element.createdBy)}` : "";
    const [kind] = { note: ["Note"], photo: ["Photo"], audio: ["Recording"] }[element.type];
    node.setAttribute("aria-label", `${kind}${by}${element.content ? `: ${element.content}` : ""}`);
    body.fill(element);
  }

  #remove(key) {
    const card = this.#cards.get(key);
    if (!card) return;
    const hadFocus = card.node.contains(document.activeElement);
    const neighbour = card.node.nextElementSibling ?? card.node.previousElementSibling;
    if (this.#editing?.key === key) this.#editing = null;
    card.node.remove();
    this.#cards.delete(key);
    if (hadFocus) (neighbour ?? document.getElementById("board")).focus({ preventScroll: true });
  }

  #delete(key) {
    this.#room.delete(key);
  }

  // Dragging

  #grab(event, card) {
    const element = this.#room.elements.get(card.key);
    if (!element || event.button > 0 || event.target.closest("button, textarea, audio, input")) return;
    const isResizing = event.target === card.grip;
    const start = this.#stage.at(event);
    const drag = { start, element, isResizing, moved: false };
    card.node.setPointerCapture(event.pointerId);
    const ending = new AbortController();
    const { signal } = ending;
    const mine = (listener) => (next) => next.pointerId === event.pointerId && listener(next);
    card.node.addEventListener("pointermove", mine((next) => this.#drag(next, card, drag)), { signal });
    const end = mine((next) => {
      ending.abort();
      card.node.classList.remove("dragged");
      if (next.pointerType !== "mouse") this.#stage.lift();
      else this.#stage.touchAt(this.#stage.at(next));
    });
    card.node.addEventListener("pointerup", end, { signal });
    card.node.addEventListener("pointercancel", end, { signal });
    if (event.pointerType !== "mouse") this.#stage.touchAt(start, card.key);
  }

  #drag(event, card, drag) {
    const now = this.#stage.at(event);
    const [dx, dy] = [now.x - drag.start.x, now.y - drag.start.y];
    this.#stage.touchAt(now, card.key);
    if (!drag.moved && Math.hypot(dx, dy) * this.#stage.zoom < SLACK) return;
    drag.moved = true;
    card.node.classList.add("dragged");
    const { element } = drag;
    if (drag.isResizing) this.#resize(card.key, element, element.width + dx, element.height + dy);
    else this.#moveTo(card.key, element.positionX + dx, element.positionY + dy);
  }

  #moveTo(key, x, y) {
    this.#room.update(key, { positionX: Math.round(x), positionY: Math.round(y) });
  }

  #resize(key, { type, width, height }, toWidth, toHeight) {
    const [least, lowest] = LEAST[type];
    let [w, h] = [Math.max(toWidth, least), Math.max(toHeight, lowest)];
    // A photo keeps its shape.
    if (type === "photo") {
      const factor = Math.max(w / width, h / height);
      [w, h] = [width * factor, height * factor];
    }
    this.#room.update(key, { width: Math.round(w), height: Math.round(h) });
  }

  // Keys

  #key(event, card) {
    if (event.target !== card.node) return;
    const element = this.#room.elements.get(card.key);
    const arrow = ARROWS[event.key];
    if (!element) return;
    if (arrow) {
      const [dx, dy] = arrow.map((direction) => direction * (event.shiftKey ? LEAP : STEP));
      if (event.altKey) this.#resize(card.key, element, element.width + dx, element.height + dy);
      else this.#moveTo(card.key, element.positionX + dx, element.positionY + dy);
      this.#stage.reveal(this.#room.elements.get(card.key));
    } else if (event.key === "Enter" || event.key === "F2") {
      this.edit(card.key);
    } else if (event.key === "Delete" || event.key === "Backspace") {
      this.#delete(card.key);
    } else if (event.key === "Escape") {
      document.getElementById("board").focus();
    } else {
      return;
    }
    event.preventDefault();
    event.stopPropagation();
  }

  // Editing

  /** Opens a card's text for editing. The others see the text while the user types. */
  edit(key, { isNew = false } = {}) {
    const card = this.#cards.get(key);
    const element = this.#room.elements.get(key);
    if (!card || !element || this.#editing?.key === key) return;
    const field = document.createElement("textarea");
    field.maxLength = 5_000;
    field.value = element.content ?? "";
    field.setAttribute("aria-label", element.type === "note" ? "The note's text" : "The caption");
    field.placeholder = element.type === "note" ? "Write something" : "A caption";
    this.#editing = { key, field };
    card.node.classList.add("edited");
    card.body.node.after(field);
    field.addEventListener("input", () => this.#room.update(key, { content: field.value }));
    field.addEventListener("keydown", (event) => {
      event.stopPropagation();
      const isDone = event.key === "Escape" || (event.key === "Enter" && (event.ctrlKey || event.metaKey));
      if (isDone) card.node.focus({ preventScroll: true });
    });
    field.addEventListener("blur", () => this.#finish(card, field, isNew), { once: true });
    this.#stage.reveal(element);
    field.focus({ preventScroll: true });
    field.setSelectionRange(field.value.length, field.value.length);
  }

  #finish(card, field, isNew) {
    if (this.#editing?.key !== card.key) return;
    this.#editing = null;
    card.node.classList.remove("edited");
    field.remove();
    // A note that was never written is none.
    if (isNew && field.value.trim() === "") this.#room.delete(card.key);
  }
}

const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

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
