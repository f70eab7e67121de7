// Asks for a token where the server wants one.

export class Door {
  #own;
  #asking = null;
  #dialog = document.getElementById("token-dialog");
  #form = document.getElementById("token-form");
  #field = document.getElementById("token");

  /** `own.token` is what this person shows, null if that is not known yet. */
  constructor(own) {
    this.#own = own;
    // There is nothing behind it to go back to.
    this.#dialog.addEventListener("cancel", (event) => event.preventDefault());
  }

  token() {
    return this.#own.token ?? this.ask("This server needs a token.");
  }

  /** A promise of a new token. It is kept for this visit alone. */
  ask(reason) {
    document.getElementById("token-reason").textContent = reason;
    this.#asking ??= new Promise((resolve) => {
      const take = (event) => {
        event.preventDefault();
        this.#own.token = this.#field.value.trim();
        this.#field.value = "";
        this.#asking = null;
        this.#dialog.close();
        resolve(this.#own.token);
      };
      this.#form.addEventListener("submit", take, { once: true });
      this.#dialog.showModal();
    });
    return this.#asking;
  }
}
