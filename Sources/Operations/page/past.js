// The last hour, as the server has kept it. What the page has drawn stays when the server starts again and has forgotten.

const KEPT_MILLISECONDS = 3_600_000;

export class Past {
  /** The oldest first: the begin of five seconds, and for each series the mean and the greatest value. */
  rows = [];
  /** When the server began, each time that the page or the server knows of. */
  starts = [];
  each = 5_000;
  /** The server's time, which need not be that of this machine. */
  now = Date.now();

  /** What to ask for: everything since then. The newest row may still grow. */
  get since() {
    return this.rows.at(-1)?.at ?? 0;
  }

  add({ now, starts, each, at, series }) {
    [this.now, this.each] = [now, each];
    for (const [index, moment] of at.entries()) {
      const row = { at: moment, mean: {}, max: {} };
      for (const [name, [means, maxima]] of Object.entries(series)) [row.mean[name], row.max[name]] = [means[index], maxima[index]];
      if (moment === this.rows.at(-1)?.at) this.rows.pop();
      if (moment > this.since) this.rows.push(row);
    }
    this.starts = [...new Set([...this.starts, ...starts])].filter((start) => start > now - KEPT_MILLISECONDS);
    while (this.rows.length && this.rows[0].at < now - KEPT_MILLISECONDS) this.rows.shift();
  }

  /** The rows of the newest so many milliseconds. */
  newest(milliseconds) {
    return this.rows.filter((row) => row.at >= this.now - milliseconds);
  }

  /** Whether something is missing before a row: the server was away, or its machine stood still. */
  isAfterGap(rows, index) {
    return index > 0 && rows[index].at - rows[index - 1].at > 2.5 * this.each;
  }
}
