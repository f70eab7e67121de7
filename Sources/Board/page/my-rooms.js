// The rooms of the user, a form that makes another, and the page for a room that does not open.

import { agoInWords } from "./devices.js";
import { Form, working } from "./forms.js";
import { Newest } from "./newest.js";
import { Ended } from "./session.js";

const $ = (id) => document.getElementById(id);
const UNNAMED = "A room without a name";
/** So often the page asks whether the user was added meanwhile. */
const LOOK_PAUSE = 5_000;

export class MyRooms {
  #pages;
  #session;
  #form;
  #away;
  #newest = new Newest();
  #cursor = null;
  /** Looks again at once whether the room opens. */
  #look = () => {};
  /** A retry of a request that got no answer makes no second room: it has the same key as long as the name is the same. */
  #attempt = { name: null, key: null };

  /** `away()` is called when one of the pages is shown in place of a room. */
  constructor(pages, session, { away }) {
    this.#pages = pages;
    this.#session = session;
    this.#away = away;
    this.#form = new Form($("make-room-form"), { working: "Making the room…", send: ({ name }) => this.#make(name) });
    $("more-rooms").addEventListener("click", async () => {
      await working($("more-rooms"), "Looking…", () => this.#more(), (message) => ($("my-rooms-text").textContent = message));
      this.#nameButton();
    });
  }

  async show() {
    this.#away();
    this.#form.reset();
    $("my-rooms").replaceChildren();
    $("more-rooms").hidden = true;
    $("more-rooms").textContent = "Show more";
    $("my-rooms-text").textContent = "Looking for your rooms…";
    this.#pages.show("rooms");
    this.#cursor = null;
    try {
      await this.#more();
    } catch (error) {
      this.#fail(error);
    }
  }

  #fail(error) {
    if (error instanceof Ended) return;
    $("my-rooms-text").textContent = error.message;
    $("more-rooms").hidden = false;
    this.#nameButton();
  }

  /** The user is a member of one more room. */
  added(roomId) {
    if (this.#pages.current === "closed") this.#look();
    if (this.#pages.current !== "rooms") return;
    const known = [...$("my-rooms").querySelectorAll("a")].some(({ hash }) => hash === `#${encodeURIComponent(roomId)}`);
    if (!known) this.#again();
  }

  /** The first page of the rooms anew, while the form keeps what is written in it. */
  async #again() {
    this.#cursor = null;
    try {
      await this.#more();
    } catch (error) {
      this.#fail(error);
    }
  }

  /** Without a cursor the button asks for the first page again. */
  #nameButton() {
    $("more-rooms").textContent = this.#cursor ? "Show more" : "Try again";
  }

  async #more() {
    const cursor = this.#cursor;
    const path = `/api/rooms${cursor ? `?cursor=${encodeURIComponent(cursor)}` : ""}`;
    await this.#newest.show(this.#session.request("GET", path), (page) => this.#showPage(page, !cursor));
  }

  #showPage({ data, nextCursor = null }, isFirst) {
    if (isFirst) $("my-rooms").replaceChildren();
    this.#cursor = nextCursor;
    const rows = data.filter(({ isActive }) => isActive).map(roomRow);
    const hadFocus = document.activeElement === $("more-rooms");
    $("my-rooms").append(...rows);
    $("more-rooms").hidden = !nextCursor;
    const isEmpty = !$("my-rooms").childElementCount && !nextCursor;
    $("my-rooms-text").textContent = isEmpty ? "You are in no room yet. Make one, or ask a user to add you to theirs." : "";
    if (hadFocus) rows[0]?.querySelector("a").focus();
  }

  async #make(name) {
    if (this.#attempt.name !== name) this.#attempt = { name, key: randomKey() };
    const { key } = this.#attempt;
    const { hash } = location;
    const { data } = await this.#session.request("POST", "/api/rooms", { name, userIds: [] }, { "Idempotency-Key": key });
    this.#attempt = { name: null, key: null };
    // The user may have gone to another room meanwhile.
    if (location.hash === hash) location.hash = encodeURIComponent(data.id);
  }

  /**
   * Gives a room once it opens for the user, and shows why while it does not.
   *
   * @param {AbortSignal} signal ends it without a room: the user went elsewhere.
   */
  opened(roomId, username, signal) {
    const ask = () => this.#session.request("GET", `/api/rooms/${encodeURIComponent(roomId)}`);
    return this.#asked(ask, signal, {
      403: ["You are not a member of this room", `Ask a member to add you: your username is ${username}. The room opens here as soon as you are added.`],
      404: ["There is no such room", "It was closed, or its address is not complete."],
    });
  }

  /** Gives the room of a link once the user is a member of it, and shows why while the link does not work. */
  accepted(token, signal) {
    return this.#asked(() => this.#session.request("POST", "/api/invitations/accept", { token }), signal, {
      404: ["This link lets nobody in any more", "It has ended, it was used up or taken back, or it is not complete. Ask for another one."],
      409: ["The room takes nobody in", "It is full, or it was closed."],
    });
  }

  async #asked(ask, signal, reasons) {
    while (!signal.aborted) {
      try {
        return (await ask()).data;
      } catch (error) {
        if (error instanceof Ended || signal.aborted) return null;
        this.#tellClosed(error, reasons);
      }
      await this.#nextLook(signal);
    }
    return null;
  }

  #tellClosed({ status, message }, reasons) {
    const [title, text] = reasons[status] ?? ["The room does not open", "This page tries again by itself."];
    if ($("closed-title").textContent !== title) $("closed-title").textContent = title;
    if ($("closed-text").textContent !== text) $("closed-text").textContent = text;
    const fault = status in reasons ? "" : message;
    if ($("closed-fault").textContent !== fault) $("closed-fault").textContent = fault;
    // A server that does not answer now may still have the user in the room.
    if (status in reasons) this.#away();
    this.#pages.show("closed");
  }

  /** After a pause, or at once when the user asks for it. */
  #nextLook(signal) {
    return new Promise((resolve) => {
      const ends = new AbortController();
      const next = () => {
        clearTimeout(timer);
        ends.abort();
        resolve();
      };
      const timer = setTimeout(next, LOOK_PAUSE);
      this.#look = next;
      $("closed-again").addEventListener("click", next, { signal: ends.signal });
      signal.addEventListener("abort", next, { signal: ends.signal });
    });
  }
}

function roomRow({ id, name, updatedAt, elementCount }) {
  const row = document.createElement("li");
  const link = document.createElement("a");
  link.href = `#${encodeURIComponent(id)}`;
  link.textContent = name ?? UNNAMED;
  const facts = document.createElement("span");
  facts.className = "quiet";
  facts.textContent = `${elementCount === 1 ? "1 thing" : `${elementCount} things`} on it, last changed ${agoInWords(updatedAt)}`;
  row.append(link, facts);
  return row;
}

/** Pages without TLS have no `randomUUID`. */
function randomKey() {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("");
}
