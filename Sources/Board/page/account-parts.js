// What the parts of the account's page have in common: steps, lists, and what goes wrong.

import { Newest } from "./newest.js";
import { focusOn } from "./pages.js";
import { Ended } from "./session.js";

const $ = (id) => document.getElementById(id);

/** A part of the page that shows one step at a time. It has a heading and a text that is spoken; its first step is `start`. */
export class Part {
  #node;
  #title;
  #text;
  #forms;
  /** Counts the steps that were shown. */
  #turn = 0;

  /** `forms`: those of its steps. */
  constructor(name, forms) {
    this.#node = $(`${name}-part`);
    this.#title = $(`${name}-title`);
    this.#text = $(`${name}-text`);
    this.#forms = forms;
    for (const button of this.#node.querySelectorAll(".cancel")) button.addEventListener("click", () => this.go("start"));
  }

  /** Begins anew. What was written is forgotten. */
  reset() {
    this.#show("start", "");
  }

  /** Shows a step, and puts the focus on its first field. */
  go(step, text = "") {
    this.#show(step, text);
    this.#focus(step);
  }

  /**
   * Gives what does the same once the server has answered. A user who has left the step that is shown now stays at another one,
   * and is told what is done. One who is in another part of the page keeps the focus. What is given gives whether it went on.
   */
  wayOn() {
    const turn = this.#turn;
    return (step, text) => {
      if (turn !== this.#turn) {
        if (step === "start") this.#text.textContent = text;
        return false;
      }
      this.#show(step, text);
      if (!this.#isElsewhere) this.#focus(step);
      return true;
    };
  }

  get #isElsewhere() {
    const { activeElement } = document;
    return activeElement.matches("input, button") && !this.#node.contains(activeElement);
  }

  #focus(step) {
    const field = this.#node.querySelector(`[data-step="${step}"] input:not([hidden])`);
    if (field) field.focus();
    else focusOn(this.#title);
  }

  #show(step, text) {
    this.#turn += 1;
    for (const form of this.#forms) form.reset();
    for (const node of this.#node.querySelectorAll("[data-step]")) node.hidden = node.dataset.step !== step;
    this.#text.textContent = text;
  }
}

/** A list of what the user has on the server. It has a heading, a text that is spoken, and a place for what goes wrong. */
export class List {
  #session;
  #name;
  #path;
  #rows;
  #title;
  #text;
  #fault;
  #rowOf;
  #none;
  #newest = new Newest();

  /** `rowOf(one)`: the row of one of them; `path`: where the server has them; `says`: begins the ids of its texts; `none`: said of an empty list. */
  constructor(session, name, { rowOf, path = `/api/auth/${name}`, says = name, none = "" }) {
    this.#session = session;
    this.#name = name;
    this.#path = path;
    this.#rows = $(name);
    this.#title = $(`${name}-title`);
    this.#text = $(`${says}-text`);
    this.#fault = $(`${says}-fault`);
    this.#rowOf = rowOf;
    this.#none = none;
  }

  say(text) {
    this.#text.textContent = text;
  }

  fail(message) {
    this.say("");
    this.#fault.textContent = message;
  }

  /** Begins anew. */
  async open() {
    this.#rows.replaceChildren();
    this.fail("");
    this.say(this.#looking);
    await this.show();
  }

  get #looking() {
    return `Looking for your ${this.#name}…`;
  }

  /** Shows them as the server has them, unless it is asked again meanwhile. Gives whether it did. What fails is said. */
  async show() {
    try {
      return await this.#newest.show(this.#session.request("GET", this.#path), ({ data }) => this.#fill(data));
    } catch (error) {
      if (!(error instanceof Ended)) this.fail(`Your ${this.#name} cannot be listed. ${error.message}`);
      return false;
    }
  }

  #fill(data) {
    const id = this.#rows.querySelector("li:focus-within")?.dataset.id;
    this.#rows.replaceChildren(...data.map(this.#rowOf));
    // The button that had the focus is gone.
    this.#row(id)?.querySelector("button")?.focus();
    // What is told of a change stays.
    if (this.#text.textContent === this.#looking) this.say(data.length ? "" : this.#none);
  }

  #row(id) {
    return [...this.#rows.children].find((row) => row.dataset.id === id);
  }

  /** Deletes one, which may be gone already. The focus goes to the button of the row beside it, or else to the heading. */
  async remove(id) {
    try {
      await this.#session.request("DELETE", `${this.#path}/${encodeURIComponent(id)}`);
    } catch (error) {
      if (error.status !== 404) throw error;
    }
    const row = this.#row(id);
    const next = row?.nextElementSibling ?? row?.previousElementSibling;
    row?.remove();
    const neighbour = next?.querySelector("button");
    if (neighbour) neighbour.focus();
    else focusOn(this.#title);
    await this.show();
  }
}

/** The address of a user who is signed in is not wrong, so the password is. */
export function blamePassword(error) {
  if (error.reason !== "WRONG_CREDENTIALS") throw error;
  throw Object.assign(error, { field: "password", message: "This is not your password." });
}

export function textNode(kind, text, className = "") {
  const node = document.createElement(kind);
  node.textContent = text;
  node.className = className;
  return node;
}

/** A row of a list: a name, and what is known of it. */
export function rowNode(id, name, facts) {
  const row = document.createElement("li");
  row.dataset.id = id;
  const text = document.createElement("div");
  text.append(textNode("b", name), textNode("span", facts, "quiet"));
  row.append(text);
  return row;
}
