// The users in the room: faces in the bar, and the list behind them.

import { displayName } from "./identity.js";

const FACES_MAX = 4;
const COLORS = ["#c2410c", "#4d7c0f", "#0f766e", "#1d4ed8", "#6d28d9", "#a21caf", "#be123c", "#92400e"];

export class People {
  #button = document.getElementById("who");
  #faces = document.getElementById("faces");
  #count = document.getElementById("count");
  #panel = document.getElementById("people");
  #list = document.querySelector("#people ul");
  /** The rows of the list, by what they show. */
  #rows = new Map();
  #goTo;
  #shown = { people: [], ownId: null };

  /** `goTo(userId)` moves the view to a user's touch. */
  constructor(goTo) {
    this.#goTo = goTo;
    this.#panel.addEventListener("beforetoggle", ({ newState }) => newState === "open" && this.#fillList());
  }

  /** Shows these participants, oneself first. */
  show(people, ownId) {
    const sorted = [...people].sort((a, b) => (b.userId === ownId) - (a.userId === ownId) || a.slot - b.slot);
    this.#faces.replaceChildren(...sorted.slice(0, FACES_MAX).map(face));
    this.#count.textContent = String(sorted.length);
    const others = sorted.length === 1 ? "only you" : `${sorted.length} people`;
    this.#button.setAttribute("aria-label", `Who is here: ${others}`);
    this.#shown = { people: sorted, ownId };
    if (this.#panel.matches(":popover-open")) this.#fillList();
  }

  /** While it is closed nobody reads it, and hundreds may come in one after another. */
  #fillList() {
    const { people, ownId } = this.#shown;
    const rows = new Map();
    for (const person of people) {
      const isOwn = person.userId === ownId;
      const key = JSON.stringify([person.userId, nameOf(person), person.color, isOwn]);
      rows.set(key, this.#rows.get(key) ?? this.#row(person, isOwn));
    }
    for (const [key, row] of this.#rows) if (!rows.has(key)) row.remove();
    this.#rows = rows;
    // Rows that stay are not moved, so that the focus stays in them, and a click goes through.
    for (const [index, row] of [...rows.values()].entries()) {
      if (this.#list.children[index] !== row) this.#list.insertBefore(row, this.#list.children[index] ?? null);
    }
  }

  #row(person, isOwn) {
    const row = document.createElement("li");
    const name = document.createElement("span");
    name.textContent = nameOf(person) + (isOwn ? " (you)" : "");
    row.append(face(person), name);
    if (!isOwn) {
      const go = document.createElement("button");
      go.textContent = "Find";
      go.setAttribute("aria-label", `Show where ${nameOf(person)} is`);
      go.addEventListener("click", () => this.#goTo(person.userId));
      row.append(go);
    }
    return row;
  }
}

export function nameOf({ user, userId }) {
  return displayName(user?.username ?? userId);
}

function face(person) {
  const node = document.createElement("i");
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
