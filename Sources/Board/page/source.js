// Something that tells what happens: `on(name, function)` gives a function that ends it.

export class Source {
  #listeners = new Map();

  on(name, listener) {
    if (!this.#listeners.has(name)) this.#listeners.set(name, new Set());
    this.#listeners.get(name).add(listener);
    return () => this.#listeners.get(name).delete(listener);
  }

  /** For the source itself. */
  tell(name, ...what) {
    for (const listener of [...(this.#listeners.get(name) ?? [])]) listener(...what);
  }
}
