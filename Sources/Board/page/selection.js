// Which cards are selected, by their keys.

export class Selection extends EventTarget {
  #keys = new Set();

  get keys() {
    return [...this.#keys];
  }

  get size() {
    return this.#keys.size;
  }

  has(key) {
    return this.#keys.has(key);
  }

  set(keys) {
    this.#keys = new Set(keys);
    this.#tell();
  }

  toggle(key) {
    if (!this.#keys.delete(key)) this.#keys.add(key);
    this.#tell();
  }

  clear() {
    if (this.#keys.size) this.set([]);
  }

  /** The card is gone. */
  drop(key) {
    if (this.#keys.delete(key)) this.#tell();
  }

  /** What an action on this card is about: the whole selection if the card is in it. */
  around(key) {
    return this.has(key) ? this.keys : [key];
  }

  #tell() {
    this.dispatchEvent(new Event("change"));
  }
}
