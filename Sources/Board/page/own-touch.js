// Where this client's user touches, as it is told to the others: the newest place, once for each tick of the room.

import { MovePace } from "./move-pace.js";

/** With so many bytes not on their way yet, a position waits for the next: it would only be late. */
const WAITING_MAX = 16_384;
const WAITING_PAUSE = 16;

export class OwnTouch {
  #socket;
  #roomId;
  #isOpen;
  #pace = new MovePace();
  #place = null;
  #timer = null;

  /** isOpen(): whether the room takes touches now. */
  constructor(socket, roomId, isOpen) {
    this.#socket = socket;
    this.#roomId = roomId;
    this.#isOpen = isOpen;
  }

  /** The room has ticked. */
  ticked(interval) {
    this.#pace.ticked(performance.now(), interval);
  }

  move(x, y, elementId) {
    this.#place = { x, y, ...(elementId && { elementId }) };
    if (this.#timer !== null) return;
    const wait = this.#pace.wait(performance.now());
    if (wait === 0) this.#send();
    else this.#timer = setTimeout(() => this.#send(), wait);
  }

  /** A touch ended with the connection that it was made on. */
  renew() {
    if (this.#place) this.#send();
  }

  #send() {
    clearTimeout(this.#timer);
    this.#timer = null;
    if (!this.#isOpen() || !this.#place) return;
    if (this.#socket.waiting > WAITING_MAX) {
      this.#timer = setTimeout(() => this.#send(), WAITING_PAUSE);
      return;
    }
    const now = performance.now();
    const touch = { roomId: this.#roomId, ...this.#place };
    if (!this.#pace.sent(now)) return this.#socket.emit("touch:move", touch);
    this.#socket.ask("touch:move", touch).then(() => this.#pace.answered(performance.now() - now), () => {});
  }

  end() {
    if (!this.#place) return;
    if (this.#timer !== null) this.#send();
    clearTimeout(this.#timer);
    this.#timer = this.#place = null;
    if (this.#isOpen()) this.#socket.emit("touch:end", { roomId: this.#roomId });
  }
}
