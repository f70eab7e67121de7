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
      const { count } = await this.#door.post(path, fields);
      tell(done(count));
      return true;
    } catch (error) {
      tell(error.message);
      return false;
    }
  }

  async closeRoom(id) {
    if (!(await confirm(`Close ${id}?`, "Everybody in it is sent out, and told that an operator has closed it. What is on it is kept, and whoever may come in can open it anew.", "Close the room"))) return false;
    return this.#act("close-room", { id }, () => `${id} is closed.`);
  }

  async disconnect(person) {
    if (!(await confirm(`Disconnect ${person}?`, "All connections of this person end, in all rooms. Clients do not come back by themselves, but whoever has a token may.", "Disconnect"))) return false;
    return this.#act("disconnect", { person }, (count) => `${person}: ${count} ${count === 1 ? "connection" : "connections"} ended.`);
  }

  async drain() {
    if (!(await confirm("Drain and stop this server?", "It takes in nobody any more, sends those who are there away one after another, and ends. Something else has to start it again.", "Drain and stop"))) return false;
    return this.#act("drain", {}, () => "The server drains.");
  }
}
