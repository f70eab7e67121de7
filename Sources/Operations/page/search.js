// Searching: users and addresses that are connected, and rooms, those in use and those that are only kept.

import { make } from "./chart.js";
import { tellSilence } from "./cluster.js";
import { number } from "./format.js";
import { Newest } from "./newest.js";
import { Pages } from "./pages.js";
import { merge } from "./rooms.js";

export class Search {
  #section = document.getElementById("results");
  #people = document.querySelector("#people tbody");
  #nobody = document.getElementById("nobody");
  #kept = document.querySelector("#kept tbody");
  #none = document.getElementById("no-kept");
  #silence = document.getElementById("silent-search");
  #silentOfRooms = [];
  #pages;
  #text = "";
  #newest = new Newest();
  #cluster;
  #open;
  #actions;

  constructor(cluster, actions, open) {
    [this.#cluster, this.#actions, this.#open] = [cluster, actions, open];
    this.#pages = new Pages(document.getElementById("kept-more"), (after) => this.#read(after), (rooms, answer) => this.#showRooms(rooms, answer));
    const form = document.getElementById("find");
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.#text = document.getElementById("find-text").value.trim();
      this.#ask();
    });
    document.getElementById("find-end").addEventListener("click", () => {
      this.#newest.forget();
      this.#section.hidden = true;
    });
  }

  async #ask() {
    const people = this.#cluster.askAll(`find?text=${encodeURIComponent(this.#text)}`);
    try {
      await this.#newest.show(Promise.all([people, this.#pages.begin()]), ([{ answers, silent }]) => {
        this.#showPeople(answers.flatMap(({ node, found }) => found.map((connection) => ({ ...connection, node }))));
        this.#section.hidden = false;
        tellSilence(this.#silence, "Not everything was searched", [...new Set([...silent, ...this.#silentOfRooms])]);
      });
    } catch (error) {
      this.#actions.tell(error.message);
    }
  }

  /** Kept rooms, and those in use that are not kept: a server without a store keeps only those that are empty. */
  async #read(after) {
    const query = `text=${encodeURIComponent(this.#text)}${after ? `&after=${encodeURIComponent(after)}` : ""}`;
    const { rooms, next } = await this.#cluster.get(`kept-rooms?${query}`);
    if (after) return { items: rooms, next };
    const { answers, silent } = await this.#cluster.askAll(`rooms?sort=id&limit=100&text=${encodeURIComponent(this.#text)}`);
    const used = merge(answers, "id", 100).rooms;
    const inUse = new Set(used.map((room) => room.id));
    return { items: [...used.map((room) => ({ ...room, isUsed: true })), ...rooms.filter((room) => !inUse.has(room.id))], next, silent };
  }

  #showPeople(found) {
    this.#nobody.hidden = found.length > 0;
    this.#people.replaceChildren(...found.map((connection) => {
      const rooms = connection.rooms.map((id) => this.#link(id));
      const deeds = make("td", { className: "deeds" },
        this.#deed("Disconnect…", `Disconnect ${connection.person}…`, () => this.#actions.disconnect(connection.person)),
        this.#deed("Ban…", `Ban ${connection.person}…`, () => this.#actions.ban("person", connection.person)),
        this.#deed("Ban address…", `Ban ${connection.address}…`, () => this.#actions.ban("address", connection.address)));
      return make("tr", {}, make("th", { scope: "row", textContent: connection.name === connection.person ? connection.person : `${connection.name} (${connection.person})` }),
        make("td", { textContent: connection.address }), make("td", { textContent: connection.transport }), make("td", {}, ...rooms),
        make("td", { textContent: connection.node ?? "" }), deeds);
    }));
  }

  #showRooms(rooms, { silent }) {
    // Only the first page asks for rooms in use.
    if (silent) this.#silentOfRooms = silent;
    this.#none.hidden = rooms.length > 0;
    this.#kept.replaceChildren(...rooms.map((room) => make("tr", {}, make("th", { scope: "row" }, this.#link(room.id)),
      make("td", { textContent: room.name ?? "" }), make("td", { textContent: number(room.elements) }),
      make("td", { textContent: room.isUsed ? "in use" : room.active === false ? "closed" : "empty" }))));
  }

  #link(id) {
    const button = make("button", { className: "link", textContent: id, title: id });
    button.addEventListener("click", () => this.#open(id));
    return button;
  }

  /** A button for what ends connections. Once it is done, the search is asked again: its results show who is still there. */
  #deed(text, label, act) {
    const button = make("button", { textContent: text, ariaLabel: label, className: "grave" });
    button.addEventListener("click", async () => {
      if ((await act()) && !this.#section.hidden) await this.#ask();
    });
    return button;
  }
}
