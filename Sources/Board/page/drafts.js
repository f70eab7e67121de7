// What was written in a note that is gone: its text stays, on the board, until the writer puts the note back or has no use
// for the text any more. It survives a reload.

import { uniqueId } from "./unique.js";

export class Drafts {
  #plane;
  #on;
  #drafts = new Map();

  /**
   * @param {object} options
   *   plane: where cards go; restored(fields): puts an element with these fields on the board;
   *   kept(key, record): what to keep of a draft, null when it is settled; discarded(): the focus goes elsewhere.
   */
  constructor(plane, { restored, kept, discarded }) {
    this.#plane = plane;
    this.#on = { restored, kept, discarded };
  }

  clear() {
    const nodes = [...this.#drafts.values()].map(({ node }) => node);
    this.#drafts.clear();
    for (const node of nodes) node.remove();
  }

  get count() {
    return this.#drafts.size;
  }

  /**
   * Keeps what was written. `fields`: those of the element, with its text; reason: a sentence for the writer; selection:
   * `[start, end]` if it was being written, so that the writer goes on writing.
   */
  add(fields, reason, selection = null, key = `draft-${uniqueId()}`) {
    const draft = { key, fields, reason };
    const { node, field } = this.#make(draft);
    this.#drafts.set(key, { ...draft, node });
    this.#plane.append(node);
    this.#keep(draft);
    if (!selection) return;
    field.focus({ preventScroll: true });
    field.setSelectionRange(...selection);
  }

  /** Takes up what was kept, as `[key, record]`. */
  restore(records) {
    for (const [key, { fields, reason }] of records) if (!this.#drafts.has(key)) this.add(fields, reason, null, key);
  }

  #keep({ key, fields, reason }) {
    this.#on.kept(key, { fields, reason });
  }

  #make(draft) {
    const { positionX, positionY, width, height, content } = draft.fields;
    const node = document.createElement("div");
    node.className = "card draft";
    node.setAttribute("role", "listitem");
    node.setAttribute("aria-label", "Your text of a note that is gone");
    node.style.transform = `translate(${positionX}px, ${positionY}px)`;
    node.style.width = `${Math.max(width, 220)}px`;
    node.style.minHeight = `${Math.max(height, 120)}px`;
    const reason = document.createElement("p");
    reason.textContent = draft.reason;
    reason.setAttribute("role", "alert");
    const field = document.createElement("textarea");
    field.value = content;
    field.maxLength = 5_000;
    field.dir = "auto";
    field.setAttribute("aria-label", "Your text");
    field.addEventListener("input", () => {
      draft.fields.content = field.value;
      this.#keep(draft);
    });
    // Letters are text here, whatever they mean on the board.
    field.addEventListener("keydown", (event) => event.stopPropagation());
    field.addEventListener("blur", () => this.#dropIfEmpty(draft, node, field));
    const row = document.createElement("div");
    row.className = "row";
    row.append(
      button("Put it back", "primary", () => this.#settle(draft, node, true)),
      button("Discard", "", () => this.#settle(draft, node, false)));
    node.append(reason, field, row);
    return { node, field };
  }

  /** A draft in which nothing is written is none, once the writer goes elsewhere on the page. */
  #dropIfEmpty({ key }, node, field) {
    if (!this.#drafts.has(key) || field.value.trim() || document.activeElement === field) return;
    this.#drafts.delete(key);
    this.#on.kept(key, null);
    // Not within the event of a node that may be on its way out.
    queueMicrotask(() => node.remove());
  }

  #settle(draft, node, isRestored) {
    this.#drafts.delete(draft.key);
    this.#on.kept(draft.key, null);
    if (isRestored) this.#on.restored(draft.fields);
    else this.#on.discarded();
    node.remove();
  }
}

function button(label, className, act) {
  const node = document.createElement("button");
  node.textContent = label;
  node.className = className;
  node.addEventListener("click", act);
  return node;
}
