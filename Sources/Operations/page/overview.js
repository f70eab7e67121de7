// The numbers of the moment, and how they came to be.

import { Chart, make } from "./chart.js";
import { age, bytes, bytesPerSecond, number, percent, rate, seconds, small } from "./format.js";

/** Series of one group, such as all events, without the group's name; those that there were. */
const group = (values, name) => Object.fromEntries(Object.entries(values)
  .filter(([key]) => key.startsWith(`${name} `)).map(([key, value]) => [key.slice(name.length + 1), value]));

const CHARTS = [
  ["Touches", rate, (v) => ({ in: v.touchesIn ?? 0, out: v.touchesOut ?? 0 })],
  ["Touches in for each one sent", small, (v) => ({ coalescing: v.touchesTicked ? (v.touchesIn ?? 0) / v.touchesTicked : 0 }), 1],
  ["Load of the busiest loop", percent, (v) => ({ load: v.load ?? 0 }), 1],
  ["Turns of the loops, 99th percentile", seconds, (v) => ({ turn: v.turn ?? 0 }), 0.001],
  ["Wait for the loops", seconds, (v) => ({ wait: v.lag ?? 0 }), 0.001],
  ["Time between ticks", seconds, (v) => ({ tick: v.tick ?? 0 }), 0.01],
  ["Connections", number, (v) => ({ connections: v.connections ?? 0, members: v.members ?? 0 }), 10],
  ["Events", rate, (v) => group(v, "event"), 1],
  ["Refused events", rate, (v) => group(v, "error"), 1],
  ["Slow readers", rate, (v) => ({ "caught up": v.catchUps ?? 0, lost: v.lostMembers ?? 0, disconnected: v["end slow reader"] ?? 0 }), 1],
  ["Ends of sessions", rate, (v) => group(v, "end"), 1],
  ["Bytes", bytesPerSecond, (v) => ({ in: v.bytesIn ?? 0, out: v.bytesOut ?? 0 }), 1000],
  ["Memory", bytes, (v) => ({ process: v.memory ?? 0, "rooms' logs": v.logBytes ?? 0 })],
  ["Processor", small, (v) => ({ cores: v.cores ?? 0 }), 1],
];
const STORE = [
  ["Wait of acks for the store, 99th percentile", seconds, (v) => ({ append: v.append ?? 0 }), 0.001],
  ["Not stored yet", bytes, (v) => ({ backlog: v.backlogBytes ?? 0 }), 1000],
];

export class Overview {
  #tiles = document.getElementById("tiles");
  #loops = document.querySelector("#loops tbody");
  #sessions = document.getElementById("sessions");
  #about = document.getElementById("about");
  #charts = null;
  #entries = new Map();
  #span = 3_600_000;
  #pointed = null;
  #past = null;

  constructor() {
    for (const button of document.querySelectorAll("#spans button")) {
      button.addEventListener("click", () => {
        this.#span = Number(button.dataset.minutes) * 60_000;
        for (const each of document.querySelectorAll("#spans button")) each.ariaPressed = String(each === button);
        this.#draw();
      });
    }
    addEventListener("pointerdown", ({ target }) => target.closest(".plot") || this.#point(null));
  }

  /** What the server says of itself, at its own time: the clock of this machine may be wrong. */
  showServer({ version, process }, now) {
    this.#about.textContent = `Version ${version}, up ${age(now / 1000 - process.startSeconds)}`;
  }

  forgetServer() {
    this.#about.textContent = "";
  }

  /** - now: the newest sample; - past: the history. */
  show(now, past) {
    this.#past = past;
    this.#showTiles(now);
    this.#showLoops(now);
    this.#charts ??= this.#makeCharts(Boolean(now.overview.store));
    this.#draw();
  }

  /** There is no answer: old numbers must not be taken for those of now. The charts are of what was. */
  forget() {
    for (const entry of this.#entries.values()) {
      [entry.text.data, entry.small.textContent, entry.node.className] = ["–", "", "gone"];
    }
    this.#loops.replaceChildren();
    this.#sessions.textContent = "";
  }

  #draw() {
    if (!this.#past) return;
    for (const chart of this.#charts ?? []) chart.show(this.#past, this.#span, this.#pointed);
  }

  /** The charts show the values of a moment; null for those of now. */
  #point(at) {
    if (at === this.#pointed) return;
    this.#pointed = at;
    for (const chart of this.#charts) chart.point(at);
  }

  #makeCharts(hasStore) {
    const charts = [...CHARTS, ...(hasStore ? STORE : [])].map(([title, format, values, least]) => new Chart(title, format, values, least, (at) => this.#point(at)));
    document.getElementById("charts").replaceChildren(...charts.map((chart) => chart.node));
    return charts;
  }

  #showTiles(now) {
    const { process, totals, store, kept, connectionsMax } = now.overview;
    this.#tile("Connections", number(now.connections), `of ${number(connectionsMax)}`, now.connections > 0.9 * connectionsMax);
    this.#tile("Rooms", number(now.rooms), `${number(totals.elements)} elements`);
    this.#tile("Users in rooms", number(totals.participants), `${number(now.members)} members`);
    this.#tile("Touches in", rate(now.touchesIn), now.coalescing ? `${small(now.coalescing)} for each one sent` : "");
    this.#tile("Touches out", rate(now.touchesOut), `${rate(now.deliveries)} writes`);
    this.#tile("Busiest loop", percent(now.load), now.hanging ? `${now.hanging} of ${now.loops.length} hang` : `of ${now.loops.length}, ticks of ${seconds(now.tick)}`, now.load > 0.9 || now.hanging > 0);
    this.#tile("Memory", bytes(process.residentBytes), `${number(process.descriptors)} of ${number(process.descriptorsMax)} files`, process.descriptors > 0.9 * process.descriptorsMax);
    this.#tile("Store", store ? (store.good ? "good" : "fails") : "none", store ? `${bytes(store.databaseBytes + store.journalBytes)}, acks ${seconds(now.append)}` : `${number(kept?.rooms ?? 0)} empty rooms in memory, ${bytes(kept?.bytes ?? 0)}`, store && !store.good);
  }

  #tile(name, value, more, isBad = false) {
    if (!this.#entries.has(name)) {
      const [text, small] = [document.createTextNode(""), make("small")];
      const node = make("div", {}, make("dt", { textContent: name }), make("dd", {}, text, small));
      this.#tiles.append(node);
      this.#entries.set(name, { node, text, small });
    }
    const entry = this.#entries.get(name);
    entry.text.data = value;
    entry.small.textContent = more;
    entry.node.className = isBad ? "bad" : "";
  }

  #showLoops(now) {
    this.#loops.replaceChildren(...now.loops.map((loop, index) => {
      const cells = loop
        ? [percent(loop.load), seconds(loop.lagSeconds), seconds(loop.tickSeconds), number(loop.connections), number(loop.rooms),
          number(loop.members), rate(loop.touchesIn), rate(loop.touchesOut)]
        : ["hangs"];
      const row = make("tr", { className: !loop || loop.load > 0.9 ? "late" : "" }, make("th", { scope: "row", textContent: index }));
      row.append(...cells.map((text) => make("td", { textContent: text })));
      return row;
    }));
    const kinds = now.overview.sessions.map((kind) => `${number(kind.count)} by ${kind.transport}, protocol ${kind.protocol}${kind.tls ? ", TLS" : ""}`);
    this.#sessions.textContent = kinds.length ? `Sessions: ${kinds.join("; ")}.` : "There are no sessions.";
  }
}
