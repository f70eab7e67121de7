// A form that sends something to the server: it says what is wrong beside the field, shows that it works, and keeps what was
// written when a request fails.

import { Ended } from "./session.js";

/** The fields that the server names by the reason of its refusal alone. */
const FIELDS = { WRONG_CODE: "code" };

export class Form {
  #node;
  #button;
  #general;
  #faults = new Map();
  #isBusy = false;

  /**
   * @param {HTMLFormElement} node its fields have names; each has a label and, in `data-missing`, a sentence for when it is empty
   * @param {object} options
   *   send(fields): a promise; what it throws is shown. working: what the button says meanwhile.
   */
  constructor(node, { send, working }) {
    this.#node = node;
    this.#button = node.querySelector("button:not([type=button])");
    for (const input of this.#inputs) this.#faults.set(input.name, this.#faultOf(input));
    this.#general = alertNode(`${node.id}-fault`);
    this.#button.before(this.#general);
    // The browser's own bubbles are gone before they are read.
    node.noValidate = true;
    node.addEventListener("submit", (event) => {
      event.preventDefault();
      this.#submit(send, working);
    });
  }

  /** Empties it, but for these values. */
  reset(values = {}) {
    this.#node.reset();
    this.clear();
    for (const [name, value] of Object.entries(values)) this.#node.elements[name].value = value;
  }

  /** Takes back what was said of the fields. */
  clear() {
    this.#general.textContent = "";
    for (const input of this.#inputs) this.#blame(input, "");
  }

  get #inputs() {
    return [...this.#node.querySelectorAll("input[name]")];
  }

  #faultOf(input) {
    const fault = alertNode(`${input.id}-fault`);
    const hint = document.getElementById(`${input.id}-hint`);
    (hint ?? input).after(fault);
    input.setAttribute("aria-describedby", [hint?.id, fault.id].filter(Boolean).join(" "));
    return fault;
  }

  #blame(input, text) {
    this.#faults.get(input.name).textContent = text;
    if (text) input.setAttribute("aria-invalid", "true");
    else input.removeAttribute("aria-invalid");
  }

  async #submit(send, working) {
    if (this.#isBusy) return;
    this.clear();
    const empty = this.#inputs.filter((input) => input.required && !input.value.trim());
    for (const input of empty) this.#blame(input, input.dataset.missing);
    if (empty.length) return empty[0].focus();
    const label = this.#button.textContent;
    this.#show(true, working);
    try {
      await send(Object.fromEntries(this.#inputs.map((input) => [input.name, valueOf(input)])));
    } catch (error) {
      // Of the end of a session the page tells by itself.
      if (!(error instanceof Ended)) this.fail(error);
    } finally {
      this.#show(false, label);
    }
  }

  /** A button that is disabled would lose the focus. */
  #show(isBusy, text) {
    this.#isBusy = isBusy;
    this.#button.textContent = text;
    this.#button.setAttribute("aria-disabled", String(isBusy));
    this.#node.setAttribute("aria-busy", String(isBusy));
  }

  /** Says what is wrong: beside the field that the error names, or else above the button. */
  fail({ reason, field = FIELDS[reason], message }) {
    const input = this.#inputs.find(({ name }) => name === field);
    if (!input) return void (this.#general.textContent = message);
    this.#blame(input, message);
    input.focus();
  }
}

/** Blanks around a password are part of it. Those in a code are not. */
function valueOf({ type, value, autocomplete }) {
  if (autocomplete === "one-time-code") return value.replace(/\s/g, "");
  return type === "password" ? value : value.trim();
}

/** Screen readers speak what is written there. */
function alertNode(id) {
  const node = document.createElement("p");
  node.id = id;
  node.className = "fault";
  node.setAttribute("role", "alert");
  return node;
}

/** A button that asks the server, with what it says meanwhile. What fails is shown by `fail(message)`. */
export async function working(button, text, action, fail) {
  if (button.getAttribute("aria-disabled") === "true") return;
  const label = button.textContent;
  button.textContent = text;
  button.setAttribute("aria-disabled", "true");
  try {
    await action();
  } catch (error) {
    if (!(error instanceof Ended)) fail(error.message);
  } finally {
    button.textContent = label;
    button.removeAttribute("aria-disabled");
  }
}
