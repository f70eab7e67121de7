// Lines over time. The values of a moment stand below as text, which is what a screen reader reads.

import { clock, timeOfDay } from "./format.js";

const SVG = "http://www.w3.org/2000/svg";
const WIDTH = 300;
const HEIGHT = 90;
const COLORS = 8;
const LEAST_MILLISECONDS = 120_000;
/** Between two times of the axis. */
const STEPS = [60_000, 120_000, 300_000, 600_000];

export function make(name, properties = {}, ...children) {
  const node = Object.assign(document.createElement(name), properties);
  node.append(...children);
  return node;
}

const draw = (name, attributes) => {
  const shape = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) shape.setAttribute(key, value);
  return shape;
};

export class Chart {
  #format;
  #values;
  #plot = draw("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, preserveAspectRatio: "none", "aria-hidden": "true" });
  #marks = draw("g", {});
  #pointer = draw("line", { class: "pointer", y1: 0, y2: HEIGHT, visibility: "hidden" });
  #top = make("span", { className: "top", ariaHidden: "true" });
  #axis = make("div", { className: "axis", ariaHidden: "true" });
  #moment = make("time");
  #nothing = make("li", { className: "quiet", textContent: "nothing" });
  #legend = make("ul", { className: "legend" }, this.#nothing);
  #lines = new Map();
  #drawn = null;

  /**
   * - values: of the means or the greatest values of a moment, an object with a number for each line.
   * - point: is called with a moment when it is pointed at, and with null when it is not any more.
   * - least: what the scale reaches at least.
   */
  constructor(title, format, values, least = 0, point = () => {}) {
    this.#format = format;
    this.#values = values;
    this.least = least;
    this.#plot.append(this.#marks, this.#pointer);
    const plot = make("div", { className: "plot" }, this.#plot, this.#top);
    plot.addEventListener("pointermove", (event) => point(this.#momentAt(event)));
    plot.addEventListener("pointerdown", (event) => point(this.#momentAt(event)));
    // A finger that is lifted has shown where to look: the values stay.
    plot.addEventListener("pointerleave", ({ pointerType }) => pointerType === "touch" || point(null));
    // A caption alone names no figure to Chromium.
    this.node = make("figure", { ariaLabel: title }, make("figcaption", {}, make("span", { textContent: title }), this.#moment),
      plot, this.#axis, this.#legend);
  }

  /** - pointed: the moment whose values are shown; null for the newest. */
  show(past, milliseconds, pointed) {
    // A server that has just begun has little to show.
    const span = Math.max(Math.min(milliseconds, past.now - (past.rows[0]?.at ?? past.now)), LEAST_MILLISECONDS);
    const rows = past.newest(span);
    const [from, to] = [past.now - span, past.now];
    const maxima = rows.map((row) => this.#values(row.max));
    this.#drawn = { past, rows, maxima, from, to };
    const most = Math.max(this.least, ...maxima.flatMap(Object.values)) || 1;
    this.#top.textContent = this.#format(most);
    const names = [...new Set(maxima.flatMap(Object.keys))];
    this.#nothing.hidden = names.length > 0;
    for (const name of names) this.#line(name).shape.setAttribute("d", this.#path(name, most));
    for (const [name, line] of this.#lines) {
      if (names.includes(name)) continue;
      line.shape.remove();
      line.item.remove();
      this.#lines.delete(name);
    }
    this.#showAxis();
    this.point(pointed);
  }

  #x(at) {
    const { from, to } = this.#drawn;
    return ((at - from) / (to - from)) * WIDTH;
  }

  /** The greatest values, so that what lasts for a second is seen. A line ends where something is missing. */
  #path(name, most) {
    const { past, rows, maxima } = this.#drawn;
    let isBegun = false;
    return rows.map((row, index) => {
      if (past.isAfterGap(rows, index)) isBegun = false;
      if (!(name in maxima[index])) return "";
      const y = HEIGHT - 1 - (maxima[index][name] / most) * (HEIGHT - 4);
      // A single sample is a dash, not nothing.
      const point = `${isBegun ? "L" : "M"}${this.#x(row.at).toFixed(1)} ${y.toFixed(1)}${isBegun ? "" : "h.4"}`;
      isBegun = true;
      return point;
    }).join("");
  }

  #showAxis() {
    const { past, rows, from, to } = this.#drawn;
    const step = STEPS.find((step) => (to - from) / step < 8);
    const zone = new Date(to).getTimezoneOffset() * 60_000;
    const labels = [];
    for (let at = Math.ceil((from - zone) / step) * step + zone; at < to; at += step) {
      const share = (at - from) / (to - from);
      if (share < 0.04 || share > 0.96) continue;
      const label = make("span", { textContent: clock(at) });
      label.style.left = `${share * 100}%`;
      labels.push(label);
    }
    this.#axis.replaceChildren(...labels);
    const marks = past.starts.filter((start) => start > from).map((start) => this.#mark("start", start));
    for (const [index, row] of rows.entries()) {
      if (!past.isAfterGap(rows, index)) continue;
      const begin = this.#x(rows[index - 1].at + past.each);
      marks.push(draw("rect", { class: "gap", x: begin, y: 0, width: Math.max(this.#x(row.at) - begin, 0.5), height: HEIGHT }));
    }
    this.#marks.replaceChildren(...marks);
  }

  #mark(kind, at) {
    const line = draw("line", { class: kind, x1: this.#x(at), x2: this.#x(at), y1: 0, y2: HEIGHT });
    const title = draw("title", {});
    title.textContent = `The server began at ${timeOfDay(at)}`;
    line.append(title);
    return line;
  }

  #momentAt(event) {
    if (!this.#drawn?.rows.length) return null;
    const box = this.#plot.getBoundingClientRect();
    const { from, to, rows } = this.#drawn;
    const at = from + ((event.clientX - box.left) / box.width) * (to - from);
    return rows.reduce((best, row) => (Math.abs(row.at - at) < Math.abs(best.at - at) ? row : best)).at;
  }

  /** Shows the values of a moment in place of the newest. */
  point(at) {
    if (!this.#drawn) return;
    const { rows, past } = this.#drawn;
    const row = at === null ? rows.at(-1) : rows.find((row) => row.at === at);
    this.#moment.textContent = at === null || !row ? "" : timeOfDay(row.at);
    this.#pointer.setAttribute("visibility", at === null || !row ? "hidden" : "visible");
    if (row) for (const end of ["x1", "x2"]) this.#pointer.setAttribute(end, this.#x(row.at + past.each / 2));
    const [means, maxima] = row ? [this.#values(row.mean), this.#values(row.max)] : [{}, {}];
    for (const [name, line] of this.#lines) {
      const [mean, most] = [this.#format(means[name] ?? 0), this.#format(maxima[name] ?? 0)];
      line.value.textContent = mean === most ? mean : `${mean}, at most ${most}`;
    }
  }

  #line(name) {
    if (this.#lines.has(name)) return this.#lines.get(name);
    const used = new Set([...this.#lines.values()].map((line) => line.color));
    let color = 0;
    while (used.has(color) && color < COLORS - 1) color += 1;
    const shape = draw("path", { class: `c${color}` });
    this.#plot.insertBefore(shape, this.#pointer);
    const value = make("b");
    const item = make("li", {}, make("i", { className: `c${color}` }), name, value);
    this.#legend.append(item);
    const line = { shape, value, item, color };
    this.#lines.set(name, line);
    return line;
  }
}
