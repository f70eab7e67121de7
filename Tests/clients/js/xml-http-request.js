// As much of XMLHttpRequest as the browser's Socket.IO client uses for its long-polling, on Node's http and https.

"use strict";

module.exports = class XMLHttpRequest {
  readyState = 0;
  status = 0;
  responseText = "";
  withCredentials = false;
  timeout = 0;
  onreadystatechange = null;
  #headers = {};

  open(method, url) {
    this.method = method;
    this.url = new URL(url);
    this.readyState = 1;
  }

  setRequestHeader(name, value) {
    this.#headers[name] = value;
  }

  getResponseHeader(name) {
    return this.headers?.[name.toLowerCase()] ?? null;
  }

  send(body) {
    const { request } = require(this.url.protocol === "https:" ? "https" : "http");
    const payload = body == null ? null : Buffer.from(body);
    if (payload) this.#headers["Content-Length"] = payload.length;
    this.request = request(this.url, { method: this.method, headers: this.#headers }, (answer) => {
      const chunks = [];
      answer.on("data", (chunk) => chunks.push(chunk));
      answer.on("error", () => this.#finish(0, ""));
      answer.on("end", () => {
        this.headers = answer.headers;
        this.#finish(answer.statusCode, Buffer.concat(chunks).toString());
      });
    });
    this.request.on("error", () => this.#finish(0, ""));
    this.request.end(payload);
  }

  abort() {
    this.aborted = true;
    this.request?.destroy();
  }

  #finish(status, text) {
    if (this.aborted || this.readyState === 4) return;
    Object.assign(this, { status, responseText: text, readyState: 4 });
    this.onreadystatechange?.();
  }
};
