// Positions come some ten to two hundred times a second, unevenly; a screen wants one for each frame. A glide shows a
// moving point a moment late, on a curve through the positions that have come, so that it never has to guess.

const DELAY_MIN = 24;
const DELAY_MAX = 140;
/** After so long without a position the next one begins a new movement. */
const PAUSE = 250;
/** How much slower or faster than real a movement is shown, to become as late as it should be. */
const DRIFT = 0.15;
/** A curve is found from two positions on either side; more are only kept while they wait to be shown. */
const SAMPLES_MAX = 64;

export class Glide {
  #samples = [];
  #interval = 50;
  /** How late the point was shown when it last was, and when that was. */
  #late = null;
  #shownAt = 0;

  /** How late the point should be shown: a bit over the time between two positions, as it has been of late. */
  get delay() {
    return Math.min(Math.max(this.#interval * 1.6, DELAY_MIN), DELAY_MAX);
  }

  /** A position came at this time, in milliseconds. */
  add(x, y, time) {
    const last = this.#samples.at(-1);
    if (last) {
      const passed = time - last.time;
      if (passed > PAUSE) {
        // It rested where it was until a moment ago.
        this.#samples = [{ ...last, time: time - this.#interval }];
      } else {
        this.#interval += (Math.max(passed, 1) - this.#interval) * 0.15;
      }
    }
    this.#samples.push({ x, y, time });
    if (this.#samples.length > SAMPLES_MAX) this.#samples.shift();
  }

  /** Where it is to be shown at this time; undefined before the first position. */
  at(time) {
    const shown = time - this.#drift(time);
    while (this.#samples.length > 3 && this.#samples[2].time <= shown) this.#samples.shift();
    let next = 0;
    while (next < this.#samples.length && this.#samples[next].time <= shown) next += 1;
    if (next === this.#samples.length) return this.#samples.at(-1);
    if (next === 0) return this.#samples[0];
    return curve(this.#samples, next, shown);
  }

  /** Comes closer to the right delay by a fraction of the time that passes, so that the point never goes back. */
  #drift(time) {
    const most = Math.max(time - this.#shownAt, 0) * DRIFT;
    const far = this.delay - (this.#late ?? this.delay);
    this.#late = this.delay - far + Math.min(Math.max(far, -most), most);
    this.#shownAt = time;
    return this.#late;
  }

  /** Whether the point rests at the last position that came. */
  isAtRest(time) {
    const last = this.#samples.at(-1);
    return !last || last.time <= time - (this.#late ?? this.delay);
  }
}

/** Between two samples, on a cubic curve whose slope in each is that from its neighbour before to the one behind. */
function curve(samples, next, time) {
  const [from, to] = [samples[next - 1], samples[next]];
  const span = to.time - from.time || 1;
  const [before, behind] = [samples[next - 2] ?? from, samples[next + 1] ?? to];
  // A slope is a difference of places, over the time between these two samples.
  const [first, last] = [span / (to.time - before.time || 1), span / (behind.time - from.time || 1)];
  const t = (time - from.time) / span;
  const [t2, t3] = [t * t, t * t * t];
  const [a, b, c, d] = [2 * t3 - 3 * t2 + 1, t3 - 2 * t2 + t, 3 * t2 - 2 * t3, t3 - t2];
  return {
    x: a * from.x + b * (to.x - before.x) * first + c * to.x + d * (behind.x - from.x) * last,
    y: a * from.y + b * (to.y - before.y) * first + c * to.y + d * (behind.y - from.y) * last,
    time,
  };
}
