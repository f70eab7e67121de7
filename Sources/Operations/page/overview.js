// The numbers of the moment, and how they came to be.

import { Chart, make } from "./chart.js";
import { age, bytes, bytesPerSecond, number, percent, rate, seconds, small } from "./format.js";

const busy = (named) => Object.fromEntries(Object.entries(named).filter(([, value]) => value > 0).sort((a, b) => b[1] - a[1]).slice(0, 6));
const eachLoop = (sample, key) => Object.fromEntries(sample.loops.flatMap((loop, index) => (loop ? [[`loop ${index}`, loop[key]]] : [])).slice(0, 8));

const CHARTS = [
  ["Touches", rate, (s) => ({ in: s.touchesIn, out: s.touchesOut })],
  ["Touches in for each one sent", small, (s) => ({ coalescing: s.coalescing }), 1],
  ["Load of the loops", percent, (s) => eachLoop(s, "load"), 1],
  ["Turns of the loops, 99th percentile", seconds, (s) => eachLoop(s, "turn"), 0.001],
  ["Wait for the loops", seconds, (s) => eachLoop(s, "lagSeconds"), 0.001],
  ["Time between ticks", seconds, (s) => eachLoop(s, "tickSeconds"), 0.01],
  ["Connections", number, (s) => ({ connections: s.connections, members: s.members }), 10],
  ["Events", rate, (s) => busy(s.events), 1],
  ["Refused events", rate, (s) => busy(s.errors), 1],
  ["Slow readers", rate, (s) => ({ "caught up": s.catchUps, lost: s.lostMembers, "disconnected": s.ends["slow reader"] ?? 0 }), 1],
  ["Ends of sessions", rate, (s) => busy(s.ends), 1],
  ["Bytes", bytesPerSecond, (s) => ({ in: s.bytesIn, out: s.bytesOut }), 1000],
  ["Memory", bytes, (s) => ({ process: s.overview.process.residentBytes, allocated: s.overview.process.heapBytes, "rooms' logs": s.overview.totals.logBytes })],
  ["Processor", small, (s) => ({ cores: s.cores }), 1],
];
const STORE = [
  ["Wait of acks for the store, 99th percentile", seconds, (s) => ({ append: s.append }), 0.001],
  ["Not stored yet", bytes, (s) => ({ backlog: s.overview.store?.backlogBytes ?? 0 }), 1000],
];

export class Overview {
  #tiles = document.getElementById("tiles");
  #loops = document.querySelector("#loops tbody");
  #sessions = document.getElementById("sessions");
  #charts = null;
  #entries = new Map();

  show(samples) {
    const now = samples.at(-1);
    this.#showTiles(now);
    this.#showLoops(now);
    this.#charts ??= this.#makeCharts(Boolean(now.overview.store));
    for (const chart of this.#charts) chart.show(samples);
  }

  #makeCharts(hasStore) {
    const charts = [...CHARTS, ...(hasStore ? STORE : [])].map((row) => new Chart(...row));
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
    this.#tile("Store", store ? (store.good ? "good" : "fails") : "none", store ? `${bytes(store.databaseBytes + store.journalBytes)}, acks ${seconds(now.append)}` : `${number(kept?.rooms ?? 0)} left rooms in memory, ${bytes(kept?.bytes ?? 0)}`, store && !store.good);
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
    const { version, process } = now.overview;
    const runs = `Version ${version}, running for ${age(Date.now() / 1000 - process.startSeconds)}.`;
    this.#sessions.textContent = `${runs} ${kinds.length ? `Sessions: ${kinds.join("; ")}.` : "There are no sessions."}`;
  }
}
