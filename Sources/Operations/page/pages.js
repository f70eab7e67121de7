// A list that comes page by page, and the button for the next page.

import { Newest } from "./newest.js";

export class Pages {
  #button;
  #read;
  #show;
  #items = [];
  #next;
  #newest = new Newest();

  /**
   * - read: gets the place at which the page before ended; gives a promise of {items, next}.
   * - show: gets all items so far, and the newest answer.
   */
  constructor(button, read, show) {
    this.#button = button;
    this.#read = read;
    this.#show = show;
    button.addEventListener("click", () => this.#more().catch((error) => console.info(error.message)));
  }

  /** Begins anew. Gives whether the first page is shown: another may have been asked for meanwhile. */
  async begin() {
    this.#items = [];
    this.#next = undefined;
    return this.#more();
  }

  async #more() {
    return this.#newest.show(this.#read(this.#next), (answer) => {
      const { items, next } = answer;
      this.#items.push(...items);
      this.#next = next;
      this.#button.hidden = !next;
      this.#show(this.#items, answer);
    });
  }
}
