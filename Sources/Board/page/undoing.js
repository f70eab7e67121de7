// The buttons and keys of undo and redo, and the offer to take a deletion back.

import { History } from "./history.js";

const $ = (id) => document.getElementById(id);
const NOUNS = { note: "Note", photo: "Photo", audio: "Recording" };

export class Undoing {
  /** Of the room that is shown; null without one. */
  history = null;

  #announcer;

  constructor(announcer) {
    this.#announcer = announcer;
    $("undo").addEventListener("click", () => this.undo());
    $("redo").addEventListener("click", () => this.redo());
    addEventListener("keydown", (event) => this.#key(event));
  }

  /** Begins anew, for a room. */
  begin(room) {
    const elements = {
      get: (key) => room.elements.get(key), create: (fields, key) => room.create(fields, key),
      update: (key, fields) => room.update(key, fields), write: (key, changes) => room.write(key, changes), delete: (key) => room.delete(key),
    };
    this.history = new History(elements, { changed: () => this.#show() });
    this.#show();
    return this.history;
  }

  undo() {
    this.#tell(this.history?.undo() ?? null, "Undone.", "There is nothing to undo.");
  }

  redo() {
    this.#tell(this.history?.redo() ?? null, "Redone.", "There is nothing to redo.");
  }

  /** Deletes elements and offers to take it back. */
  delete(list) {
    this.history.deleteAll(list.map(({ key }) => key));
    const what = list.length === 1 ? `${NOUNS[list[0].type]} deleted.` : `${list.length} things deleted.`;
    this.#announcer.offer(what, "Undo", () => this.undo());
  }

  #tell(isWhole, done, nothing) {
    if (isWhole === null) return this.#announcer.say(nothing);
    if (isWhole) return this.#announcer.say(done);
    this.#announcer.warn("Somebody else changed this meanwhile. That stays as it is.");
  }

  #key(event) {
    if (!(event.ctrlKey || event.metaKey) || event.altKey || event.target.closest?.("input, textarea, dialog")) return;
    const key = event.key.toLowerCase();
    if (key !== "z" && key !== "y") return;
    event.preventDefault();
    if (key === "y" || event.shiftKey) this.redo();
    else this.undo();
  }

  #show() {
    $("undo").setAttribute("aria-disabled", String(!this.history?.canUndo));
    $("redo").setAttribute("aria-disabled", String(!this.history?.canRedo));
  }
}
