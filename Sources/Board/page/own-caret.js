// Where this client's user writes, as it is told to the others: the newest place, a few times a second, and from time to time
// again, so that the others can drop the caret of a user of whom they hear nothing.

const PAUSE = 80;
const RENEWAL = 15_000;

export class OwnCaret {
  #get;
  #send;
  #caret = null;
  #timer = null;
  #sentAt = -Infinity;

  /** get(key): the element, if it can be told of now; send(fields). */
  constructor({ get, send }) {
    this.#get = get;
    this.#send = send;
  }

  set(key, position, anchor) {
    this.#caret = { key, position, anchor };
    this.#plan(Math.max(this.#sentAt + PAUSE - performance.now(), 0));
  }

  end() {
    if (!this.#caret) return;
    this.pause();
    this.#caret = null;
    if (this.#sentAt > -Infinity) this.#send({ elementId: null });
    this.#sentAt = -Infinity;
  }

  /** There is a connection again. */
  renew() {
    if (this.#caret) this.#plan(0);
  }

  pause() {
    clearTimeout(this.#timer);
  }

  #plan(wait) {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#tell(), wait);
  }

  #tell() {
    const { key, position, anchor } = this.#caret;
    const element = this.#get(key);
    // The place counts in a text that the others do not have yet. While they get it, they see where it changes.
    if (!element?.id || element.isPending) return this.#plan(PAUSE);
    this.#sentAt = performance.now();
    this.#send({ elementId: element.id, position, version: element.version, ...(anchor !== position && { anchor }) });
    this.#plan(RENEWAL);
  }
}
