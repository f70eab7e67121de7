// When to send the next position. A room that ticks every 50 ms replaces positions that come faster, so one is sent for
// each tick, just before it: the newest, and no later than if all were sent.

/** Positions go out once a frame at most. */
const PAUSE = 16;
/** How long before its tick a position should arrive. Timers of browsers are late by a few milliseconds. */
const LEAD = 6;
/** How often the way to the server is measured, and how many measurements count. */
const MEASURE_PAUSE = 1_000;
const WAYS_MAX = 4;

/** All times are in milliseconds, of one clock. */
export class MovePace {
  #interval = PAUSE;
  #tickedAt = -Infinity;
  #sentAt = -Infinity;
  #measuredAt = -Infinity;
  /** How long answers took of late. */
  #ways = [];

  /** A tick of the room has come. */
  ticked(now, interval) {
    this.#interval = interval;
    this.#tickedAt = now;
  }

  /** Says whether to ask for an answer, so that the way is known. */
  sent(now) {
    this.#sentAt = now;
    if (this.#interval <= PAUSE || now - this.#measuredAt < MEASURE_PAUSE) return false;
    this.#measuredAt = now;
    return true;
  }

  /** The answer to a position took so long. */
  answered(milliseconds) {
    this.#ways.push(milliseconds);
    if (this.#ways.length > WAYS_MAX) this.#ways.shift();
  }

  /** How long the next position has to wait; 0 if it may go. */
  wait(now) {
    const soonest = Math.max(this.#sentAt + PAUSE - now, 0);
    // A room that ticks often, or that was quiet, takes each position at once.
    if (this.#interval <= PAUSE || now - this.#tickedAt > 2 * this.#interval || !this.#ways.length) return soonest;
    let due = this.#tickedAt + this.#interval - Math.min(...this.#ways) - LEAD;
    // One position goes for each tick.
    while (due < this.#sentAt + this.#interval / 2) due += this.#interval;
    return Math.max(due - now, 0);
  }
}
