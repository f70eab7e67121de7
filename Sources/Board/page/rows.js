// Rows of a table or list that tell something else again and again. Each stays the same node, and is not moved when others come and go: the
// focus stays where it is, and a click goes through.

export class Rows {
  #body;
  #key;
  #make;
  #rows = new Map();

  /**
   * - key: the name of what an item is known by.
   * - make: gets an item; gives its row as {node, tell}, where `tell` gets what is known of the item each time.
   */
  constructor(body, key, make) {
    [this.#body, this.#key, this.#make] = [body, key, make];
  }

  /** What the last row is about is known by this. */
  get last() {
    return [...this.#rows.keys()].at(-1);
  }

  show(items) {
    const rows = new Map(items.map((item) => [item[this.#key], this.#rows.get(item[this.#key]) ?? this.#make(item)]));
    for (const [key, { node }] of this.#rows) if (!rows.has(key)) node.remove();
    this.#rows = rows;
    const focused = document.activeElement;
    for (const [index, item] of items.entries()) {
      const { node, tell } = rows.get(item[this.#key]);
      tell(item);
      if (this.#body.children[index] !== node) this.#body.insertBefore(node, this.#body.children[index] ?? null);
    }
    if (focused !== document.activeElement && this.#body.contains(focused)) focused.focus();
  }
}
