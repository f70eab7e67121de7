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

/** The nodes that have not answered, and what that means. */
function silence(nodes, advice) {
  if (!nodes.length) return "";
  return ` ${nodes.length === 1 ? `Node ${nodes[0]} has` : `Nodes ${nodes.join(", ")} have`} not answered: ${advice}.`;
}

export class Actions {
  #door;
  #ban = document.getElementById("ban");

  constructor(door) {
    this.#door = door;
    // Enter in a field bans; the first button that sends would be pressed by it.
    document.getElementById("ban-cancel").addEventListener("click", () => this.#ban.close());
    document.getElementById("message").addEventListener("submit", async (event) => {
      event.preventDefault();
      const field = document.getElementById("message-text");
      const { value } = field;
      if ((await this.message(value.trim())) && field.value === value) field.value = "";
    });
  }

  tell(text) {
    tell(text);
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
      return ended + silence(silentNodes, "disconnect the user again later");
    });
  }

  /** Asks whom, for how long and why; what is known already is filled in. */
  async ban(kind = "person", subject = "") {
    const form = document.getElementById("ban-form");
    form.reset();
    [form.elements.kind.value, form.elements.subject.value] = [kind, subject];
    this.#ban.returnValue = "";
    this.#ban.showModal();
    (subject ? form.elements.minutes : form.elements.subject).focus();
    await new Promise((resolve) => this.#ban.addEventListener("close", resolve, { once: true }));
    if (this.#ban.returnValue !== "yes") return false;
    const { kind: { value: chosen }, subject: { value: whom }, minutes, reason } = form.elements;
    return this.#act("ban", { [chosen]: whom.trim(), minutes: Number(minutes.value), reason: reason.value.trim() }, ({ count, silentNodes = [] }) =>
      `${whom.trim()} is banned. ${count} ${count === 1 ? "connection" : "connections"} ended.${silence(silentNodes, "it learns of the ban within seconds")}`);
  }

  async lift(kind, subject) {
    if (!(await confirm(`Lift the ban of ${subject}?`, "Clients can come in again at once.", "Lift the ban"))) return false;
    return this.#act("lift-ban", { [kind]: subject }, () => `${subject} may come in again.`);
  }

  async message(text) {
    if (!(await confirm("Tell everybody?", `All connected clients get: “${text}”`, "Send the message"))) return false;
    return this.#act("message", { text }, ({ count, silentNodes = [] }) =>
      `${count} ${count === 1 ? "client has" : "clients have"} been told.${silence(silentNodes, "send it again later, if it matters")}`);
  }

  /** - node: another node; undefined for this server. */
  async drain(node) {
    const name = node === undefined ? "this server" : `node ${node}`;
    if (!(await confirm(`Drain and stop ${name}?`, "The server accepts no new clients, disconnects the present ones one after another, and stops. It does not start again by itself.", "Drain and stop"))) return false;
    return this.#act("drain", node === undefined ? {} : { node }, () => (node === undefined ? "The server is draining." : `Node ${node} is draining.`));
  }
}
