// Describes events in words for screen readers, and shows notices.

const NOTICE_TIME = 7_000;
const LINES_MAX = 6;

export class Announcer {
  #live = document.getElementById("live");
  #notice = document.getElementById("notice");
  #timer = null;

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
    this.#timer = setTimeout(() => {
      this.#notice.classList.remove("shown");
      this.#notice.textContent = "";
    }, NOTICE_TIME);
  }
}
