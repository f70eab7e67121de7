// What a client sees of a room: its binary ticks, and of a room with many people only a part. The part has a margin, so that it
// does for a while when the page shows another one.

import { Ticks } from "./ticks.js";

/** In a room with fewer people all touches are seen, also those outside of the page's view. */
const CROWD = 40;
/** The margin on each side, of the length of what is shown. */
const MARGIN = 0.25;
/** A part that is so many times as long as what is shown is too large. */
const ROOMY = 5;
/** Two parts are not asked for faster, in milliseconds. */
const PAUSE = 100;
const EVERYTHING = { x: -1e15, y: -1e15, width: 2e15, height: 2e15 };

const isWithin = (inner, outer) =>
  inner.x >= outer.x && inner.y >= outer.y && inner.x + inner.width <= outer.x + outer.width && inner.y + inner.height <= outer.y + outer.height;
const length = ({ width, height }) => Math.max(width, height);

export class Sight {
  #room;
  #ticks = new Ticks();
  /** In a crowd, where the others touched last. */
  #places = new Map();
  #isOpen = false;
  #isCrowded = false;
  /** What the page shows, and what the server tells of. */
  #shown = null;
  #told = EVERYTHING;
  #isAsking = false;
  #timer = null;

  /**
   * room: `user(slot)`: a user who is not this client's own, or undefined; `moved({userId, x, y, elementId})`; `gone(userId)`: it is
   * not known where the touch is; `ask(area)`: a promise of what the server tells of.
   */
  constructor(room) {
    this.#room = room;
  }

  /** Reads a tick; gives the room's interval. */
  read(attachment) {
    const touch = (slot, x, y, elementId) => {
      const userId = this.#room.user(slot);
      if (userId === undefined) return;
      now?.add(userId);
      if (now) this.#places.set(userId, { x, y, width: 0, height: 0 });
      this.#room.moved({ userId, x, y, elementId });
    };
    const now = this.#isCrowded ? new Set() : null;
    // Who leaves the part stays where the touch was last, at the edge of the page.
    const { interval, isWhole } = this.#ticks.read(attachment, touch, touch);
    if (isWhole && now) this.#forget(now);
    return interval;
  }

  /** Who was last within the part and is not there now is somewhere else. */
  #forget(now) {
    for (const [userId, place] of this.#places) {
      if (now.has(userId) || !isWithin(place, this.#told)) continue;
      this.#places.delete(userId);
      this.#room.gone(userId);
    }
  }

  /** The page shows this part. */
  look(area) {
    this.#shown = area;
    this.#check();
  }

  /** There are so many others now. */
  count(others) {
    const isCrowded = others >= (this.#isCrowded ? CROWD / 2 : CROWD);
    if (isCrowded === this.#isCrowded) return;
    this.#isCrowded = isCrowded;
    this.#places.clear();
    this.#check();
  }

  /** The room is open, and tells of everything. */
  open() {
    this.#isOpen = true;
    this.#told = EVERYTHING;
    this.#check();
  }

  close() {
    this.#isOpen = false;
    clearTimeout(this.#timer);
    this.#timer = null;
  }

  #check() {
    if (!this.#isOpen || this.#isAsking || this.#timer !== null || !this.#shown || this.#suffices()) return;
    this.#isAsking = true;
    const isPart = this.#isCrowded;
    this.#room.ask(isPart ? this.#part() : {}).then(({ view }) => view, () => null).then((view) => {
      this.#isAsking = false;
      // A server that knows no views tells of everything, and one that refuses tells of what it told before.
      if (!this.#isOpen || !view) return;
      this.#told = isPart ? view : EVERYTHING;
      this.#timer = setTimeout(() => {
        this.#timer = null;
        this.#check();
      }, PAUSE);
    });
  }

  #suffices() {
    if (!this.#isCrowded) return this.#told === EVERYTHING;
    return this.#told !== EVERYTHING && isWithin(this.#shown, this.#told) && length(this.#told) <= ROOMY * length(this.#shown);
  }

  #part() {
    const { x, y, width, height } = this.#shown;
    const grown = (least, size) => least - MARGIN * size;
    return { x: grown(x, width), y: grown(y, height), width: (1 + 2 * MARGIN) * width, height: (1 + 2 * MARGIN) * height };
  }
}
