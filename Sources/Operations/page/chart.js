// Lines over time. The newest values stand below as text, which is what a screen reader reads.

const SVG = "http://www.w3.org/2000/svg";
const WIDTH = 300;
const HEIGHT = 90;
const COLORS = 8;

export function make(name, properties = {}, ...children) {
  const node = Object.assign(document.createElement(name), properties);
  node.append(...children);
  return node;
}

export class Chart {
  #format;
  #values;
  #plot = document.createElementNS(SVG, "svg");
  #top = make("span", { className: "top", ariaHidden: "true" });
  #nothing = make("li", { className: "quiet", textContent: "nothing" });
  #legend = make("ul", { className: "legend" }, this.#nothing);
  #lines = new Map();

  /**
   * - values: of a sample, an object with a number for each line.
   * - least: what the scale reaches at least.
   */
  constructor(title, format, values, least = 0) {
    this.#format = format;
    this.#values = values;
    this.least = least;
    this.#plot.setAttribute("viewBox", `0 0 ${WIDTH} ${HEIGHT}`);
    this.#plot.setAttribute("preserveAspectRatio", "none");
    this.#plot.setAttribute("aria-hidden", "true");
    // A caption alone names no figure to Chromium.
    this.node = make("figure", { ariaLabel: title }, make("figcaption", { textContent: title }),
      make("div", { className: "plot" }, this.#plot, this.#top), this.#legend);
  }

  show(samples) {
    const rows = samples.map((sample) => this.#values(sample));
    const names = [...new Set(rows.flatMap(Object.keys))];
    this.#nothing.hidden = names.length > 0;
    const most = Math.max(this.least, ...rows.flatMap(Object.values)) || 1;
    this.#top.textContent = this.#format(most);
    const [first, last] = [samples[0].at, Math.max(samples.at(-1).at, samples[0].at + 20_000)];
    for (const name of names) {
      const points = rows.flatMap((row, index) => {
        const x = ((samples[index].at - first) / (last - first)) * WIDTH;
        return name in row ? [`${x.toFixed(1)},${(HEIGHT - 1 - (row[name] / most) * (HEIGHT - 4)).toFixed(1)}`] : [];
      });
      const line = this.#line(name);
      line.shape.setAttribute("points", points.join(" "));
      line.value.textContent = this.#format(rows.at(-1)[name] ?? 0);
    }
    for (const [name, line] of this.#lines) {
      if (names.includes(name)) continue;
      line.shape.remove();
      line.item.remove();
      this.#lines.delete(name);
    }
  }

  #line(name) {
    if (this.#lines.has(name)) return this.#lines.get(name);
    const used = new Set([...this.#lines.values()].map((line) => line.color));
    let color = 0;
    while (used.has(color) && color < COLORS - 1) color += 1;
    const shape = document.createElementNS(SVG, "polyline");
    shape.setAttribute("class", `c${color}`);
    this.#plot.append(shape);
    const value = make("b");
    const item = make("li", {}, make("i", { className: `c${color}` }), name, value);
    this.#legend.append(item);
    const line = { shape, value, item, color };
    this.#lines.set(name, line);
    return line;
  }
}
