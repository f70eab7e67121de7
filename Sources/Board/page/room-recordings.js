// The recordings that the server makes of the room: the sign that it is being recorded, and the dialog with all of them.

import { displayName } from "./identity.js";
import { working } from "./forms.js";
import { Newest } from "./newest.js";
import { request } from "./requests.js";

const $ = (id) => document.getElementById(id);
/** A player that is not ready by then is taken for one that does not open. */
const READY_MAX = 20_000;
const LOOK_PAUSE = 250;
const [NONE, OLDER] = ["There are no recordings of this room.", "Older ones are not shown."];
const ENDS = { empty: "everybody had left", closed: "the room was closed", size: "it had its full size", storage: "there was no more space", interrupted: "the server was interrupted" };

export class RoomRecordings {
  #token;
  #announcer;
  #person;
  #newest = new Newest();
  #room = null;
  #url = null;

  /** `token()` gives the token for requests, or a promise of it; `person(userId)` a participant. */
  constructor({ token, announcer, person }) {
    this.#token = token;
    this.#announcer = announcer;
    this.#person = person;
    $("this-room").hidden = false;
    for (const id of ["open-recordings", "recorded-open"]) $(id).addEventListener("click", () => this.#open());
    $("record-room").addEventListener("click", ({ currentTarget }) => this.#toggle(currentTarget));
  }

  /** Shows what becomes of a room's recording; `here` calls a listener as long as the room is shown. */
  follow(room, here) {
    this.#room = room;
    this.#newest.forget();
    this.#show();
    room.on("joined", here(() => this.#show()));
    room.on("closed", here(() => this.#show()));
    room.on("recorded", here((recording, reason) => {
      this.#show();
      if (recording) this.#announcer.say(`${this.#sentence(recording)} Everybody here sees this.`);
      else this.#announcer.say(`The recording has ended${ENDS[reason] ? `: ${ENDS[reason]}` : ""}.`);
      if ($("recordings-dialog").open) this.#list();
    }));
  }

  #show() {
    const recording = this.#room.closed ? null : this.#room.recording;
    $("room-recorded").hidden = !recording;
    $("recorded-text").textContent = recording ? this.#sentence(recording) : "";
    $("record-room").textContent = recording ? "Stop the recording" : "Record this room";
    $("record-room").disabled = Boolean(this.#room.closed);
  }

  #sentence({ startedBy, startedAt }) {
    const time = new Date(startedAt).toLocaleTimeString([], { hour: "2-digit", minute: "2-digit" });
    const who = startedBy === null ? "The server records" : this.#isSelf(startedBy) ? "You record" : `${this.#name(startedBy)} records`;
    return `${who} this room since ${time}.`;
  }

  #isSelf(userId) {
    return userId === this.#room.self?.userId;
  }

  #name(userId) {
    return this.#person(userId)?.user?.username ?? displayName(userId);
  }

  async #open() {
    $("rooms").hidePopover();
    $("recordings").replaceChildren();
    $("recordings-text").textContent = "";
    $("recordings-dialog").showModal();
    await this.#list();
  }

  async #ask(method, path = "", body) {
    return request(method, `/api/rooms/${encodeURIComponent(this.#room.id)}/recordings${path}`, { body, token: await this.#token() });
  }

  async #toggle(button) {
    const { recording } = this.#room;
    await working(button, recording ? "Stopping…" : "Beginning…", async () => {
      $("recordings-text").textContent = "";
      if (recording) await this.#ask("POST", `/${encodeURIComponent(recording.recordingId)}/stop`);
      else await this.#ask("POST");
      await this.#list();
    }, (message) => ($("recordings-text").textContent = message));
    this.#show();
  }

  async #list() {
    try {
      await this.#newest.show(this.#ask("GET", "?limit=50"), ({ data, nextCursor }) => {
        $("recordings").replaceChildren(...data.map((one) => this.#row(one)));
        const text = data.length === 0 ? NONE : nextCursor ? OLDER : "";
        // What else was told stays.
        if (text || [NONE, OLDER].includes($("recordings-text").textContent)) $("recordings-text").textContent = text;
      });
    } catch (error) {
      $("recordings-text").textContent = error.message;
    }
  }

  #row(recording) {
    const row = document.createElement("li");
    const what = document.createElement("div");
    const [when, about] = [document.createElement("b"), document.createElement("span")];
    when.textContent = new Date(recording.startedAt).toLocaleString([], { dateStyle: "medium", timeStyle: "short" });
    about.className = "quiet";
    const { startedBy } = recording;
    const by = !startedBy ? "by the server" : this.#isSelf(startedBy) ? "by you" : `by ${this.#name(startedBy)}`;
    const state = recording.isRunning ? "running" : `${length(recording.duration)}, ${size(recording.bytes)}`;
    about.textContent = `${state}, ${by}${ENDS[recording.reason] ? `; ${ENDS[recording.reason]}` : ""}`;
    what.append(when, about);
    const tools = document.createElement("div");
    tools.className = "row";
    tools.append(
      this.#button("Play", when.textContent, () => this.#play(recording)),
      this.#button("Download", when.textContent, () => this.#download(recording)));
    if (!recording.isRunning && startedBy && this.#isSelf(startedBy)) {
      tools.append(this.#button("Delete", when.textContent, () => this.#delete(recording)));
    }
    row.append(what, tools);
    return row;
  }

  #button(text, when, act) {
    const button = document.createElement("button");
    button.textContent = text;
    button.setAttribute("aria-label", `${text} the recording of ${when}`);
    button.addEventListener("click", () => working(button, "…", act, (message) => ($("recordings-text").textContent = message)));
    return button;
  }

  async #file(recording) {
    const answer = await fetch(recording.url, { headers: { Authorization: `Bearer ${await this.#token()}` }, cache: "no-store" });
    if (!answer.ok) throw new Error("The server does not give the recording.");
    return answer.blob();
  }

  /** The player is another page, which gets the file from this one. */
  async #play(recording) {
    const page = open("/board/player.html");
    if (!page) throw new Error("Your browser did not open the player. Download the recording, and open it there.");
    const [file] = await Promise.all([this.#file(recording), readiness(page)]);
    page.postMessage(file, location.origin);
  }

  async #download(recording) {
    const url = URL.createObjectURL(await this.#file(recording));
    if (this.#url) URL.revokeObjectURL(this.#url);
    this.#url = url;
    const link = Object.assign(document.createElement("a"), { href: url, download: `${recording.id}.rec` });
    link.click();
  }

  async #delete(recording) {
    await this.#ask("DELETE", `/${encodeURIComponent(recording.id)}`);
    await this.#list();
    $("recordings-text").textContent = "The recording is deleted.";
    $("record-room").focus();
  }
}

/** Resolves when the player says that it is ready. */
function readiness(page) {
  const ends = new AbortController();
  const end = performance.now() + READY_MAX;
  return new Promise((resolve, reject) => {
    addEventListener("message", ({ source, origin }) => source === page && origin === location.origin && resolve(), { signal: ends.signal });
    // A page that is closed tells nobody.
    const look = setInterval(() => {
      if (page.closed || performance.now() > end) reject(new Error("The player did not open, or was closed."));
    }, LOOK_PAUSE);
    ends.signal.addEventListener("abort", () => clearInterval(look));
  }).finally(() => ends.abort());
}

function length(seconds) {
  const minutes = Math.floor(seconds / 60);
  return minutes ? `${minutes} min` : `${Math.round(seconds)} s`;
}

function size(bytes) {
  return bytes < 1_000_000 ? `${Math.max(Math.round(bytes / 1_000), 1)} KB` : `${(bytes / 1_000_000).toFixed(1)} MB`;
}
