// What the parts of the account's page have in common: steps, lists, and what goes wrong.

import { focusOn } from "./pages.js";

const $ = (id) => document.getElementById(id);

/** A part of the page that shows one step at a time. It has a heading and a text that is spoken; its first step is `start`. */
export class Part {
  #node;
  #title;
  #text;
  #forms;

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
    const field = this.#node.querySelector(`[data-step="${step}"] input:not([hidden])`);
    if (field) field.focus();
    else focusOn(this.#title);
  }

  #show(step, text) {
    for (const form of this.#forms) form.reset();
    for (const node of this.#node.querySelectorAll("[data-step]")) node.hidden = node.dataset.step !== step;
    this.#text.textContent = text;
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
export function rowNode(name, facts) {
  const row = document.createElement("li");
  const text = document.createElement("div");
  text.append(textNode("b", name), textNode("span", facts, "quiet"));
  row.append(text);
  return row;
}

/** Removes a row. The focus goes to the button of the row beside it, or else to the heading of the list. */
export function removeRow(row, heading) {
  const next = row.nextElementSibling ?? row.previousElementSibling;
  row.remove();
  const neighbour = next?.querySelector("button");
  if (neighbour) neighbour.focus();
  else focusOn(heading);
}

/** Deletes something on the server, which may be gone already. */
export async function remove(session, path) {
  try {
    await session.request("DELETE", path);
  } catch (error) {
    if (error.status !== 404) throw error;
  }
}
