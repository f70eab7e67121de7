// The rooms that have the most to do, or the most members.

import { make } from "./chart.js";
import { bytes, number, rate, seconds } from "./format.js";

/** What a room does, for people. */
export function stateOf({ state, home }) {
  if (state === "elsewhere") return `home is node ${home}`;
  return state === "degraded" ? "changes are refused" : "serving";
}

export class Rooms {
  sort = "load";
  #body = document.querySelector("#rooms tbody");
  #none = document.getElementById("no-rooms");
  #rows = new Map();
  #open;

  constructor(open, changed) {
    this.#open = open;
    for (const button of document.querySelectorAll("#rooms [data-sort]")) {
      button.addEventListener("click", () => {
        this.sort = button.dataset.sort;
        for (const head of document.querySelectorAll("#rooms th")) head.removeAttribute("aria-sort");
        button.closest("th").setAttribute("aria-sort", "descending");
        changed();
      });
    }
    document.getElementById("find").addEventListener("submit", (event) => {
      event.preventDefault();
      open(document.getElementById("find-id").value);
    });
  }

  /** Rows stay the same nodes, so that the focus stays where it is while they move. */
  show(rooms) {
    this.#none.hidden = rooms.length > 0;
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
