// The pages before the board: one at a time is shown, and covers the board. The heading of a new page gets the focus, so that
// screen readers begin there; on a page that asks for one thing alone, the field with `data-first` gets it.

export class Pages {
  #cover = document.getElementById("pages");
  #current = null;
  #boardTitle = "";

  /** The name of the page that is shown; null while the board is. */
  get current() {
    return this.#current;
  }

  /** Shows the page with this name. `focusHeading` is false for a page that the user did not ask for and does not wait on. */
  show(name, { focusHeading = true } = {}) {
    if (this.#current === name) return;
    if (this.#current === null) this.#boardTitle = document.title;
    this.#current = name;
    for (const page of this.#cover.querySelectorAll(".page")) page.hidden = page.id !== `page-${name}`;
    this.#cover.hidden = false;
    document.body.classList.add("covered");
    for (const node of document.querySelectorAll("[popover]:popover-open")) node.hidePopover();
    for (const dialog of document.querySelectorAll("dialog[open]")) dialog.close();
    const heading = this.#cover.querySelector(`#page-${name} h1`);
    const field = this.#cover.querySelector(`#page-${name} [data-first]`);
    document.title = `${heading.textContent} · Rooms`;
    this.#cover.scrollTop = 0;
    if (field) field.focus();
    else if (focusHeading) focusOn(heading);
  }

  /** Shows the board. */
  hide() {
    if (this.#current === null) return;
    this.#current = null;
    document.title = this.#boardTitle;
    this.#cover.hidden = true;
    document.body.classList.remove("covered");
    document.getElementById("board").focus();
  }
}

/** Puts the focus on a heading, to which the Tab key does not lead. */
export function focusOn(heading) {
  heading.tabIndex = -1;
  heading.focus();
}
