// Describes events in words for screen readers, and shows notices.

const NOTICE_TIME = 7_000;
const LINES_MAX = 6;
/** So many messages to everybody wait until they are read: the one that is shown, and the newest. */
const MESSAGES_MAX = 20;

export class Announcer {
  #live = document.getElementById("live");
  #notice = document.getElementById("notice");
  #timer = null;
  /** Messages of operators that the user has not read yet. */
  #messages = [];

  /** Spoken, not shown. */
  say(text) {
    const line = document.createElement("p");
    line.textContent = text;
    this.#live.append(line);
    while (this.#live.childElementCount > LINES_MAX) this.#live.firstElementChild.remove();
  }

  /** Shown for a while, and spoken at once. */
  warn(text) {
    clearTimeout(this.#timer);
    this.#notice.textContent = text;
    this.#notice.classList.add("shown");
    this.#timer = setTimeout(() => this.#hide(), NOTICE_TIME);
  }

  /** The same with a button. */
  offer(text, label, act) {
    this.warn(text);
    const button = document.createElement("button");
    button.textContent = label;
    button.addEventListener("click", () => {
      this.#hide();
      act();
    });
    this.#notice.append(" ", button);
  }

  /** What the server says to everybody. A message of an operator stays until it is read, and comes back after other notices. */
  listenTo(client) {
    client.on("error", (error) => this.warn(error.message));
    client.on("draining", () => this.say("The server is about to stop. This page reconnects by itself."));
    client.on("message", ({ text }) => {
      this.#messages.push(text);
      if (this.#messages.length > MESSAGES_MAX) this.#messages.splice(1, 1);
      this.#showMessage();
    });
  }

  #showMessage() {
    this.offer(`Message to everybody: ${this.#messages[0]}`, "OK", () => {
      this.#messages.shift();
      this.#hide();
    });
    clearTimeout(this.#timer);
  }

  #hide() {
    clearTimeout(this.#timer);
    this.#notice.classList.remove("shown");
    this.#notice.textContent = "";
    if (this.#messages.length) this.#showMessage();
  }
}
