// How fast changes go to the server: so many at once, fewer when it refuses some, and none while it asks to wait. All
// clients that lost the same server come back in the same moment, so each waits a bit longer, by chance.

const MOST = 16;
const JITTER_MIN = 50;
const JITTER_MAX = 250;

export class Pace {
  #most = MOST;
  #busy = 0;
  #notBefore = 0;
  #waiting = [];
  #timer = null;
  #now;
  #random;

  constructor({ now = () => Date.now(), random = Math.random } = {}) {
    this.#now = now;
    this.#random = random;
  }

  /** Null when a change may go now, else a promise of its turn. Every turn is given back. */
  take() {
    if (!this.#waiting.length && this.#busy < this.#most && this.#wait <= 0) {
      this.#busy += 1;
      return null;
    }
    return new Promise((resolve) => {
      this.#waiting.push(resolve);
      this.#go();
    });
  }

  /** The change has an answer. `retryAfter` says, in milliseconds, that the server had too much to do. */
  give(retryAfter = null) {
    this.#busy -= 1;
    if (retryAfter === null) {
      this.#most = Math.min(this.#most + 1, MOST);
    } else {
      // All that were on their way are refused together, which counts once.
      if (this.#now() >= this.#notBefore) this.#most = Math.max(Math.floor(this.#most / 2), 1);
      const jitter = JITTER_MIN + this.#random() * (JITTER_MAX - JITTER_MIN);
      this.#notBefore = Math.max(this.#notBefore, this.#now() + retryAfter + jitter);
    }
    this.#go();
  }

  /** There is no connection: all who wait have their turn, and find that they cannot use it. */
  release() {
    clearTimeout(this.#timer);
    this.#notBefore = 0;
    for (const resolve of this.#waiting.splice(0)) {
      this.#busy += 1;
      resolve();
    }
  }

  /** For how many milliseconds none may go. */
  get #wait() {
    return this.#notBefore - this.#now();
  }

  #go() {
    // The clock is read once: if it went on in between, those who wait might have neither a turn nor a timer.
    const wait = this.#wait;
    while (this.#waiting.length && this.#busy < this.#most && wait <= 0) {
      this.#busy += 1;
      this.#waiting.shift()();
    }
    clearTimeout(this.#timer);
    // Timers take whole milliseconds, and would come too early.
    if (this.#waiting.length && wait > 0) this.#timer = setTimeout(() => this.#go(), Math.ceil(wait));
  }
}
