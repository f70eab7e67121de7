// What cannot be taken back is asked about first, and told of afterwards.

const dialog = document.getElementById("sure");
const notice = document.getElementById("notice");
let fading = 0;

export function tell(text) {
  notice.textContent = text;
  clearTimeout(fading);
  fading = setTimeout(() => (notice.textContent = ""), 6_000);
  // A dialog that is open lies above all else.
  const top = [...document.querySelectorAll("dialog[open]")].at(-1) ?? document.body;
  if (notice.parentElement !== top) top.append(notice);
}

/** A promise of whether it is meant. The safe answer has the focus. */
export function confirm(title, text, yes) {
  document.getElementById("sure-title").textContent = title;
  document.getElementById("sure-text").textContent = text;
  document.getElementById("sure-yes").textContent = yes;
  dialog.returnValue = "";
  dialog.showModal();
  return new Promise((resolve) => dialog.addEventListener("close", () => resolve(dialog.returnValue === "yes"), { once: true }));
}

export class Actions {
  #door;

  constructor(door) {
    this.#door = door;
  }

  async #act(path, fields, done) {
    try {
      tell(done(await this.#door.post(path, fields)));
      return true;
    } catch (error) {
      tell(error.message);
      return false;
    }
  }

  async closeRoom(id) {
    if (!(await confirm(`Close ${id}?`, "All participants have to leave, and are told that an operator has closed the room. Its contents are kept, and users with access can open it again.", "Close the room"))) return false;
    return this.#act("close-room", { id }, () => `${id} is closed.`);
  }

  async disconnect(person) {
    if (!(await confirm(`Disconnect ${person}?`, "All connections of this user end, in all rooms. The clients do not come back by themselves, but with a valid token the user can connect again.", "Disconnect"))) return false;
    return this.#act("disconnect", { person }, ({ count, silentNodes = [] }) => {
      const ended = `${person}: ${count} ${count === 1 ? "connection" : "connections"} ended.`;
      if (!silentNodes.length) return ended;
      const nodes = silentNodes.length === 1 ? `Node ${silentNodes[0]} has` : `Nodes ${silentNodes.join(", ")} have`;
      return `${ended} ${nodes} not answered: disconnect the user again later.`;
    });
  }

  async drain() {
    if (!(await confirm("Drain and stop this server?", "The server accepts no new clients, disconnects the present ones one after another, and stops. It does not start again by itself.", "Drain and stop"))) return false;
    return this.#act("drain", {}, () => "The server is draining.");
  }
}
