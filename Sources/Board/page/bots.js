// Company for who is alone: each bot is a participant like any other, with a connection of its own to the server. They
// run in a worker, which keeps its time when the page is not looked at.

import { Client } from "./rooms.js";

const NAMES = ["Bot Ada", "Bot Alan", "Bot Grace", "Bot Edsger", "Bot Barbara"];
const FRAME = 33;
const SAYINGS = ["Hello! I am a bot.", "My touches come through the server, as yours do.", "Drag me somewhere else.",
  "Open a second window: there will be three of us.", "Notes can be edited by everybody."];

const bots = [];

onmessage = ({ data: { invite, away } }) => {
  if (invite) bots.push(new Bot(bots.length, invite));
  if (away) for (const bot of bots.splice(0)) bot.leave();
};

class Bot {
  #client;
  #room;
  #timer;
  #note = null;
  #began = performance.now() + Math.random() * 1_000;
  #number;
  #aside = { x: 0, y: 0 };
  #place;
  #pace = 0.7 + Math.random() * 0.5;

  constructor(number, { url, path, roomId, x, y, mark }) {
    this.#number = number;
    this.#place = { x, y };
    const name = NAMES[number % NAMES.length];
    this.#client = new Client({ url, path, token: `${name}#${mark}` });
    this.#room = this.#client.join(roomId);
    this.#timer = setInterval(() => this.#live(), FRAME);
  }

  leave() {
    clearInterval(this.#timer);
    if (this.#note) this.#room.delete(this.#note);
    // The last deletion goes out first.
    setTimeout(() => this.#client.close(), 300);
  }

  /** Thirteen seconds of wandering: in them a note is written, fetched and carried a while. Then a rest. */
  #live() {
    const time = (performance.now() - this.#began) / 1_000;
    const round = time % 16;
    if (time < 0 || !this.#room.isJoined) return;
    if (round > 13) return this.#room.end();
    const way = this.#at(time);
    this.#reach(round, way);
    const [x, y] = [way.x + this.#aside.x, way.y + this.#aside.y];
    const isCarrying = this.#note && round > 7 && round < 10;
    this.#room.move(Math.round(x * 10) / 10, Math.round(y * 10) / 10, isCarrying ? this.#idOfNote() : undefined);
    if (round > 3 && !this.#note) this.#write(x, y);
    if (isCarrying) this.#room.update(this.#note, { positionX: Math.round(x - 95), positionY: Math.round(y - 40) });
  }

  #at(time) {
    const t = time * this.#pace + this.#number * 2.1;
    return {
      x: this.#place.x + 250 * Math.sin(t * 0.9) + 60 * Math.sin(t * 2.3),
      y: this.#place.y + 130 * Math.sin(t * 1.27 + 1) + 40 * Math.cos(t * 2.9),
    };
  }

  /** How far it leaves its way to get at its note, and how it comes back to it. */
  #reach(round, way) {
    const note = this.#note && this.#room.elements.get(this.#note);
    const goal = note && round > 5 && round < 7
      ? { x: note.positionX + 95 - way.x, y: note.positionY + 40 - way.y }
      : round > 10 ? { x: 0, y: 0 } : this.#aside;
    const share = round > 5 && round < 7 ? 1 / Math.max((7 - round) * 30, 1) : 0.06;
    this.#aside.x += (goal.x - this.#aside.x) * share;
    this.#aside.y += (goal.y - this.#aside.y) * share;
  }

  #idOfNote() {
    return this.#room.elements.get(this.#note)?.id;
  }

  #write(x, y) {
    this.#note = this.#room.create({
      type: "note", positionX: Math.round(x), positionY: Math.round(y), width: 190, height: 110,
      content: SAYINGS[this.#number % SAYINGS.length],
    });
  }
}
