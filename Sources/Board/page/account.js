// The user's account: who one is, the devices on which one is signed in, and the way out.

import { agentInWords, agoInWords, appInWords } from "./devices.js";
import { working } from "./forms.js";
import { focusOn } from "./pages.js";
import { Ended } from "./session.js";

const $ = (id) => document.getElementById(id);

export class Account {
  #session;
  #user = null;

  constructor(session) {
    this.#session = session;
    const fail = (message) => ($("account-fault").textContent = message);
    $("account-close").addEventListener("click", () => $("account-dialog").close());
    $("sign-out").addEventListener("click", ({ currentTarget }) => {
      fail("");
      working(currentTarget, "Signing out…", () => session.signOut(), fail);
    });
  }

  /** Opens the page of this user, who has a profile. */
  async open(user) {
    this.#user = user;
    const facts = [["Username", user.username], ["First name", user.firstName], ["E-mail", this.#session.user.email]];
    $("account-facts").replaceChildren(...facts.filter(([, value]) => value).flatMap(([name, value]) => [
      textNode("dt", name), textNode("dd", value)]));
    for (const id of ["account-text", "account-fault"]) $(id).textContent = "";
    $("devices").replaceChildren();
    if (!$("account-dialog").open) $("account-dialog").showModal();
    focusOn($("account-title"));
    await this.#list();
  }

  async #list() {
    $("account-text").textContent = "Looking for your devices…";
    try {
      const { data } = await this.#session.request("GET", "/api/auth/sessions");
      $("devices").replaceChildren(...data.map((session) => this.#row(session)));
      $("account-text").textContent = "";
    } catch (error) {
      if (error instanceof Ended) return;
      $("account-text").textContent = "";
      $("account-fault").textContent = error.message;
    }
  }

  #row({ id, app, agent, seenAt, isCurrent }) {
    const row = document.createElement("li");
    const name = agentInWords(agent);
    const facts = `${appInWords(app)}, last used ${agoInWords(seenAt)}`;
    const text = document.createElement("div");
    text.append(textNode("b", name), textNode("span", facts, "quiet"));
    row.append(text);
    if (isCurrent) {
      row.append(textNode("span", "This device", "mark"));
      return row;
    }
    const end = textNode("button", "End");
    end.setAttribute("aria-label", `End the session: ${name}, ${facts}`);
    end.addEventListener("click", () => this.#end(id, name, row, end));
    row.append(end);
    return row;
  }

  #end(id, name, row, button) {
    $("account-fault").textContent = "";
    return working(button, "Ending…", async () => {
      try {
        await this.#session.request("DELETE", `/api/auth/sessions/${encodeURIComponent(id)}`);
      } catch (error) {
        // It has ended meanwhile.
        if (error.status !== 404) throw error;
      }
      const next = row.nextElementSibling ?? row.previousElementSibling;
      row.remove();
      $("account-text").textContent = `The session has ended: ${name}.`;
      const neighbour = next?.querySelector("button");
      if (neighbour) neighbour.focus();
      else focusOn($("devices-title"));
    }, (message) => ($("account-fault").textContent = message));
  }
}

function textNode(kind, text, className = "") {
  const node = document.createElement(kind);
  node.textContent = text;
  node.className = className;
  return node;
}
