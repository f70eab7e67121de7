// What a user does with cards: making, colouring, stacking, duplicating, copying, pasting and deleting them, one or all that are
// selected. Each is one action to undo.

import { fieldsOf } from "./history.js";
import { cardsOf, textOf, writeCards } from "./clipboard.js";
import { freePlace } from "./placing.js";

const NOTE = { width: 200, height: 130 };
const OFFSET = 24;

export class Actions {
  #stage;
  #selection;
  #undoing;
  #announcer;
  #room;
  #cards;
  #ownColor;

  /** `room()` and `cards()` are those that are shown now; `ownColor()` is the colour of one's notes. */
  constructor({ stage, selection, undoing, announcer, room, cards, ownColor }) {
    this.#stage = stage;
    this.#selection = selection;
    this.#undoing = undoing;
    this.#announcer = announcer;
    this.#room = room;
    this.#cards = cards;
    this.#ownColor = ownColor;
  }

  get #history() {
    return this.#undoing.history;
  }

  /** `name`: `front`, `color`, `duplicate` or `delete`, for this card and all that are selected with it. */
  act(name, key, value) {
    const list = this.#selection.around(key).map((one) => this.#room().elements.get(one)).filter(Boolean);
    if (!list.length) return;
    switch (name) {
      case "front": {
        const top = this.#top();
        this.#history.updateAll(list.map(({ key: one }) => [one, { z: top + 1 }]));
        return this.#announcer.say("It lies above the others now.");
      }
      case "color":
        return this.#history.updateAll(list.filter(({ type }) => type === "note").map(({ key: one }) => [one, { color: value }]));
      case "duplicate":
        return this.#make(list.map(fieldsOf), OFFSET);
      case "delete":
        return this.#undoing.delete(list);
    }
  }

  #top() {
    let top = 0;
    for (const { z = 0 } of this.#room().elements) top = Math.max(top, z);
    return top;
  }

  /** Selects a card, or no longer. */
  toggle(key) {
    this.#selection.toggle(key);
    const { size } = this.#selection;
    this.#announcer.say(size === 1 ? "One thing is selected." : `${size} things are selected.`);
  }

  selectAll() {
    this.#selection.set([...this.#room().elements].map(({ key }) => key));
    this.#announcer.say(`${this.#selection.size} things are selected.`);
  }

  /** Makes elements in one action, moved by so much, and selects them. */
  #make(list, offset) {
    const keys = this.#history.createAll(list.map((fields) => (
      { ...fields, positionX: fields.positionX + offset, positionY: fields.positionY + offset })));
    this.#selection.set(keys.length > 1 ? keys : []);
    this.#cards().focus(keys[0]);
  }

  // Adding

  /** A place for something of this size that no card has, near a place. */
  placeFor({ width, height }, at) {
    return freePlace({ width, height }, at, [...this.#room().elements]);
  }

  /** Puts something with these fields on the board, near a place. */
  add(fields, at) {
    this.#cards().focus(this.#history.create({ ...fields, ...this.placeFor(fields, at) }));
  }

  addNote(at) {
    const key = this.#history.create({ type: "note", ...NOTE, ...this.placeFor(NOTE, at), content: "", color: this.#ownColor() });
    this.#cards().edit(key, { isNew: true });
  }

  // The clipboard

  /** Copies what is selected, or has the focus. Gives whether there was anything. */
  copy(data, isCut) {
    const key = document.activeElement?.closest?.(".card")?.dataset.key;
    const keys = this.#selection.size ? this.#selection.keys : [key];
    const list = keys.map((one) => this.#room().elements.get(one)).filter(Boolean);
    if (!list.length) return false;
    writeCards(data, list.map(fieldsOf));
    if (isCut) this.#undoing.delete(list);
    else this.#announcer.say(list.length === 1 ? "Copied." : `${list.length} things copied.`);
    return true;
  }

  /** Puts copied cards on the board, or a text as a note. */
  paste(data) {
    const cards = cardsOf(data);
    if (cards) return this.#make(this.#around(cards, this.#stage.touch ?? this.#stage), 0);
    const text = textOf(data);
    if (!text) return;
    const size = { width: 240, height: Math.min(90 + 22 * text.split("\n").length, 400) };
    const place = this.placeFor(size, this.#stage.touch ?? this.#stage);
    this.#make([{ type: "note", ...size, ...place, content: text, color: this.#ownColor() }], 0);
  }

  /** The same cards, in the same order to each other, where there is room for the first. */
  #around(cards, at) {
    const [left, top] = ["positionX", "positionY"].map((name) => Math.min(...cards.map((card) => card[name])));
    const width = Math.max(...cards.map((card) => card.positionX + card.width)) - left;
    const height = Math.max(...cards.map((card) => card.positionY + card.height)) - top;
    const place = this.placeFor({ width, height }, at);
    return cards.map((card) => (
      { ...card, positionX: place.positionX + card.positionX - left, positionY: place.positionY + card.positionY - top }));
  }
}
