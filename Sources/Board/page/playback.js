// Plays a recording: a room in which what was recorded happens again, at any speed and from any moment. It needs no page.

import { Room } from "./room.js";
import { Source } from "./source.js";

/** What a room sends goes nowhere. */
const NOWHERE = { state: "offline", waiting: 0, emit() {}, ask: () => new Promise(() => {}) };
/** Events that one may want to jump to. Those of touches are too many. */
const MARKED = {
  "user:joined": ({ user, userId }) => `${user?.username ?? userId} joined`,
  "user:left": ({ userId }, names) => `${names.get(userId) ?? userId} left`,
  "element:created": ({ type, content }) => `New ${{ note: "note", photo: "photo", audio: "recording" }[type] ?? type}${content ? `: ${content}` : ""}`,
  "element:deleted": () => "Something was deleted",
  "room:renamed": ({ name }) => `The room is called ${name}`,
  "room:closed": () => "The room was closed",
};

/**
 * `room` (room, touches): another moment is shown: the whole room, and the touches in it as `{userId, x, y, elementId}`
 * `touch`, `touchend`, `person`, `element`, `renamed`: as those of a room
 * `state`: it plays or rests
 */
export class Playback extends Source {
  room = null;
  time = 0;
  isPlaying = false;

  #recording;
  #now;
  #next = 0;
  #speed = 1;
  #last = 0;

  /** `now` gives milliseconds of a clock that only goes forward. */
  constructor(recording, now = () => performance.now()) {
    super();
    this.#recording = recording;
    this.#now = now;
  }

  get duration() {
    return this.#recording.duration;
  }

  /** What one may jump to: `{time, text}`, in their order. */
  get marks() {
    const names = new Map();
    const marks = [];
    for (const { time, name, argument } of this.#recording.lines) {
      for (const person of name === "room:joined" ? argument.participants : name === "user:joined" ? [argument] : []) {
        names.set(person.userId, person.user?.username ?? person.userId);
      }
      if (MARKED[name]) marks.push({ time, text: MARKED[name](argument, names) });
    }
    return marks;
  }

  // Time

  play() {
    if (this.time >= this.duration) this.seek(0);
    this.isPlaying = true;
    this.#last = this.#now();
    this.tell("state");
  }

  pause() {
    this.advance();
    if (!this.isPlaying) return;
    this.isPlaying = false;
    this.tell("state");
  }

  get speed() {
    return this.#speed;
  }

  set speed(speed) {
    this.advance();
    this.#speed = speed;
  }

  /** Makes happen what is due. The page calls it with each frame. */
  advance() {
    const now = this.#now();
    if (this.isPlaying) this.time = Math.min(this.time + (now - this.#last) * this.#speed, this.duration);
    this.#last = now;
    const { lines } = this.#recording;
    while (this.#next < lines.length && lines[this.#next].time <= this.time) {
      const line = lines[this.#next++];
      // The whole state, which a recording has at its beginning and where it could not go on.
      if (line.name === "room:joined") this.#show(this.#begin(line), new Map());
      else if (this.room) happen(this.room, line);
    }
    if (!this.isPlaying || this.time < this.duration) return;
    this.isPlaying = false;
    this.tell("state");
  }

  /** Goes to a moment: from the last whole state before it, without what has been in between being shown. */
  seek(time) {
    const { lines } = this.#recording;
    this.time = Math.min(Math.max(time, 0), this.duration);
    this.#last = this.#now();
    let end = 0;
    let state = -1;
    while (end < lines.length && lines[end].time <= this.time) {
      if (lines[end].name === "room:joined") state = end;
      end += 1;
    }
    this.#next = end;
    if (state < 0) return void (this.#next = 0);
    const touches = new Map();
    const room = this.#begin(lines[state]);
    room.on("touch", (touch) => touches.set(touch.userId, touch));
    room.on("touchend", ({ userId }) => touches.delete(userId));
    room.on("person", ({ userId }, how) => how === "left" && touches.delete(userId));
    for (const line of lines.slice(state + 1, end)) happen(room, line);
    this.#show(room, touches);
  }

  #begin({ argument }) {
    const room = new Room(argument.roomId, NOWHERE, () => {});
    // The recorder may have been one of the participants; nobody here is.
    room.event("room:joined", { ...argument, self: null });
    return room;
  }

  #show(room, touches) {
    this.room = room;
    for (const name of ["touch", "touchend", "person", "element", "renamed"]) {
      room.on(name, (...what) => room === this.room && this.tell(name, ...what));
    }
    this.tell("room", room, [...touches.values()]);
  }
}

function happen(room, { name, argument }) {
  if (name !== "touch:batch") return room.event(name, argument);
  const users = new Map([...room.people.values()].map(({ slot, userId }) => [slot, userId]));
  for (const [slot, x, y, elementId] of argument.touches) {
    if (users.has(slot)) room.event("touch:moved", { userId: users.get(slot), x, y, elementId });
  }
}
