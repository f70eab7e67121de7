// A room of a `Client`: who is in it, what is on its canvas, and one's own touch, words and changes.

import { Elements } from "./elements.js";
import { OwnCaret } from "./own-caret.js";
import { OwnTouch } from "./own-touch.js";
import { Sight } from "./sight.js";
import { Source } from "./source.js";

/** Why a room is closed that everybody may join again. */
const REREAD = "the room has to be read anew";
/** After these refusals a room is asked again. */
const REJOIN_PAUSES = { SHUTTING_DOWN: 1_000, SERVER_ERROR: 2_000, ROOM_FULL: 5_000 };

/**
 * A room, also while there is no connection.
 *
 * `joined` (room): the whole state is here, the first time and after a time away
 * `person` (participant, how): how is `joined` or `left`
 * `touch` ({userId, x, y, elementId}), `touchend` ({userId})
 * `element` (element, how, {by, text}): how is `added`, `changed` or `removed`; by: `self`, `others`, or `server`, which refused it;
 *   text: what was written here and goes with a removed element before the server had it
 * `text` (key, changes, userId): a user has changed the text of an element, from what was shown here before; see `write`
 * `caret` ({userId, key, position, anchor}): where a user writes; without `key` the user does not write any more
 * `refused` (error, event, element, text): a change that the server did not take, with the text that goes with it; with the code `WRITTEN`
 *   a deletion that was not made, because others had written in the element meanwhile
 * `kept` (key, record): what to keep, outside of the page, until the server has it; null when it has: see `restore`
 * `recorded` (recording): `{recordingId, startedAt, startedBy}`, or null when the room is not recorded any more
 * `renamed` (name), `closed` (reason, code): it may be joined again with `open`; `opening`: that is tried
 */
export class Room extends Source {
  /** Participants by their user id. */
  people = new Map();
  /** `userId` and `color` of this client's own person, once joined. */
  self = null;
  name = null;
  recording = null;
  isJoined = false;
  isJoining = false;
  /** `{reason, code}` when the room does not let this client in, or put it out; it stays so until it is joined again. */
  closed = null;

  #socket;
  #forget;
  #elements;
  #slots = new Map();
  #sight;
  #touch;
  #rejoin = null;
  #caret;

  /** forget(): the client leaves the room; `name`, `isStandIn`: of the client, see `Sender`. */
  constructor(id, socket, forget, { name, isStandIn } = {}) {
    super();
    this.id = id;
    this.#socket = socket;
    this.#forget = forget;
    const told = (name) => (...what) => this.tell(name, ...what);
    this.#elements = new Elements({
      ask: (event, fields) => socket.ask(event, { roomId: id, ...fields }),
      self: () => this.self?.userId, name, isStandIn,
      changed: told("element"), refused: told("refused"), kept: told("kept"), text: told("text"),
    });
    this.#touch = new OwnTouch(socket, id, () => this.isJoined);
    this.#sight = new Sight({
      user: (slot) => this.#other(slot),
      moved: told("touch"), gone: (userId) => this.tell("touchend", { userId }),
      ask: (area) => socket.ask("view:set", { roomId: id, ...area }),
    });
    this.#caret = new OwnCaret({
      get: (key) => (this.isJoined ? this.#elements.get(key) : undefined),
      send: (caret) => this.isJoined && socket.emit("element:caret", { roomId: id, ...caret }),
    });
    if (socket.state === "online") this.connected(false);
  }

  // Joining

  /** For the client: there is a connection; recovered, it is in the room already and gets what it missed. */
  connected(isRecovered) {
    clearTimeout(this.#rejoin);
    // The place was given to another device, or the room was closed: only the person wants it back.
    if (this.closed?.code === "CLOSED") return;
    if (isRecovered && this.self) return this.#open();
    this.isJoining = true;
    this.#socket.emit("room:join", { roomId: this.id });
  }

  /** For the client. */
  lost() {
    clearTimeout(this.#rejoin);
    this.isJoined = this.isJoining = false;
    this.#elements.close();
    this.#caret.pause();
    this.#sight.close();
  }

  /** For the client: the room cannot be joined, now or at all. */
  refused(error) {
    this.isJoining = false;
    const wait = error.details?.retryAfter ?? REJOIN_PAUSES[error.code] ?? null;
    if (wait === null) this.#elements.adopt();
    else this.#rejoin = setTimeout(() => this.connected(false), wait);
    if (wait === null || error.code === "ROOM_FULL") this.#close(error.message, error.code);
  }

  #close(reason, code) {
    this.closed = { reason, code };
    this.tell("closed", reason, code);
  }

  /** After `closed`: joins the room again, if it lets one in now. */
  open() {
    this.closed = null;
    this.tell("opening");
    if (!this.isJoined && !this.isJoining && this.#socket.state === "online") this.connected(false);
  }

  /** For the client. */
  rest() {
    return this.#elements.rest();
  }

  leave() {
    this.lost();
    this.#forget();
  }

  #open() {
    this.closed = null;
    this.isJoined = true;
    this.isJoining = false;
    this.#elements.open();
    // A touch and a caret ended with the connection that they were made on.
    this.#touch.renew();
    this.#caret.renew();
    this.#sight.open();
  }

  // What comes

  /** For the client. */
  event(name, argument) {
    switch (name) {
      case "room:joined": return this.#joined(argument);
      case "user:joined":
        this.#enter(argument);
        this.#sight.count(this.people.size - 1);
        return this.tell("person", argument, "joined");
      case "user:left": return this.#left(argument.userId);
      case "touch:moved": return this.tell("touch", argument);
      case "touch:ended": return this.tell("touchend", argument);
      case "recording:started": return this.#recorded(argument);
      case "recording:stopped": return this.recording?.recordingId === argument.recordingId && this.#recorded(null, argument.reason);
      case "element:created":
      case "element:updated":
      case "element:edited":
      case "element:deleted":
        return this.#elements[name.slice("element:".length)](argument);
      case "element:caret": return this.#caretMoved(argument);
      case "room:renamed":
        this.name = argument.name;
        return this.tell("renamed", argument.name);
      case "room:closed":
        this.lost();
        if (argument.reason === REREAD) return (this.#rejoin = setTimeout(() => this.connected(false), REJOIN_PAUSES.SHUTTING_DOWN));
        return this.#close(argument.reason, "CLOSED");
    }
  }

  #recorded(recording, reason) {
    this.recording = recording;
    this.tell("recorded", recording, reason);
  }

  #joined({ room, self, participants, elements, recording = null }) {
    this.name = room.name ?? null;
    this.recording = recording;
    this.self = self;
    this.people.clear();
    this.#slots.clear();
    for (const participant of participants) this.#enter(participant);
    this.#sight.count(this.people.size - 1);
    this.#elements.reset(elements);
    this.#open();
    this.tell("joined", this);
  }

  #enter(participant) {
    this.people.set(participant.userId, participant);
    this.#slots.set(participant.slot, participant.userId);
  }

  #left(userId) {
    const participant = this.people.get(userId);
    this.people.delete(userId);
    if (this.#slots.get(participant?.slot) === userId) this.#slots.delete(participant.slot);
    this.#sight.count(this.people.size - 1);
    if (participant) this.tell("person", participant, "left");
  }

  #other(slot) {
    const userId = this.#slots.get(slot);
    return userId === this.self?.userId ? undefined : userId;
  }

  /** For the client. A tick has one's own position too. */
  tick(attachment) {
    this.#touch.ticked(this.#sight.read(attachment));
  }

  // Touches

  /** One touches here now. The newest position counts: call it as often as there is one. */
  move(x, y, elementId) {
    this.#touch.move(x, y, elementId);
  }

  /** One touches no more. */
  end() {
    this.#touch.end();
  }

  /**
   * The page shows this part, `{x, y, width, height}`: in a room with many people only touches in it and around it come. Who leaves
   * it has a last `touch` outside; for who is not there any more when the part is looked at again comes `touchend`.
   */
  look(area) {
    this.#sight.look(area);
  }

  // Writing

  #caretMoved({ userId, elementId, position, anchor }) {
    if (userId === this.self?.userId) return;
    this.tell("caret", { userId, key: elementId ? this.#elements.keyOf(elementId) : undefined, position, anchor });
  }

  /** One writes here: in the text of an element, with a selection from `anchor`. Call it as often as the place changes. */
  caret(key, position, anchor) {
    this.#caret.set(key, position, anchor);
  }

  /** One writes no more. */
  endCaret() {
    this.#caret.end();
  }

  // Elements, by their keys

  get elements() {
    return this.#elements;
  }

  /** Takes up what was told as `kept` before, as `[key, record]`. */
  restore(records) {
    this.#elements.restore(records);
  }

  /** Gives the element's key, which may be chosen: the server makes one element for each. */
  create(fields, key) {
    return this.#elements.create(fields, key);
  }

  update(key, fields) {
    this.#elements.update(key, fields);
  }

  /** Changes a text by lengths to keep, negative lengths to remove, and texts to insert. It is merged with what others write at the same time; `update` with `content` is, too. */
  write(key, changes) {
    this.#elements.write(key, changes);
  }

  delete(key) {
    this.#elements.delete(key);
  }
}
