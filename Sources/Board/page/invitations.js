// Links that let users into the room: making one and taking it back, in the dialog that shares the room.

import { Form, working } from "./forms.js";
import { Newest } from "./newest.js";
import { copy } from "./sharing.js";

const $ = (id) => document.getElementById(id);
const SIGN = "invite=";

/** The secret in an address that invites, or null. It is behind the #, which browsers send to no server. */
export function secretIn(address) {
  return address?.startsWith(SIGN) ? address.slice(SIGN.length) : null;
}

export class Invitations {
  #session;
  #announcer;
  #newest = new Newest();
  #room = null;

  constructor(session, announcer) {
    this.#session = session;
    this.#announcer = announcer;
    $("invite-by-link").hidden = false;
    new Form($("link-form"), { working: "Making the link…", send: (fields) => this.#make(fields) });
    $("copy-invitation").addEventListener("click", ({ currentTarget }) => this.#copy(currentTarget));
    $("share").addEventListener("click", () => this.#list());
  }

  /** The room that is open, as the server answers it, and the user who sees it. */
  begin({ id, createdBy, participants }, userId) {
    const names = new Map(participants.map((one) => [one.userId, one.user.username]));
    this.#room = { id, isOwn: createdBy === userId, userId, names };
    this.#newest.forget();
    $("new-invitation").hidden = true;
    $("invitations").replaceChildren();
    $("invitations-text").textContent = "";
  }

  get #path() {
    return `/api/rooms/${encodeURIComponent(this.#room.id)}/invitations`;
  }

  async #make({ days, users }) {
    for (const [field, value, most] of [["days", days, 30], ["users", users, 100]]) {
      if (!(Number(value) >= 1 && Number(value) <= most)) throw { field, message: `Enter a number from 1 to ${most}.` };
    }
    const body = { expiresIn: Number(days) * 86_400, maxUses: Number(users) };
    const path = this.#path;
    const { data } = await this.#session.request("POST", path, body);
    // The link is that of a room, and another one may be open by now.
    if (path !== this.#path) return;
    $("invitation").value = `${location.origin}/#${SIGN}${data.token}`;
    $("new-invitation").hidden = false;
    $("invitation").select();
    this.#announcer.say("The link is made. It is shown this once.");
    await this.#list();
  }

  async #copy(button) {
    if (await copy($("invitation").value, button)) this.#announcer.say("The link is copied.");
    // It is selected for Ctrl+C.
    else $("invitation").select();
  }

  async #list() {
    try {
      await this.#newest.show(this.#session.request("GET", this.#path), ({ data }) => (
        $("invitations").replaceChildren(...data.map((invitation) => this.#row(invitation)))));
    } catch (error) {
      $("invitations-text").textContent = error.message;
    }
  }

  #row({ id, createdBy, expiresAt, maxUses, uses }) {
    const { names, userId, isOwn } = this.#room;
    const row = document.createElement("li");
    const text = document.createElement("div");
    const maker = createdBy === userId ? "you" : names.get(createdBy) ?? "a member";
    const end = new Date(expiresAt).toLocaleDateString(undefined, { dateStyle: "medium" });
    text.textContent = `A link of ${maker}: ${uses} of ${maxUses} users, until ${end}`;
    row.append(text);
    if (isOwn || createdBy === userId) row.append(this.#revokeButton(id));
    return row;
  }

  #revokeButton(id) {
    const button = document.createElement("button");
    button.textContent = "Take back";
    button.addEventListener("click", () => working(button, "Taking it back…", async () => {
      const path = this.#path;
      await this.#session.request("DELETE", `${path}/${encodeURIComponent(id)}`);
      if (path !== this.#path) return;
      await this.#list();
      $("new-invitation").hidden = true;
      $("invitations-text").textContent = "The link lets nobody in any more.";
      $("link-form").querySelector("button").focus();
    }, (message) => ($("invitations-text").textContent = message)));
    return button;
  }
}
