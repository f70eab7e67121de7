// Shows how it stands with the connection and the room: in the bar, and over the board as long as something is wrong.

import { standing } from "./standing.js";

const $ = (id) => document.getElementById(id);

export class Status {
  #chip = $("connection");
  #panel = $("trouble");

  /** `again()` tries what failed once more; `away()` leads elsewhere, by a button with this name. */
  constructor({ again, away, awayName }) {
    $("trouble-again").addEventListener("click", again);
    $("trouble-away").addEventListener("click", away);
    $("trouble-away").textContent = awayName;
  }

  /** Takes what `standing` does. */
  show(what) {
    const { state, label, trouble } = standing(what);
    this.#chip.dataset.state = state;
    const text = this.#chip.lastElementChild;
    if (text.textContent !== label) text.textContent = label;
    this.#tell(trouble);
  }

  #tell(trouble) {
    const kept = JSON.stringify(trouble);
    if (this.#panel.dataset.shown === kept) return;
    this.#panel.dataset.shown = kept;
    this.#panel.hidden = !trouble;
    if (!trouble) return;
    $("trouble-title").textContent = trouble.title;
    $("trouble-text").textContent = trouble.text;
    $("trouble-again").hidden = !trouble.again;
    $("trouble-again").textContent = trouble.again ?? "";
  }
}
