// Sends what the elements of a room have to tell the server: one thing of each element at a time.

import { hasNext, next, owner } from "./entry.js";
import { Pace } from "./pace.js";
import { Lost } from "./socket.js";

/** At least this many milliseconds lie between two updates of an element: the rate of a server's default allows it. */
const PAUSE = 60;
const RETRY = 1_000;
/** What a refusal may pass with; all else is not repeated. */
const PASSING = new Set(["RATE_LIMITED", "SHUTTING_DOWN", "SERVER_ERROR"]);

export class Sender {
  #isOpen = false;
  /** Ends the wait of `rest`. */
  #resolveRest = null;
  #pace = new Pace();
  #on;

  /**
   * @param {object} elements
   *   ask(event, fields): a promise of the ack; entries(): all of them; isThere(entry): whether it still is;
   *   name(): under which the server hears of changes now, null if it would know them under another name too;
   *   isStandIn(): whether this name is not the user's any more, and here for answers alone;
   *   sending(entry): it is about to be sent; accepted(entry, event, sent, answer), denied(entry, event, error, sent): its answers;
   *   done(entry): there is an answer, or none will come.
   */
  constructor(elements) {
    this.#on = elements;
  }

  /** There is a connection, and the room is joined: whatever has no answer goes out, again if need be. */
  open() {
    this.#isOpen = true;
    for (const entry of this.#on.entries()) {
      entry.writer?.reconnected();
      this.push(entry);
    }
    this.#checkRest();
  }

  close() {
    this.#isOpen = false;
    this.#pace.release();
  }

  /** Sends only what was sent before, on later connections too. Resolves when that has its answer; then it is closed. */
  rest() {
    return new Promise((resolve) => {
      this.#resolveRest = resolve;
      this.#checkRest();
    });
  }

  #checkRest() {
    const name = this.#on.name();
    if (!this.#resolveRest || this.#on.entries().some((entry) => entry.isBusy || (name && owner(entry) === name))) return;
    this.close();
    this.#resolveRest();
    this.#resolveRest = null;
  }

  /** The element is there no more. */
  removed(entry) {
    clearTimeout(entry.timer);
    this.#checkRest();
  }

  /** Whether something of it may be sent now. */
  #mayGo(entry) {
    if (!this.#isOpen || !hasNext(entry) || !this.#on.isThere(entry)) return false;
    const by = owner(entry);
    return by ? by === this.#on.name() : !this.#resolveRest && !this.#on.isStandIn();
  }

  /** Sends what there is to tell of an element, now or when it may go. */
  async push(entry) {
    if (entry.isBusy || !this.#mayGo(entry)) return;
    const wait = (entry.notBefore ?? 0) - Date.now();
    clearTimeout(entry.timer);
    if (wait > 0) return (entry.timer = setTimeout(() => this.push(entry), wait));
    entry.isBusy = true;
    const turn = this.#pace.take();
    if (turn) await turn;
    let retryAfter = null;
    // It may have been taken back while it waited.
    if (this.#mayGo(entry)) {
      entry.notBefore = Date.now() + PAUSE;
      retryAfter = await this.#send(entry);
    }
    entry.isBusy = false;
    this.#pace.give(retryAfter);
    this.#on.done(entry);
    this.push(entry);
    this.#checkRest();
  }

  /** Gives the pause that the server asks for, in milliseconds; null if it asks for none. */
  async #send(entry) {
    const before = owner(entry);
    const { event, fields, sent } = next(entry);
    if (event === "element:create" && !entry.wasSent) entry.made = sent.content;
    const isNew = !entry.wasSent || event === "element:edit";
    [entry.wasSent, entry.by] = [true, this.#on.name()];
    // An edit keeps its id when it is sent again, so that it is made once.
    if (isNew) this.#on.sending(entry);
    let answer;
    try {
      answer = await this.#on.ask(event, fields);
    } catch (error) {
      if (!(error instanceof Lost)) throw error;
      entry.notBefore = Date.now() + RETRY;
      // A new connection need not wait.
      if (!this.#isOpen) entry.notBefore = 0;
      return null;
    }
    const { code, details } = answer.error ?? {};
    // The room was closed before the change came. It goes out again when the room is open.
    const isOut = code === "FORBIDDEN" && !this.#isOpen;
    if (isOut || PASSING.has(code)) {
      // The server has not made it, so it is nobody's yet.
      if (!before && code !== "SERVER_ERROR") entry.by = null;
      const pause = isOut ? null : details?.retryAfter ?? RETRY;
      entry.notBefore = Date.now() + pause;
      return pause;
    }
    if (!this.#on.isThere(entry)) return null;
    if (answer.ok) this.#on.accepted(entry, event, sent, answer);
    else this.#on.denied(entry, event, answer.error, sent);
    return null;
  }
}
