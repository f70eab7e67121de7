// Adding users to the room by their usernames, in the dialog that shares the room.

import { Form, working } from "./forms.js";
import { Newest } from "./newest.js";

const $ = (id) => document.getElementById(id);
const FOUND_MAX = 8;

export class Inviting {
  #session;
  #announcer;
  #form;
  #newest = new Newest();
  #roomId = null;
  #members = new Set();

  constructor(session, announcer) {
    this.#session = session;
    this.#announcer = announcer;
    this.#form = new Form($("invite-form"), { working: "Searching…", send: ({ username }) => this.#search(username) });
    $("invite-form").hidden = false;
    $("share-text").textContent = "Only members of the room can open its address. Add a user by name first.";
    $("alone-text").textContent = "Invite a user to this room: you see each other's moves live.";
    $("second").hidden = true;
    $("invite-alone").hidden = false;
    $("invite-alone").addEventListener("click", () => {
      $("share").click();
      $("invite-name").focus();
    });
  }

  /** The room that is open, as the server answers it. */
  begin({ id, participants }) {
    this.#roomId = id;
    this.#members = new Set(participants.filter(({ isActive }) => isActive).map(({ userId }) => userId));
    this.#form.reset();
    this.#newest.forget();
    $("found").replaceChildren();
    $("found-text").textContent = "";
  }

  async #search(username) {
    const query = `username=${encodeURIComponent(username)}&limit=${FOUND_MAX}`;
    await this.#newest.show(this.#session.request("GET", `/api/users/search?${query}`), ({ data, nextCursor }) => {
      $("found").replaceChildren(...data.map((user) => this.#row(user)));
      $("found-text").textContent = data.length === 0 ? "No other user has a username that begins so."
        : nextCursor ? "There are more: enter more of the name." : "";
    });
  }

  #row(user) {
    const row = document.createElement("li");
    const name = document.createElement("div");
    const [username, firstName] = [document.createElement("b"), document.createElement("span")];
    username.textContent = user.username;
    firstName.textContent = user.firstName;
    firstName.className = "quiet";
    name.append(username, firstName);
    row.append(name, this.#members.has(user.id) ? memberMark() : this.#addButton(user, row));
    return row;
  }

  #addButton(user, row) {
    const button = document.createElement("button");
    button.textContent = "Add";
    button.setAttribute("aria-label", `Add ${user.username} to the room`);
    const roomId = this.#roomId;
    button.addEventListener("click", () => working(button, "Adding…", async () => {
      await this.#session.request("POST", `/api/rooms/${encodeURIComponent(roomId)}/participants`, { userId: user.id });
      if (this.#roomId === roomId) this.#members.add(user.id);
      button.replaceWith(memberMark());
      $("invite-name").focus();
      $("found-text").textContent = `${user.username} is a member now, and finds the room among “My rooms”.`;
      this.#announcer.say(`${user.username} was added.`);
    }, (message) => ($("found-text").textContent = message)));
    return button;
  }
}

function memberMark() {
  const mark = document.createElement("span");
  mark.className = "mark";
  mark.textContent = "Member";
  return mark;
}
