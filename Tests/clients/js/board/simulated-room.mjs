// A room's server as boards see it, which stores late and may be killed: what it has told and not stored was never there then.

import { apply, transform } from "./page/text-edit.js";

class Refusal extends Error {
  constructor(code, details) {
    super(code);
    this.answer = { ok: false, error: { code, message: code, details } };
  }
}

/** A connection of a client: what is on its way in both directions, each in its order. */
export class Connection {
  toServer = [];
  toClient = [];
  isJoined = false;
  /** Those who wait for the answers to their requests, by the numbers of these. */
  asked = new Map();

  constructor(user) {
    this.user = user;
  }
}

export class SimulatedRoom {
  connections = new Set();
  /** Connections that were lost, with what they have missed: a client may take one up again. */
  lost = new Set();
  #state = { elements: new Map(), creations: new Map() };
  #stored = structuredClone(this.#state);
  /** Answers that wait until all is stored. */
  #waiting = [];
  #count = 0;

  get elements() {
    return [...this.#state.elements.values()].map(shown);
  }

  store() {
    this.#stored = structuredClone(this.#state);
    for (const [connection, answer] of this.#waiting.splice(0)) if (this.connections.has(connection)) connection.toClient.push(answer);
  }

  /** The next server knows what was stored, and no changes of texts: only which edits were made. */
  end({ isKilled }) {
    if (!isKilled) this.store();
    this.#state = structuredClone(this.#stored);
    this.#waiting = [];
    this.lost.clear();
    this.connections.clear();
    for (const element of this.#state.elements.values()) element.knownSince = element.version;
    this.#stored = structuredClone(this.#state);
  }

  receive(connection, message) {
    if (message.kind === "leave") connection.isJoined = false;
    else if (message.kind === "join") this.#join(connection);
    else if (connection.isJoined) this.#waiting.push([connection, { kind: "answer", number: message.number, answer: this.#answer(connection, message) }]);
    else connection.toClient.push({ kind: "answer", number: message.number, answer: new Refusal("FORBIDDEN").answer });
  }

  #join(connection) {
    connection.isJoined = true;
    connection.toClient.push({ kind: "joined", self: connection.user, elements: this.elements });
  }

  #answer({ user }, { event, fields }) {
    try {
      return { ok: true, ...structuredClone(this[event.slice("element:".length)](user, fields)) };
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      return structuredClone(error.answer);
    }
  }

  #tell(event, argument) {
    const message = { kind: "event", event, argument: structuredClone(argument) };
    for (const connection of this.connections) if (connection.isJoined) connection.toClient.push(message);
    for (const connection of this.lost) connection.toClient.push(message);
  }

  #get(id) {
    const element = this.#state.elements.get(id);
    if (!element) throw new Refusal("NOT_FOUND");
    return element;
  }

  // What clients ask for

  create(user, { clientId, ...fields }) {
    const { elements, creations } = this.#state;
    const key = `${user}:${clientId}`;
    if (creations.has(key)) return { element: shown(this.#get(creations.get(key))) };
    const element = { ...fields, id: `e${++this.#count}`, createdBy: user, version: 1, knownSince: 1, edits: [] };
    elements.set(element.id, element);
    creations.set(key, element.id);
    this.#tell("created", shown(element));
    return { element: shown(element) };
  }

  update(user, { elementId, ...fields }) {
    const element = this.#get(elementId);
    Object.assign(element, fields, { version: element.version + 1, updatedBy: user });
    this.#tell("updated", shown(element));
    return { element: shown(element) };
  }

  edit(user, { elementId, version, changes, clientId }) {
    const element = this.#get(elementId);
    if (element.edits.some((edit) => edit.clientId === clientId && edit.user === user)) return { element: shown(element) };
    if (version > element.version || version < element.knownSince) throw new Refusal("CONFLICT", { element: shown(element), isMade: false });
    const isDirect = version === element.version;
    for (const edit of element.edits) if (edit.version > version) [, changes] = transform(edit.changes, changes);
    const content = apply(element.content ?? "", changes);
    // After a kill another text may have the version that the client names.
    if (content === null) throw new Refusal("CONFLICT", { element: shown(element), isMade: false });
    element.content = content;
    element.version += 1;
    element.updatedBy = user;
    element.edits.push({ version: element.version, changes, clientId, user });
    this.#tell("edited", { elementId, version: element.version, changes, userId: user, clientId });
    return isDirect ? { version: element.version } : { element: shown(element) };
  }

  delete(user, { elementId, version }) {
    const element = this.#get(elementId);
    if (version !== element.version) throw new Refusal("CONFLICT", { element: shown(element) });
    this.#state.elements.delete(elementId);
    this.#tell("deleted", { elementId, version: version + 1 });
    return { version: version + 1 };
  }
}

function shown({ edits, knownSince, ...element }) {
  return element;
}
