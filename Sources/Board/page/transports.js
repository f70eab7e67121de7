// Engine.IO 4: packets of text over a WebSocket, or over requests where there can be none.
//
// Both transports are made with an address and three functions: `packet(text)` for each packet that comes,
// `end(reason)` once, when it is over. Both have `send(text)`, `close()` and `waiting`, the bytes not yet on their way.

const SEPARATOR = "\x1e";

export class WebSocketTransport {
  #socket;

  constructor(address, { packet, end }) {
    const url = new URL(address);
    url.protocol = url.protocol === "https:" ? "wss:" : "ws:";
    url.searchParams.set("transport", "websocket");
    this.#socket = new WebSocket(url.href);
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

export class PollingTransport {
  #address;
  #on;
  #cancel = new AbortController();
  #queue = [];
  #isPosting = false;
  #isOver = false;

  constructor(address, on) {
    this.#address = new URL(address);
    this.#address.searchParams.set("transport", "polling");
    this.#on = on;
    this.#poll();
  }

  get waiting() {
    return this.#queue.reduce((sum, packet) => sum + packet.length, 0);
  }

  async #poll() {
    try {
      while (!this.#isOver) {
        for (const packet of (await this.#request()).split(SEPARATOR)) {
          if (packet[0] === "0") this.#address.searchParams.set("sid", JSON.parse(packet.slice(1)).sid);
          if (!this.#isOver) this.#on.packet(packet);
        }
      }
    } catch (error) {
      this.#end(error.message);
    }
  }

  send(packet) {
    if (this.#isOver) return;
    this.#queue.push(packet);
    if (!this.#isPosting) this.#post();
  }

  /** One request at a time, so that packets arrive in their order; what gathers meanwhile goes with the next. */
  async #post() {
    this.#isPosting = true;
    try {
      // What is sent in one go goes in one request.
      await Promise.resolve();
      while (this.#queue.length && !this.#isOver) {
        await this.#request({ method: "POST", body: this.#queue.splice(0).join(SEPARATOR) });
      }
    } catch (error) {
      this.#end(error.message);
    }
    this.#isPosting = false;
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
    this.#on.end(reason);
  }

  close() {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#cancel.abort();
    // `keepalive`: the request outlives the page.
    const rest = [...this.#queue, "1"].join(SEPARATOR);
    fetch(this.#address, { method: "POST", body: rest, keepalive: true }).catch(() => {});
  }
}
