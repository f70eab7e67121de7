// The users in the room: faces in the bar, and the list behind them.

import { displayName } from "./identity.js";
import { Rows } from "./rows.js";

const FACES_MAX = 4;
const COLORS = ["#c2410c", "#4d7c0f", "#0f766e", "#1d4ed8", "#6d28d9", "#a21caf", "#be123c", "#92400e"];

export class People {
  #button = document.getElementById("who");
  #faces = document.getElementById("faces");
  #count = document.getElementById("count");
  #panel = document.getElementById("people");
  #rows = new Rows(document.querySelector("#people ul"), "userId", ({ userId }) => this.#row(userId));
  #goTo;
  #shown = [];

  /** `goTo(userId)` moves the view to a user's touch. */
  constructor(goTo) {
    this.#goTo = goTo;
    this.#panel.addEventListener("beforetoggle", ({ newState }) => newState === "open" && this.#fillList());
  }

  /** Shows these participants, oneself first. */
  show(people, ownId) {
    const sorted = [...people].sort((a, b) => (b.userId === ownId) - (a.userId === ownId) || a.slot - b.slot);
    this.#faces.replaceChildren(...sorted.slice(0, FACES_MAX).map((person) => faceOf(person)));
    this.#count.textContent = String(sorted.length);
    const others = sorted.length === 1 ? "only you" : `${sorted.length} people`;
    this.#button.setAttribute("aria-label", `Who is here: ${others}`);
    this.#shown = sorted.map((person) => ({ userId: person.userId, person, isOwn: person.userId === ownId }));
    if (this.#panel.matches(":popover-open")) this.#fillList();
  }

  /** While it is closed nobody reads it, and hundreds may come in one after another. */
  #fillList() {
    this.#rows.show(this.#shown);
  }

  #row(userId) {
    const node = document.createElement("li");
    const face = document.createElement("i");
    const name = document.createElement("span");
    const go = document.createElement("button");
    go.textContent = "Find";
    go.addEventListener("click", () => this.#goTo(userId));
    node.append(face, name, go);
    const tell = ({ person, isOwn }) => {
      faceOf(person, face);
      const text = nameOf(person) + (isOwn ? " (you)" : "");
      // What is selected or read aloud stays.
      if (name.textContent !== text) name.textContent = text;
      go.setAttribute("aria-label", `Show where ${nameOf(person)} is`);
      go.hidden = isOwn;
    };
    return { node, tell };
  }
}

export function nameOf({ user, userId }) {
  return displayName(user?.username ?? userId);
}

/** Makes a face show a user, or makes one. */
function faceOf(person, node = document.createElement("i")) {
  node.className = "face";
  node.style.setProperty("--who", person.color);
  node.style.setProperty("--on-who", inkOn(person.color));
  node.textContent = initials(nameOf(person));
  node.setAttribute("aria-hidden", "true");
  return node;
}

function initials(name) {
  const words = name.trim().split(/\s+/);
  return words.slice(0, 2).map((word) => [...word][0] ?? "").join("").toUpperCase();
}

/** The colour for elements of users who are not here: always the same for the same user. */
export function fallbackColor(userId) {
  const sum = [...userId].reduce((sum, letter) => (sum * 31 + letter.codePointAt(0)) >>> 0, 7);
  return COLORS[sum % COLORS.length];
}

/** Black or white, whichever is better read on a colour like `#3CB44B`. */
export function inkOn(color) {
  const [r, g, b] = [1, 3, 5].map((at) => {
    const part = parseInt(color.slice(at, at + 2), 16) / 255;
    return part <= 0.03928 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * r + 0.7152 * g + 0.0722 * b > 0.179 ? "#000" : "#fff";
}
