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

  /** Twelve seconds of wandering, in the middle of it a note; then a rest. */
  #live() {
    const time = (performance.now() - this.#began) / 1_000;
    const round = time % 15;
    if (time < 0 || !this.#room.isJoined) return;
    if (round > 12) return this.#room.end();
    const { x, y } = this.#at(time);
    const isCarrying = this.#note && round > 7 && round < 9;
    this.#room.move(Math.round(x * 10) / 10, Math.round(y * 10) / 10, isCarrying ? this.#idOfNote() : undefined);
    if (round > 3 && !this.#note) this.#write(x, y);
    if (isCarrying) this.#room.update(this.#note, { positionX: Math.round(x - 30), positionY: Math.round(y - 20) });
  }

  #at(time) {
    const t = time * this.#pace + this.#number * 2.1;
    return {
      x: this.#place.x + 250 * Math.sin(t * 0.9) + 60 * Math.sin(t * 2.3),
      y: this.#place.y + 130 * Math.sin(t * 1.27 + 1) + 40 * Math.cos(t * 2.9),
    };
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
