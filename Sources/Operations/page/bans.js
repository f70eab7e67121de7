// Users and addresses that may not come in, and the log of what operators have done.

import { make } from "./chart.js";
import { moment } from "./format.js";
import { Newest } from "./newest.js";
import { Pages } from "./pages.js";

export class Bans {
  #door;
  #actions;
  #body = document.querySelector("#bans tbody");
  #none = document.getElementById("no-bans");
  #newest = new Newest();
  #shown = "";

  constructor(door, actions) {
    [this.#door, this.#actions] = [door, actions];
    document.getElementById("ban-new").addEventListener("click", () => actions.ban());
  }

  async look() {
    await this.#newest.show(this.#door.get("bans"), ({ bans }) => this.#show(bans));
  }

  #show(bans) {
    // The rows stay the same nodes while nothing changes.
    const text = JSON.stringify(bans);
    if (text === this.#shown) return;
    this.#shown = text;
    this.#none.hidden = bans.length > 0;
    this.#body.replaceChildren(...bans.map(({ kind, subject, reason, endsAt }) => {
      const button = make("button", { textContent: "Lift…", ariaLabel: `Lift the ban of ${subject}…` });
      button.addEventListener("click", () => this.#actions.lift(kind, subject));
      return make("tr", {}, make("th", { scope: "row", textContent: subject, title: subject }),
        make("td", { textContent: kind === "person" ? "user" : "address" }), make("td", { textContent: moment(endsAt * 1000) }),
        make("td", { textContent: reason }), make("td", {}, button));
    }));
  }
}

export class Audit {
  #door;
  #pages;
  #body = document.querySelector("#audit tbody");
  #newest = "";

  constructor(door) {
    this.#door = door;
    this.#pages = new Pages(document.getElementById("audit-more"), async (after) => {
      const { entries, next } = await door.get(`audit?limit=50${after ? `&after=${encodeURIComponent(after)}` : ""}`);
      return { items: entries, next };
    }, (entries) => this.#show(entries));
  }

  /** Looks whether there is anything new. */
  async look() {
    const newest = JSON.stringify(await this.#door.get("audit?limit=1"));
    if (newest === this.#newest) return;
    if (await this.#pages.begin()) this.#newest = newest;
  }

  #show(entries) {
    this.#body.replaceChildren(...entries.map(({ at, node, address, action, subject, outcome }) => make("tr", { className: outcome === "done" ? "" : "late" },
      make("th", { scope: "row", textContent: moment(at) }), make("td", { textContent: outcome }), make("td", { textContent: action }),
      make("td", { textContent: subject, title: subject }), make("td", { textContent: address || "the server" }), make("td", { textContent: node || "" }))));
  }
}
