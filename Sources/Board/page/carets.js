// The carets of the others in the texts of cards, with their names, and who is writing.

import { inkOn, nameOf } from "./people.js";
import { moved } from "./text-edit.js";
import { lastChange } from "./writing.js";

/** A user of whom nothing was heard for so long does not write any more: they are heard of every 15 seconds. */
const LIFE = 50_000;

export class Carets {
  #surface;
  #person;
  /** By user. */
  #carets = new Map();
  #frame = 0;

  /** surface(key): `{node, text, field}` of a card; person(userId): a participant. */
  constructor(surface, person) {
    this.#surface = surface;
    this.#person = person;
  }

  /** Shows what happens in this room; `here` wraps a listener. */
  follow(room, here) {
    room.on("text", here((...what) => this.textChanged(...what)));
    room.on("caret", here((caret) => this.set(caret)));
    room.on("person", here(({ userId }, how) => how === "left" && this.remove(userId)));
    room.on("element", here(() => this.redraw()));
  }

  /** A user writes there, or without `key` nowhere. */
  set({ userId, key, position, anchor }) {
    const before = this.#carets.get(userId);
    if (!key) return this.remove(userId);
    if (before && before.key !== key) before.marks.forEach((mark) => mark.remove());
    clearTimeout(before?.timer);
    const marks = before?.key === key ? before.marks : makeMarks();
    const timer = setTimeout(() => this.remove(userId), LIFE);
    this.#carets.set(userId, { key, position, anchor: anchor ?? position, marks, timer });
    this.redraw();
  }

  remove(userId) {
    const caret = this.#carets.get(userId);
    if (!caret) return;
    clearTimeout(caret.timer);
    caret.marks.forEach((mark) => mark.remove());
    this.#carets.delete(userId);
    this.redraw();
  }

  clear() {
    for (const userId of [...this.#carets.keys()]) this.remove(userId);
  }

  /** A text was changed. Who has changed it is behind the change now. */
  textChanged(key, changes, userId) {
    for (const [writer, caret] of this.#carets) {
      if (caret.key !== key) continue;
      if (writer === userId) caret.position = caret.anchor = lastChange(changes);
      else [caret.position, caret.anchor] = [moved(caret.position, changes), moved(caret.anchor, changes)];
    }
    this.redraw();
  }

  /** The texts or the cards may have another shape. */
  redraw() {
    if (this.#frame === 0 && this.#carets.size > 0) this.#frame = requestAnimationFrame(() => this.#draw());
  }

  #draw() {
    this.#frame = 0;
    for (const [userId, caret] of this.#carets) {
      const [surface, person] = [this.#surface(caret.key), this.#person(userId)];
      if (!surface || !person) continue;
      const [mark, note] = caret.marks;
      const [name, color] = [nameOf(person), person.color];
      mark.firstChild.textContent = name;
      note.textContent = `${name} is writing…`;
      for (const each of caret.marks) {
        each.style.setProperty("--writer", color);
        each.style.setProperty("--on-who", inkOn(color));
        if (each.parentNode !== surface.node) surface.node.append(each);
      }
      const place = placeOf(surface, caret.position);
      mark.hidden = !place;
      if (place) {
        mark.style.transform = `translate(${place.x}px, ${place.y}px)`;
        mark.style.height = `${place.height}px`;
      }
    }
  }
}

function makeMarks() {
  const mark = document.createElement("i");
  mark.className = "caret";
  mark.setAttribute("aria-hidden", "true");
  mark.append(document.createElement("span"));
  const note = document.createElement("p");
  note.className = "writes";
  return [mark, note];
}

/** Where a place of a text is in its card; null outside what is seen of it. */
function placeOf({ node, text, field }, position) {
  const [card, seen] = [node.getBoundingClientRect(), text.getBoundingClientRect()];
  const scale = card.width / node.offsetWidth || 1;
  const rect = rectOf(text, position);
  // The field lies over the text, and is scrolled by itself.
  const scrolled = field ? field.scrollTop - text.scrollTop : 0;
  const place = {
    x: (rect.left - card.left) / scale - node.clientLeft, y: (rect.top - card.top) / scale - node.clientTop - scrolled,
    height: rect.height / scale,
  };
  const bottom = field ? node.offsetHeight : (seen.bottom - card.top) / scale;
  return place.y + place.height / 2 < 0 || place.y + place.height / 2 > bottom ? null : place;
}

function rectOf(text, position) {
  const range = document.createRange();
  const { firstChild } = text;
  const style = getComputedStyle(text);
  const line = parseFloat(style.lineHeight) || 1.4 * parseFloat(style.fontSize);
  const scale = text.getBoundingClientRect().width / text.offsetWidth || 1;
  const edge = text.getBoundingClientRect();
  const start = { left: edge.left + parseFloat(style.paddingLeft) * scale, top: edge.top + parseFloat(style.paddingTop) * scale };
  if (!firstChild) return { ...start, height: line * scale };
  const place = Math.min(position, firstChild.length);
  // Behind a line's end there is no box: it is the beginning of the next line.
  if (firstChild.data[place - 1] === "\n" && place === firstChild.length) {
    range.setStart(firstChild, Math.max(place - 1, 0));
    const last = range.getClientRects()[0] ?? start;
    return { left: start.left, top: (last.top ?? start.top) + line * scale, height: line * scale };
  }
  range.setStart(firstChild, place);
  range.collapse(true);
  const rect = range.getClientRects()[0];
  return rect ? { left: rect.left, top: rect.top, height: rect.height } : { ...start, height: line * scale };
}
