// The rooms that have the most to do, or the most members.

import { make } from "./chart.js";
import { bytes, number, rate, seconds } from "./format.js";

const ROWS = 50;
/** What a server tells at most. All rooms are in the list by name, page by page. */
const ROWS_MAX = 200;

/** What a room does, for people. */
export function stateOf({ state, home, node }) {
  if (node !== undefined) return `${stateOf({ state, home })}, node ${node}`;
  if (state === "elsewhere") return `home is node ${home}`;
  return state === "degraded" ? "changes are refused" : "serving";
}

/** The rows of several nodes as one list. A room is shown as its home knows it, if that has answered. */
export function merge(answers, sort, limit, own) {
  const rows = new Map();
  for (const { node, rooms } of answers) {
    for (const room of rooms) {
      const known = rows.get(room.id);
      if (known && room.state === "elsewhere") continue;
      rows.set(room.id, { ...room, node: node === own ? undefined : node });
    }
  }
  const order = sort === "id" ? (a, b) => (a.id < b.id ? -1 : 1) : sort === "members" ? (a, b) => b.connections - a.connections : (a, b) => b.load - a.load;
  return { rooms: [...rows.values()].sort(order).slice(0, limit), hasMore: rows.size > limit || answers.some(({ rooms }) => rooms.length >= limit) };
}

export class Rooms {
  sort = "load";
  #body = document.querySelector("#rooms tbody");
  #none = document.getElementById("no-rooms");
  #rows = new Map();
  #open;
  #more = document.getElementById("rooms-more");
  /** How many rows there may be. */
  limit = ROWS;
  /** Of the list by name: the room after which it begins. */
  after = "";

  constructor(open, changed) {
    this.#open = open;
    for (const button of document.querySelectorAll("#rooms [data-sort]")) {
      button.addEventListener("click", () => {
        this.sort = button.dataset.sort;
        [this.limit, this.after] = [ROWS, ""];
        for (const head of document.querySelectorAll("#rooms th")) head.removeAttribute("aria-sort");
        button.closest("th").setAttribute("aria-sort", this.sort === "id" ? "ascending" : "descending");
        changed();
      });
    }
    this.#more.addEventListener("click", () => {
      if (this.sort === "id") this.after = [...this.#rows.keys()].at(-1) ?? "";
      else this.limit += ROWS;
      changed();
    });
  }

  /** Rows stay the same nodes, so that the focus stays where it is while they move. */
  get query() {
    return `rooms?sort=${this.sort}&limit=${this.limit}${this.after && `&after=${encodeURIComponent(this.after)}`}`;
  }

  show(rooms, hasMore = false) {
    this.#none.hidden = rooms.length > 0;
    this.#more.hidden = !hasMore || this.limit >= ROWS_MAX;
    const rows = new Map(rooms.map((room) => [room.id, this.#rows.get(room.id) ?? this.#row(room.id)]));
    for (const [id, row] of this.#rows) if (!rows.has(id)) row.node.remove();
    this.#rows = rows;
    const focused = document.activeElement;
    for (const [index, room] of rooms.entries()) {
      const { node, cells } = rows.get(room.id);
      const texts = [rate(room.load), number(room.connections), number(room.participants), number(room.elements),
        seconds(room.tickMilliseconds / 1000), bytes(room.logBytes), room.shard, stateOf(room)];
      for (const [cell, text] of texts.entries()) cells[cell].textContent = text;
      if (this.#body.children[index] !== node) this.#body.insertBefore(node, this.#body.children[index] ?? null);
    }
    if (focused !== document.activeElement && this.#body.contains(focused)) focused.focus();
  }

  /** The server does not answer. */
  forget() {
    this.show([]);
    this.#none.hidden = true;
  }

  #row(id) {
    const button = make("button", { textContent: id, title: id });
    button.addEventListener("click", () => this.#open(id));
    const cells = Array.from({ length: 8 }, () => make("td"));
    return { node: make("tr", {}, make("th", { scope: "row" }, button), ...cells), cells };
  }
}
