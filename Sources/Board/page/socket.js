// A Socket.IO client: protocol 5 on Engine.IO 4, the default namespace; it takes binary events and sends none. It connects again by itself, and
// takes up where it was if the server still knows it. It knows nothing of rooms: those are in rooms.js.

import { PollingTransport, WebSocketTransport } from "./transports.js";

const TRANSPORTS = { websocket: WebSocketTransport, polling: PollingTransport };
const RETRY_MIN = 500;
const RETRY_MAX = 5_000;
/** Without a word from the server in this time an attempt to connect has failed. */
const OPENING_MAX = 10_000;
const ANSWER_MAX = 15_000;

/** Why an event has no answer: the connection ended, or the server took too long. It may have arrived or not. */
export class Lost extends Error {}

export class Socket {
  /** `connecting`, `online`, `offline` (and about to try again), `refused` or `closed`. */
  state = "closed";

  #address;
  #auth;
  #room;
  #kinds;
  #kind = 0;
  #on;
  #transport = null;
  #silence = null;
  #silenceMax = OPENING_MAX;
  #retry = null;
  #failures = 0;
  /** What the connection before this one was called, and how far its events had come. */
  #sid = null;
  #pid = null;
  #offset = null;
  /** An event whose attachment comes next. */
  #partial = null;
  #asked = new Map();
  #nextAsk = 0;
  #listening = new AbortController();

  /**
   * @param {string} address of Socket.IO, such as `https://rooms.example/socket.io/`
   * @param {object} options
   *   auth: what to show in CONNECT, an object or a function that gives one or a promise of one;
   *   room: a function that gives the room by which a load balancer may choose the server, or nothing;
   *   transports: in the order in which they are tried;
   *   state(state, detail), event(name, argument), connected(isRecovered), barred(): called when something happens;
   *   barred: what was shown is not let in.
   */
  constructor(address, { auth = {}, room, transports = ["websocket", "polling"], state, event, connected, barred }) {
    this.#address = new URL(address);
    this.#address.searchParams.set("EIO", "4");
    this.#auth = auth;
    this.#room = room;
    this.#kinds = transports.map((name) => TRANSPORTS[name]);
    this.#on = { state, event, connected, barred };
  }

  // Connecting

  open() {
    if (this.state !== "closed" && this.state !== "refused") return;
    this.#listen();
    this.#connect();
  }

  /** The browser knows at once that its network went or came back; a heartbeat takes half a minute to tell. */
  #listen() {
    this.#listening = new AbortController();
    const { signal } = this.#listening;
    globalThis.addEventListener?.("offline", () => this.#lost("there is no network"), { signal });
    globalThis.addEventListener?.("online", () => this.#hurry(), { signal });
    globalThis.document?.addEventListener("visibilitychange", () => document.hidden || this.#hurry(), { signal });
  }

  #hurry() {
    if (this.state !== "offline") return;
    clearTimeout(this.#retry);
    this.#connect();
  }

  #connect() {
    this.#become("connecting");
    this.#silenceMax = OPENING_MAX;
    const Kind = this.#kinds[this.#kind % this.#kinds.length];
    let isOpen = false;
    const room = this.#room?.();
    if (room) this.#address.searchParams.set("room", room);
    const transport = (this.#transport = new Kind(this.#address.href, {
      packet: (text) => {
        if (this.#transport !== transport) return;
        isOpen = true;
        this.#heard();
        this.#packet(text);
      },
      end: (reason) => {
        if (this.#transport !== transport) return;
        // A WebSocket that never opens may be barred by something on the way: the next attempt is another transport.
        if (!isOpen) this.#kind += 1;
        this.#lost(reason);
      },
    }, { upgrades: this.#kinds.includes(WebSocketTransport) }));
    this.#heard();
  }

  #heard() {
    clearTimeout(this.#silence);
    this.#silence = setTimeout(() => this.#lost("the server fell silent"), this.#silenceMax);
  }

  #lost(reason, wait = 0) {
    if (this.state !== "connecting" && this.state !== "online") return;
    this.#drop(reason);
    const pause = Math.min(RETRY_MIN * 2 ** this.#failures, RETRY_MAX);
    this.#failures += 1;
    // Spread out, so that all who lost the same server do not come back in the same moment.
    this.#retry = setTimeout(() => this.#connect(), Math.max(wait, pause * (0.5 + Math.random() / 2)));
    this.#become("offline", reason);
  }

  #drop(reason) {
    clearTimeout(this.#silence);
    this.#transport?.close();
    this.#transport = this.#partial = null;
    const asked = [...this.#asked.values()];
    this.#asked.clear();
    for (const { refuse } of asked) refuse(new Lost(reason));
  }

  #become(state, detail) {
    this.state = state;
    this.#on.state?.(state, detail);
  }

  // What comes

  #packet(text) {
    if (typeof text !== "string") return this.#attachment(text);
    switch (text[0]) {
      case "0": {
        const { pingInterval, pingTimeout } = JSON.parse(text.slice(1));
        this.#silenceMax = pingInterval + pingTimeout;
        this.#introduce();
        break;
      }
      case "1":
        this.#lost("the server closed the connection");
        break;
      case "2":
        this.#transport.send("3");
        break;
      case "4":
        this.#message(text.slice(1));
    }
  }

  async #introduce() {
    const transport = this.#transport;
    const shown = typeof this.#auth === "function" ? await this.#auth() : this.#auth;
    const before = this.#pid ? { pid: this.#pid, ...(this.#offset && { offset: this.#offset }) } : {};
    if (transport === this.#transport) transport?.send("40" + JSON.stringify({ ...shown, ...before }));
  }

  #message(text) {
    const [, kind, id, rest] = /^(\d)(\d*)-?(.*)$/s.exec(text) ?? [];
    const content = rest ? JSON.parse(rest) : undefined;
    switch (kind) {
      case "0":
        return this.#welcome(content);
      case "1":
        return this.#refused("the server sent this client away");
      case "2":
        return this.#event(content);
      case "3": {
        const asked = this.#asked.get(Number(id));
        this.#asked.delete(Number(id));
        return asked?.answer(content[0]);
      }
      case "4":
        return this.#turnedAway(content);
      case "5":
        this.#partial = content;
    }
  }

  /** The server's events have one attachment at most. */
  #attachment(bytes) {
    const event = this.#partial;
    this.#partial = null;
    if (event) this.#event(event.map((argument) => (argument?._placeholder ? bytes : argument)));
  }

  #welcome({ sid, pid = null }) {
    const isRecovered = pid !== null && pid === this.#pid && sid === this.#sid;
    this.#sid = sid;
    this.#pid = pid;
    if (!isRecovered) this.#offset = null;
    this.#failures = 0;
    // A server that was away is not a network without WebSockets: the next attempt begins with the first transport again.
    this.#kind = 0;
    this.#become("online");
    this.#on.connected?.(isRecovered);
  }

  #event([name, ...rest]) {
    this.#on.event?.(name, ...rest);
    // The last argument of what can be recovered says how far this client has come.
    const last = rest.at(-1);
    if (this.#pid && rest.length > 1 && typeof last === "string") this.#offset = last;
  }

  #turnedAway({ message, data: { code, details } = {} }) {
    const isFinal = code === "SESSION_ENDED" || (code?.startsWith("TOKEN_") && code !== "TOKEN_NOT_YET_VALID");
    if (isFinal || code === "BANNED") this.#on.barred?.();
    if (isFinal) return this.#refused(message, code);
    this.#lost(message, details?.retryAfter ?? 0);
  }

  #refused(reason, code) {
    this.#drop(reason);
    this.#listening.abort();
    this.#become("refused", { reason, code });
  }

  // What goes out

  /** Bytes that are not on their way yet. */
  get waiting() {
    return this.#transport?.waiting ?? 0;
  }

  emit(event, argument) {
    if (this.state === "online") this.#transport.send("42" + JSON.stringify([event, argument]));
  }

  /** Emits with an ack: a promise of what it says, or of `Lost`. */
  ask(event, argument) {
    if (this.state !== "online") return Promise.reject(new Lost("there is no connection"));
    const id = this.#nextAsk++;
    return new Promise((answer, refuse) => {
      const timer = setTimeout(() => {
        this.#asked.delete(id);
        refuse(new Lost("the server took too long"));
      }, ANSWER_MAX);
      const settle = (how) => (value) => {
        clearTimeout(timer);
        how(value);
      };
      this.#asked.set(id, { answer: settle(answer), refuse: settle(refuse) });
      this.#transport.send(`42${id}${JSON.stringify([event, argument])}`);
    });
  }

  /** Leaves at once: the others need not wait for the grace of a lost connection. */
  close() {
    this.#transport?.send("41");
    this.#drop("closed");
    clearTimeout(this.#retry);
    this.#listening.abort();
    this.#sid = this.#pid = this.#offset = null;
    this.#become("closed");
  }
}
