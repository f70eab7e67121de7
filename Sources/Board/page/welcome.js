// The first minute: who one is, how to be called otherwise, and a note to try things with.

const $ = (id) => document.getElementById(id);
const SAMPLE = {
  type: "note", width: 230, height: 160,
  content: "This is a note.\n\nDrag it, or double-click it to write. Everybody in the room sees it change.",
};

export class Welcome {
  #own;

  /** `own` is the person of this page, with a name to choose if `isOpen`; `add(fields)` puts something on the board. */
  constructor(own, isOpen, add) {
    this.#own = own;
    $("you-are").hidden = !isOpen;
    $("change-name").addEventListener("click", () => {
      $("people").showPopover();
      $("name").focus();
      $("name").select();
    });
    $("sample").addEventListener("click", () => add(SAMPLE));
    this.show();
  }

  show() {
    $("own-name").textContent = this.#own.name;
  }
}
