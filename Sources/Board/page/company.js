// For a user who is alone: a hint to open a second window, and an invitation of bots if the server
// has them.

const BOTS = "/board/bots";
/** How many bots a user who is alone invites at once. */
const COMPANY = 3;
const KNOWS = "rooms-knows";

export class Company {
  #stage;
  #announcer;
  #room = null;
  #hint = document.getElementById("alone");
  #away = document.getElementById("bots-away");

  /** `hasBots`: the server lets bots be invited. */
  constructor({ hasBots, stage, announcer }) {
    this.#stage = stage;
    this.#announcer = announcer;
    for (const [id, count] of [["bot", 1], ["bots-alone", COMPANY]]) {
      const button = document.getElementById(id);
      button.hidden = !hasBots;
      button.addEventListener("click", () => this.#invite(count));
    }
    // What shows at once what the page is for stands first.
    document.getElementById("bots-alone").classList.toggle("primary", hasBots);
    document.getElementById("second").classList.toggle("primary", !hasBots);
    this.#away.addEventListener("click", () => this.#sendAway());
    document.getElementById("alone-close").addEventListener("click", () => {
      this.#learn();
      document.getElementById("board").focus();
    });
  }

  /** The participants or the elements of the room have changed. */
  look(room) {
    this.#room = room;
    if (room.people.size > 1) this.#learn();
    this.#hint.hidden = !room.isJoined || room.people.size !== 1 || sessionStorage.getItem(KNOWS) !== null;
    this.#away.hidden = ![...room.people.keys()].some((userId) => /^Bot \w+#[0-9a-f]{6}$/.test(userId));
  }

  /** A user who has seen a second touch needs no hint any more. */
  #learn() {
    sessionStorage.setItem(KNOWS, "yes");
    this.#hint.hidden = true;
  }

  /** They keep to what is seen now, less the bars and some air. */
  async #invite(count) {
    const { x, y, zoom } = this.#stage;
    const [width, height] = [(this.#stage.width - 80) / zoom, (this.#stage.height - 220) / zoom];
    await this.#ask(BOTS, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ roomId: this.#room.id, count, x, y, width, height }),
    });
  }

  #sendAway() {
    return this.#ask(`${BOTS}?roomId=${encodeURIComponent(this.#room.id)}`, { method: "DELETE" });
  }

  async #ask(address, options) {
    try {
      const answer = await fetch(address, options);
      if (answer.ok) return;
      const { error } = await answer.json().catch(() => ({}));
      this.#announcer.warn(error ?? `The server has no bots now (${answer.status}).`);
    } catch {
      this.#announcer.warn("You cannot invite bots without a connection.");
    }
  }
}
