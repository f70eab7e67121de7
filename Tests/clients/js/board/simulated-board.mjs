// A window of the board without its page: elements, undoing, drafts, and what the browser keeps of them.

import { Elements } from "./page/elements.js";
import { History } from "./page/history.js";
import { Lost } from "./page/socket.js";
import { Connection } from "./simulated-room.mjs";

export class SimulatedBoard {
  connection = null;
  isOffline = false;
  isJoined = false;
  /** Texts of notes that are gone, by their keys. */
  drafts = new Map();
  /** What the browser keeps. */
  #kept = new Map();
  #page = 0;
  #before = null;
  #self = null;
  #count = 0;
  #room;
  #random;

  constructor(name, room, random) {
    [this.name, this.user, this.wanted, this.#room, this.#random] = [name, name, name, room, random];
    this.load();
  }

  /** A new page takes up what the one before has left. Answers to that one change nothing any more. */
  load() {
    this.elements?.close();
    this.#page += 1;
    const page = this.#page;
    const here = (listener) => (...what) => this.#page === page && listener(...what);
    [this.#self, this.#before, this.isJoined] = [null, null, false];
    const elements = new Elements({
      ask: (event, fields) => this.#ask(event, fields),
      self: () => this.#self, name: () => this.user, isStandIn: () => this.user !== this.wanted,
      changed: here((element, how, { by, text }) => how === "removed" && by !== "self" && text?.trim() && this.#draft(text)),
      refused: here((error, event, element, text) => text && this.#draft(text)),
      kept: here((key, record) => (record ? this.#kept.set(key, structuredClone(record)) : this.#kept.delete(key))),
    });
    this.elements = elements;
    this.history = new History({
      get: (key) => elements.get(key), create: (fields, key) => elements.create(fields, key), update: (key, fields) => elements.update(key, fields),
      write: (key, changes) => elements.write(key, changes), delete: (key) => elements.delete(key),
    });
    const kept = structuredClone([...this.#kept].sort(([a], [b]) => (a < b ? -1 : 1)));
    this.drafts = new Map(kept.filter(([key]) => key.startsWith("draft-")));
    elements.restore(kept.filter(([key]) => !key.startsWith("draft-")));
  }

  #draft(text) {
    const key = `draft-${++this.#count}`;
    this.drafts.set(key, text);
    this.#kept.set(key, text);
  }

  settleDraft(key) {
    this.drafts.delete(key);
    this.#kept.delete(key);
  }

  get texts() {
    return [...[...this.elements].map(({ content }) => content ?? ""), ...this.drafts.values()];
  }

  get isSettled() {
    return this.isJoined && this.user === this.wanted && this.elements.pending === 0 && !this.connection.toClient.length && !this.connection.toServer.length;
  }

  #ask(event, fields) {
    const { connection } = this;
    if (!connection) return Promise.reject(new Lost("there is no connection"));
    const number = ++this.#count;
    return new Promise((answer, refuse) => {
      connection.asked.set(number, { answer, refuse });
      connection.toServer.push({ kind: "ask", number, event, fields: structuredClone(fields) });
    });
  }

  // The connection

  connect() {
    if (this.connection || this.isOffline) return;
    const before = this.#before;
    this.#before = null;
    const isRecovered = this.#room.lost.delete(before);
    this.user = this.elements.owners.find((name) => name !== this.wanted) ?? this.wanted;
    this.connection = isRecovered ? before : new Connection(this.user);
    this.#room.connections.add(this.connection);
    if (isRecovered) this.#open();
    else this.connection.toServer.push({ kind: "join" });
  }

  #open() {
    this.isJoined = true;
    this.elements.open();
  }

  /** Some of what is on its way still arrives. The server may keep the connection, for one who comes back. */
  disconnect({ isKept = false } = {}) {
    const { connection } = this;
    if (!connection) return;
    for (let rest = this.#random(connection.toServer.length + 1); rest > 0; rest -= 1) this.deliver();
    for (let rest = this.#random(connection.toClient.length + 1); rest > 0; rest -= 1) this.hear();
    this.#room.connections.delete(connection);
    // Who has not heard the answer to its last join has to ask again.
    const isAsking = connection.toClient.some(({ kind }) => kind === "joined");
    if (isKept && this.isJoined && connection.isJoined && !isAsking) {
      connection.toClient = connection.toClient.filter(({ kind }) => kind === "event");
      connection.toServer = [];
      this.#room.lost.add(connection);
      this.#before = connection;
    }
    this.#drop();
  }

  /** The server ends. What it has sent may arrive. */
  ended({ isKilled }) {
    this.#before = null;
    if (!this.connection) return;
    for (let rest = isKilled ? this.#random(this.connection.toClient.length + 1) : Infinity; rest > 0 && this.hear(); rest -= 1);
    this.#drop();
  }

  #drop() {
    const { asked } = this.connection;
    [this.connection, this.isJoined] = [null, false];
    this.elements.close();
    for (const { refuse } of asked.values()) refuse(new Lost("the connection is lost"));
    asked.clear();
  }

  /** Leaves the room and enters it again, with another page's worth of state, on the same connection. */
  enterAgain() {
    this.load();
    this.connection?.toServer.push({ kind: "leave" }, { kind: "join" });
  }

  rename(user) {
    this.wanted = user;
    this.#reopen();
  }

  /** As a client does: the user before leaves when what it has sent has its answer, maybe on a later connection. */
  async #reopen() {
    const { elements } = this;
    await elements.rest();
    if (elements !== this.elements) return;
    this.disconnect();
    this.#before = this.#self = null;
    this.connect();
  }

  /** The next message to the server arrives. Gives whether there was one. */
  deliver() {
    const message = this.connection?.toServer.shift();
    if (message) this.#room.receive(this.connection, message);
    return message !== undefined;
  }

  /** The next message from the server arrives. Gives whether there was one. */
  hear() {
    const { connection } = this;
    const message = connection?.toClient.shift();
    if (message?.kind === "answer") {
      connection.asked.get(message.number)?.answer(message.answer);
      connection.asked.delete(message.number);
    } else if (message?.kind === "joined") {
      this.#self = message.self;
      this.elements.reset(message.elements);
      this.#open();
      if ([...this.elements.owners, this.wanted].some((name) => name !== this.user)) this.#reopen();
    } else if (message && this.isJoined) {
      this.elements[message.event](message.argument);
    }
    return message !== undefined;
  }
}
