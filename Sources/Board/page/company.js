// For who is alone: a hint that there is more to see with two, and bots to see it with.

const BOTS_MAX = 5;
const KNOWS = "rooms-knows";

export class Company {
  #place;
  #stage;
  #announcer;
  #room = null;
  #worker = null;
  #count = 0;
  #hint = document.getElementById("alone");
  #away = document.getElementById("bots-away");

  /** `isOpen`: the server lets everybody in, so that bots need no more than a name, which ends in `mark`. */
  constructor({ isOpen, path, mark, stage, announcer }) {
    this.#place = { url: location.origin, path, mark };
    this.#stage = stage;
    this.#announcer = announcer;
    for (const id of ["bot", "bot-alone"]) {
      const button = document.getElementById(id);
      button.hidden = !isOpen;
      button.addEventListener("click", () => this.#invite());
    }
    this.#away.addEventListener("click", () => this.sendAway());
    document.getElementById("alone-close").addEventListener("click", () => {
      this.#learn();
      document.getElementById("board").focus();
    });
  }

  /** Who is in the room, or what is on its board, has changed. */
  look(room) {
    this.#room = room;
    if (room.people.size > 1) this.#learn();
    this.#hint.hidden = !room.isJoined || room.people.size !== 1 || sessionStorage.getItem(KNOWS) !== null;
  }

  /** Who has seen it once needs no hint any more. */
  #learn() {
    sessionStorage.setItem(KNOWS, "yes");
    this.#hint.hidden = true;
  }

  #invite() {
    if (this.#count === BOTS_MAX) return this.#announcer.warn("More bots do not come.");
    this.#worker ??= new Worker("/board/bots.js", { type: "module" });
    const { x, y } = this.#stage;
    this.#worker.postMessage({ invite: { ...this.#place, roomId: this.#room.id, x, y } });
    this.#count += 1;
    this.#away.hidden = false;
  }

  sendAway() {
    this.#worker?.postMessage({ away: true });
    this.#count = 0;
    this.#away.hidden = true;
  }
}
