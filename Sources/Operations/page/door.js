// Asks the server, with the operators' token. It is kept for this tab alone, and shown in a header.

const KEY = "operators-token";

export class Refusal extends Error {
  constructor(status, message) {
    super(message);
    this.status = status;
  }
}

export class Door {
  #asking = null;
  #dialog = document.getElementById("door");
  #form = document.getElementById("door-form");
  #field = document.getElementById("token");
  #reason = document.getElementById("door-reason");

  constructor() {
    // There is nothing behind it to go back to.
    this.#dialog.addEventListener("cancel", (event) => event.preventDefault());
  }

  async get(path) {
    return this.#ask(path, {});
  }

  async post(path, fields) {
    return this.#ask(path, { method: "POST", body: JSON.stringify(fields), headers: { "Content-Type": "application/json" } });
  }

  async #ask(path, options) {
    while (true) {
      const token = sessionStorage.getItem(KEY) ?? (await this.#open(""));
      const headers = { ...options.headers, Authorization: `Bearer ${token}` };
      const answer = await fetch(`/console/api/${path}`, { ...options, headers, signal: AbortSignal.timeout(8_000) });
      if (answer.status === 401) {
        if (sessionStorage.getItem(KEY) === token) sessionStorage.removeItem(KEY);
        if (!sessionStorage.getItem(KEY)) await this.#open("This token is wrong.");
        continue;
      }
      const body = await answer.json().catch(() => ({}));
      if (!answer.ok) throw new Refusal(answer.status, body.error ?? `The server answered ${answer.status}.`);
      return body;
    }
  }

  /** One dialog, however many questions wait for it. */
  #open(reason) {
    this.#reason.textContent = reason;
    this.#asking ??= new Promise((resolve) => {
      this.#form.addEventListener("submit", (event) => {
        event.preventDefault();
        const token = this.#field.value.trim();
        this.#field.value = "";
        this.#asking = null;
        sessionStorage.setItem(KEY, token);
        this.#dialog.close();
        resolve(token);
      }, { once: true });
      this.#dialog.showModal();
    });
    return this.#asking;
  }
}
