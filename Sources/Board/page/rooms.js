// Rooms for web pages: people in a room see each other's touches move and share what is on its canvas.
//
//   import { Client } from "./rooms.js";
//
//   const client = new Client({ url: "https://rooms.example", token: "ada" });
//   const room = client.join("lobby");
//   room.on("touch", ({ userId, x, y }) => …);
//   room.move(120, 80);
//   const key = room.create({ type: "note", positionX: 120, positionY: 80, width: 200, height: 120, content: "Hi" });
//
// The client connects again by itself, and is in its rooms then. What is created, changed and deleted is there at once;
// the server hears of it when there is a connection, once, in whatever way the connection was lost. See docs/BOARD.md.

import { Room } from "./room.js";
import { Lost, Socket } from "./socket.js";
import { Source } from "./source.js";

export { Lost };

/** A server lets a connection be in no more rooms. */
const ROOMS_MAX = 1_000;

/**
 * A connection, and the rooms that it is in.
 *
 * `state` (state, detail): `connecting`, `online`, `offline`, `refused`, `closed`
 * `error` (error, event): the server refused something that asked for no answer
 * `added` ({roomId, name, addedBy}): the user is a member of a room now, by another user or on another page
 * `draining` (milliseconds): the server is about to stop; the client will find the next one by itself
 * `message` ({text, at}): an operator tells everybody
 */
export class Client extends Source {
  #socket;
  #rooms = new Map();
  /** What tells the server that a room was left, by the room's id, until it has answered: a connection that comes back is in its rooms again. */
  #left = new Map();
  #token;
  #isTokenName;
  /** The token of this connection, and the newest one. */
  #shown = null;
  #wanted = null;

  /**
   * @param {object} options
   *   url: of the server, by default the page's own; path: of Socket.IO there;
   *   token: a text, or a function that gives one or a promise of one whenever one is needed: it is called with
   *   `{isExpiring: true}` when the one that it gave is about to end;
   *   isTokenName: whether a token is the name of a user, as on a server with open access;
   *   decimals: 0 to 4, to which the positions of others are rounded;
   *   room: the room by which a load balancer in front of several servers may choose one, until the client has joined a room;
   *   transports: by default `["websocket", "polling"]`.
   */
  constructor({ url = globalThis.location?.origin, path = "/socket.io/", token, isTokenName = false, decimals = 2, room, transports } = {}) {
    super();
    [this.#token, this.#isTokenName] = [token, isTokenName];
    this.#socket = new Socket(new URL(path, url).href, {
      // Members of a room on one server cause no traffic between servers.
      room: () => this.#rooms.keys().next().value ?? room,
      transports,
      auth: async () => {
        this.#wanted = await this.#newToken();
        const shown = this.#shown = this.#owners.find((name) => name !== this.#wanted) ?? this.#wanted;
        return { ...(shown && { token: shown }), rooms: { touch: "binary", decimals, text: "edits", recovery: true } };
      },
      state: (state, detail) => this.#became(state, detail),
      event: (name, ...rest) => this.#event(name, ...rest),
      connected: (isRecovered) => this.#connected(isRecovered),
      // This name cannot come back for its answers.
      barred: () => [...this.#rooms.values()].forEach((room) => room.elements.adopt()),
    });
    this.#socket.open();
  }

  get state() {
    return this.#socket.state;
  }

  #newToken(why = {}) {
    return typeof this.#token === "function" ? this.#token(why) : this.#token;
  }

  /** The names that have to come back for the answers to what was sent under them. */
  get #owners() {
    return [...this.#rooms.values()].flatMap((room) => room.elements.owners);
  }

  /** Connects again if another name has to be here: one that waits for answers, or the newest. */
  #reopenIfOther() {
    if (this.#isTokenName && [...this.#owners, this.#wanted].some((name) => name !== this.#shown)) this.reopen();
  }

  /** After `refused`: tries again, with a new token if `token` is a function. */
  open() {
    this.#socket.open();
  }

  /** Disconnects, and is in its rooms again after `open`. */
  leave() {
    this.#socket.close();
  }

  /** Comes back as the user of a new token. The one before leaves when what it has sent has its answer, on a later connection if need be. */
  async reopen() {
    if (this.#isTokenName) this.#wanted = await this.#newToken();
    await Promise.all([...this.#rooms.values()].map((room) => room.rest()));
    this.leave();
    for (const room of this.#rooms.values()) room.self = null;
    this.open();
  }

  /** Leaves all rooms and disconnects. */
  close() {
    this.#socket.close();
    this.#rooms.clear();
  }

  join(roomId) {
    if (this.#rooms.has(roomId)) return this.#rooms.get(roomId);
    this.#left.delete(roomId);
    const name = () => (this.#isTokenName ? this.#shown : null);
    const isStandIn = () => this.#isTokenName && this.#shown !== this.#wanted;
    this.#rooms.set(roomId, new Room(roomId, this.#socket, () => this.#forget(roomId), { name, isStandIn }));
    return this.#rooms.get(roomId);
  }

  #forget(roomId) {
    this.#rooms.delete(roomId);
    this.#tellLeft(roomId);
  }

  /** A client that is not in the room is refused, which does no harm. */
  #tellLeft(roomId) {
    const asked = this.#socket.ask("room:leave", { roomId });
    this.#left.set(roomId, asked);
    if (this.#left.size > ROOMS_MAX) this.#left.delete(this.#left.keys().next().value);
    asked.then(({ error }) => {
      const isOut = !error || error.code === "FORBIDDEN";
      if (isOut && this.#left.get(roomId) === asked) this.#left.delete(roomId);
    }, () => {});
  }

  #became(state, detail) {
    if (state !== "online") for (const room of this.#rooms.values()) room.lost();
    this.tell("state", state, detail);
  }

  #connected(isRecovered) {
    for (const room of this.#rooms.values()) room.connected(isRecovered);
    for (const roomId of this.#left.keys()) this.#tellLeft(roomId);
  }

  #event(name, argument, detail) {
    switch (name) {
      case "auth:expiring":
        return this.#refresh();
      case "server:draining":
        return this.tell("draining", argument.reconnectIn);
      case "room:added":
      case "server:message":
        return this.tell(name.split(":")[1], argument);
      case "error":
        return this.#error(detail);
      case "touch:tick":
        return this.#rooms.get(argument)?.tick(detail);
      default:
        this.#rooms.get(argument?.roomId)?.event(name, argument);
        if (name === "room:joined") this.#reopenIfOther();
    }
  }

  async #refresh() {
    if (typeof this.#token === "function") this.#socket.emit("auth:refresh", { token: await this.#newToken({ isExpiring: true }) });
  }

  #error(error) {
    // It does not say which room: joins are answered in their order.
    const joining = [...this.#rooms.values()].find((room) => room.isJoining);
    if (error?.event !== "room:join" || !joining) return this.tell("error", error, error?.event);
    joining.refused(error);
    this.#reopenIfOther();
  }
}
