// Binary ticks, as docs/PROTOCOL.md has them: all positions of a room and tick in a few bytes each.

/** Coordinates are whole numbers of one of these parts of 1. */
const PARTS = [1, 10, 100, 1_000, 10_000];
const [BEGINS, ELEMENT, EXACT, LEAVES] = [1, 2, 4, 8];
const SLOTS_MAX = 1 << 20;

const text = new TextDecoder();

/** What a room's ticks have told so far. */
export class Ticks {
  #xs = new Float64Array(16);
  #ys = new Float64Array(16);
  /** By slot, the index of the element, and by index its id. */
  #elements = [];
  #ids = [];
  #bytes;
  #at = 0;

  /**
   * Reads a tick, and calls `moved(slot, x, y, elementId)` for each participant that has moved; `elementId` is undefined
   * without an element. Calls `left(slot, x, y)` for each that has left this client's view. Gives the tick's number, the room's
   * interval in milliseconds, and whether nobody else is within this client's view.
   *
   * @param {ArrayBuffer} attachment
   */
  read(attachment, moved, left) {
    this.#bytes = new Uint8Array(attachment);
    this.#at = 0;
    const head = this.#byte();
    const parts = PARTS[head & 7];
    if (head > 31 || !parts) throw new Error("this is no tick");
    const [tick, interval] = [this.#number(), this.#number()];
    const isAbsolute = (head & 8) !== 0;
    if (head & 16) {
      while (this.#at < this.#bytes.length) this.#rowOfView(isAbsolute, parts, moved, left);
      return { tick, interval, isWhole: isAbsolute };
    }
    let slot = 0;
    while (this.#at < this.#bytes.length) {
      const run = this.#number();
      let count = ((run >> 1) & 7) + 1;
      if (count === 8) count += this.#number();
      slot += Math.floor(run / 16);
      if (slot + count > SLOTS_MAX) throw new Error("there are no such participants");
      this.#makeRoom(slot + count);
      const read = run & 1 ? this.#special : this.#row;
      for (const end = slot + count; slot < end; slot += 1) read.call(this, slot, isAbsolute, parts, moved);
    }
    return { tick, interval, isWhole: false };
  }

  #rowOfView(isAbsolute, parts, moved, left) {
    const head = this.#number();
    const slot = Math.floor(head / 2);
    if (slot >= SLOTS_MAX) throw new Error("there are no such participants");
    this.#makeRoom(slot + 1);
    if (head % 2 === 0) return this.#row(slot, isAbsolute, parts, moved);
    const leaves = this.#bytes[this.#at] & LEAVES;
    this.#special(slot, isAbsolute, parts, leaves ? left : moved, LEAVES);
  }

  #row(slot, isAbsolute, parts, moved) {
    if (isAbsolute) this.#forget(slot);
    const x = (this.#xs[slot] += this.#signed());
    const y = (this.#ys[slot] += this.#signed());
    moved(slot, x / parts, y / parts, this.#ids[this.#elements[slot]]);
  }

  #special(slot, isAbsolute, parts, moved, more = 0) {
    const flags = this.#byte();
    if (flags & ~(BEGINS | ELEMENT | EXACT | more)) throw new Error("this is no tick");
    if (isAbsolute || flags & BEGINS) this.#forget(slot);
    let [x, y] = [0, 0];
    if (flags & EXACT) {
      this.#xs[slot] = this.#ys[slot] = 0;
      [x, y] = [this.#double(), this.#double()];
    } else {
      x = (this.#xs[slot] += this.#signed()) / parts;
      y = (this.#ys[slot] += this.#signed()) / parts;
    }
    if (flags & ELEMENT) this.#elements[slot] = this.#element();
    moved(slot, x, y, this.#ids[this.#elements[slot]]);
  }

  #forget(slot) {
    this.#xs[slot] = this.#ys[slot] = 0;
    this.#elements[slot] = undefined;
  }

  /** The index of a row's element; undefined for none. */
  #element() {
    const number = this.#number();
    if (number === 0) return undefined;
    const index = Math.floor((number - 1) / 2);
    if (index >= SLOTS_MAX) throw new Error("there are not so many elements");
    if (number % 2 === 0) {
      const end = this.#number() + this.#at;
      if (end > this.#bytes.length) throw new Error("the tick ends within an id");
      this.#ids[index] = JSON.parse(text.decode(this.#bytes.subarray(this.#at, end)));
      this.#at = end;
    } else if (this.#ids[index] === undefined) {
      throw new Error("an element of which nothing was told");
    }
    return index;
  }

  #makeRoom(count) {
    if (count <= this.#xs.length) return;
    const grow = (places) => {
      const more = new Float64Array(2 * count);
      more.set(places);
      return more;
    };
    [this.#xs, this.#ys] = [grow(this.#xs), grow(this.#ys)];
  }

  // Values

  #byte() {
    if (this.#at >= this.#bytes.length) throw new Error("the tick ends within a value");
    return this.#bytes[this.#at++];
  }

  #signed() {
    const number = this.#number();
    // Shifts would cut numbers of more than 32 bits.
    return number % 2 === 0 ? number / 2 : -(number + 1) / 2;
  }

  #number() {
    let byte = this.#byte();
    if (byte < 128) return byte;
    let [number, power] = [byte - 128, 128];
    while ((byte = this.#byte()) > 127) {
      number += (byte - 128) * power;
      power *= 128;
      if (power >= 2 ** 56) throw new Error("a number has too many bytes");
    }
    return number + byte * power;
  }

  #double() {
    if (this.#at + 8 > this.#bytes.length) throw new Error("the tick ends within a value");
    const value = new DataView(this.#bytes.buffer, this.#bytes.byteOffset + this.#at).getFloat64(0, true);
    this.#at += 8;
    return value;
  }
}
