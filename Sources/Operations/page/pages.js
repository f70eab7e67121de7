// A list that comes page by page, and the button for the next page.

export class Pages {
  #button;
  #read;
  #show;
  #items = [];
  #next;
  /** Answers that come after a newer question are of no use. */
  #asked = 0;

  /**
   * - read: gets the place at which the page before ended; gives a promise of {items, next}.
   * - show: gets all items so far.
   */
  constructor(button, read, show) {
    this.#button = button;
    this.#read = read;
    this.#show = show;
    button.addEventListener("click", () => this.#more().catch((error) => console.info(error.message)));
  }

  /** Begins anew. */
  async begin() {
    this.#items = [];
    this.#next = undefined;
    await this.#more();
  }

  async #more() {
    this.#asked += 1;
    const asked = this.#asked;
    const { items, next } = await this.#read(this.#next);
    if (asked !== this.#asked) return;
    this.#items.push(...items);
    this.#next = next;
    this.#button.hidden = !next;
    this.#show(this.#items);
  }
}
