// The rooms that have the most to do, or the most members.

import { make } from "./chart.js";
import { tellSilence } from "./cluster.js";
import { bytes, number, rate, seconds } from "./format.js";
import { Rows } from "./rows.js";

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
  #none = document.getElementById("no-rooms");
  #silence = document.getElementById("silent-rooms");
  #rows;
  #more = document.getElementById("rooms-more");
  /** How many rows there may be. */
  limit = ROWS;
  /** Of the list by name: the room after which it begins. */
  after = "";

  constructor(open, changed) {
    this.#rows = new Rows(document.querySelector("#rooms tbody"), "id", ({ id }) => this.#row(id, open));
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
      if (this.sort === "id") this.after = this.#rows.last ?? "";
      else this.limit += ROWS;
      changed();
    });
  }

  get query() {
    return `rooms?sort=${this.sort}&limit=${this.limit}${this.after && `&after=${encodeURIComponent(this.after)}`}`;
  }

  /** - silent: the nodes and loops whose rooms are missing. */
  show(rooms, hasMore = false, silent = []) {
    this.#none.hidden = rooms.length > 0 || silent.length > 0;
    tellSilence(this.#silence, "Rooms are missing", silent);
    this.#more.hidden = !hasMore || this.limit >= ROWS_MAX;
    this.#rows.show(rooms);
  }

  /** The server does not answer. */
  forget() {
    this.show([]);
    this.#none.hidden = true;
  }

  #row(id, open) {
    const button = make("button", { textContent: id, title: id });
    button.addEventListener("click", () => open(id));
    const cells = Array.from({ length: 8 }, () => make("td"));
    const tell = (room) => {
      const texts = [rate(room.load), number(room.connections), number(room.participants), number(room.elements),
        seconds(room.tickMilliseconds / 1000), bytes(room.logBytes), room.shard, stateOf(room)];
      for (const [cell, text] of texts.entries()) cells[cell].textContent = text;
    };
    return { node: make("tr", {}, make("th", { scope: "row" }, button), ...cells), tell };
  }
}
