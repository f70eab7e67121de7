// Engine.IO 4: packets over a WebSocket, or over requests where there can be none.
//
// Polling goes over to a WebSocket by itself when the server has one and it opens.
//
// Both transports are made with an address and three functions: `packet(packet)` for each packet that comes, a text or, for
// a binary message, an ArrayBuffer; `end(reason)` once, when it is over. Both have `send(text)`, `close()` and `waiting`, the
// bytes not yet on their way.

const SEPARATOR = "\x1e";

export class WebSocketTransport {
  #socket;

  constructor(address, { packet, end }) {
    const url = new URL(address);
    url.protocol = url.protocol === "https:" ? "wss:" : "ws:";
    url.searchParams.set("transport", "websocket");
    this.#socket = new WebSocket(url.href);
    this.#socket.binaryType = "arraybuffer";
    this.#socket.onmessage = ({ data }) => packet(data);
    this.#socket.onclose = ({ reason }) => end(reason || "the connection was lost");
  }

  get waiting() {
    return this.#socket.bufferedAmount;
  }

  send(packet) {
    if (this.#socket.readyState === WebSocket.OPEN) this.#socket.send(packet);
  }

  close() {
    this.#socket.onmessage = this.#socket.onclose = null;
    this.#socket.close();
  }
}

/** Requests have binary messages in base64. */
const bytesOf = (base64) => Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0)).buffer;

export class PollingTransport {
  #address;
  #on;
  #cancel = new AbortController();
  #queue = [];
  #isPosting = false;
  #isOver = false;
  /** The WebSocket that is to take over, when all requests have ended. */
  #probe = null;
  #isUpgraded = false;
  #isPausing = false;
  /** No request for packets is on its way. */
  #isIdle = false;

  /** `upgrades`: whether it may go over to a WebSocket. */
  constructor(address, on, { upgrades = false } = {}) {
    this.upgrades = upgrades;
    this.#address = new URL(address);
    this.#address.searchParams.set("transport", "polling");
    this.#on = on;
    this.#poll();
  }

  get waiting() {
    return (this.#isUpgraded ? this.#probe.bufferedAmount : 0) + this.#queue.reduce((sum, packet) => sum + packet.length, 0);
  }

  async #poll() {
    try {
      while (!this.#isOver && !this.#isPausing) {
        for (const packet of (await this.#request()).split(SEPARATOR)) {
          if (packet[0] === "0") this.#opened(JSON.parse(packet.slice(1)));
          if (!this.#isOver) this.#on.packet(packet[0] === "b" ? bytesOf(packet.slice(1)) : packet);
        }
      }
      this.#isIdle = true;
      if (this.#isPausing) this.#switch();
    } catch (error) {
      this.#end(error.message);
    }
  }

  #opened({ sid, upgrades = [] }) {
    this.#address.searchParams.set("sid", sid);
    if (this.upgrades && upgrades.includes("websocket")) this.#upgrade();
  }

  /** Asks over a WebSocket of the same session whether packets pass; without an answer it goes on as it was. */
  #upgrade() {
    const url = new URL(this.#address);
    url.protocol = url.protocol === "https:" ? "wss:" : "ws:";
    url.searchParams.set("transport", "websocket");
    const probe = (this.#probe = new WebSocket(url.href));
    probe.binaryType = "arraybuffer";
    probe.onopen = () => probe.send("2probe");
    probe.onmessage = ({ data }) => {
      // The server answers the request that waits, and no other is made.
      if (data === "3probe") this.#isPausing = true;
    };
    probe.onclose = ({ reason }) => {
      if (this.#isPausing || this.#isUpgraded) this.#end(reason || "the connection was lost");
      this.#probe = null;
    };
  }

  /** No request is on its way any more. */
  #switch() {
    if (this.#isOver || this.#isPosting || this.#isUpgraded) return;
    this.#isUpgraded = true;
    this.#probe.onmessage = ({ data }) => this.#isOver || this.#on.packet(data);
    this.#probe.send("5");
    for (const packet of this.#queue.splice(0)) this.#probe.send(packet);
  }

  send(packet) {
    if (this.#isOver) return;
    if (this.#isUpgraded) return this.#probe.readyState === WebSocket.OPEN && this.#probe.send(packet);
    this.#queue.push(packet);
    if (!this.#isPosting && !this.#isPausing) this.#post();
  }

  /** One request at a time, so that packets arrive in their order; what gathers meanwhile goes with the next. */
  async #post() {
    this.#isPosting = true;
    try {
      // What is sent in one go goes in one request.
      await Promise.resolve();
      while (this.#queue.length && !this.#isOver && !this.#isPausing) {
        await this.#request({ method: "POST", body: this.#queue.splice(0).join(SEPARATOR) });
      }
    } catch (error) {
      this.#end(error.message);
    }
    this.#isPosting = false;
    if (this.#isPausing && this.#isIdle) this.#switch();
  }

  async #request(options = {}) {
    const answer = await fetch(this.#address, { ...options, signal: this.#cancel.signal, cache: "no-store" });
    if (!answer.ok) throw new Error(`the server answered ${answer.status}`);
    return answer.text();
  }

  #end(reason) {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#cancel.abort();
    this.#dropProbe();
    this.#on.end(reason);
  }

  #dropProbe() {
    if (!this.#probe) return;
    this.#probe.onmessage = this.#probe.onclose = null;
    this.#probe.close();
  }

  close() {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#cancel.abort();
    this.#dropProbe();
    if (this.#isUpgraded) return;
    // `keepalive`: the request outlives the page.
    const rest = [...this.#queue, "1"].join(SEPARATOR);
    fetch(this.#address, { method: "POST", body: rest, keepalive: true }).catch(() => {});
  }
}
