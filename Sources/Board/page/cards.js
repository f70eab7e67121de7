// What is on the board, as cards that can be dragged, resized, edited and taken away: with a mouse, with fingers (each
// its own card), and with keys.

import { makeBody } from "./bodies.js";
import { CardTools } from "./card-tools.js";
import { displayName } from "./identity.js";
import { neededHeight, resized } from "./placing.js";
import { Writing, fieldFor } from "./writing.js";

const STEP = 10;
const LEAP = 50;
/** A hand that only taps does not hold quite still. */
const SLACK = 4;
/** With more cards than this, those far outside of the view are not drawn at all. */
const DRAWN_MAX = 150;
/** So many milliseconds of a frame go to cards that are shown when there is time. */
const SLICE = 10;
/** Elements may be stacked by any number, browsers stack by some. */
const LEVEL_MAX = 1e6;

export class Cards {
  #room;
  #history;
  #act;
  #stage;
  #plane;
  #colorOf;
  #cards = new Map();
  #editing = null;
  /** Keys of elements that are not shown yet. */
  #later = new Set();
  /** The part of the board whose cards are drawn. */
  #drawn = null;
  #selection;
  #tools;

  /**
   * `act(name, key, value)` does what a user wants with a card and those that are selected with it; `selection` has the selected
   * ones; `colorOf(userId)` is the colour of a user.
   */
  constructor({ room, history, act, selection }, stage, plane, colorOf) {
    this.#room = room;
    this.#history = history;
    this.#act = act;
    this.#selection = selection;
    this.#stage = stage;
    this.#plane = plane;
    this.#colorOf = colorOf;
    this.#tools = new CardTools(stage, (name, key, value) => (name === "edit" ? this.edit(key) : act(name, key, value)));
    selection.addEventListener("change", () => this.#showSelection());
  }

  // What is drawn

  /** The view is another: cards that are far from it cost nothing, those near it are there before they are seen. */
  viewed() {
    const { x, y, zoom, width, height } = this.#stage;
    const [w, h] = [width / zoom, height / zoom];
    const before = this.#drawn;
    const isNear = before && before.zoom === zoom && Math.abs(before.x - x) < w / 4 && Math.abs(before.y - y) < h / 4;
    if (!isNear) {
      this.#drawn = { x, y, zoom, left: x - w, right: x + w, top: y - h, bottom: y + h };
      for (const card of this.#cards.values()) this.#cull(card);
    }
    for (const { body } of this.#cards.values()) body.sharpen?.(zoom);
  }

  #cull(card) {
    const { node, place: { positionX, positionY, width, height } } = card;
    const { left, right, top, bottom } = this.#drawn ?? {};
    const isFar = this.#drawn && this.#cards.size > DRAWN_MAX && !card.isNear && !card.drag &&
      (positionX > right || positionX + width < left || positionY > bottom || positionY + height < top);
    if (isFar === card.isFar) return;
    card.isFar = isFar;
    node.classList.toggle("far", Boolean(isFar));
  }

  /** The keys go from card to card in their order, wherever those are: the ones beside the focus can be reached. */
  #keepNear(card) {
    const beside = [card.node.previousElementSibling, card.node, card.node.nextElementSibling];
    const keys = new Set(beside.map((node) => node?.dataset.key));
    for (const other of this.#cards.values()) {
      const isNear = keys.has(other.key);
      if (isNear === other.isNear) continue;
      other.isNear = isNear;
      this.#cull(other);
    }
  }

  clear() {
    this.#editing?.writing.finish();
    this.#tools.attach(null);
    this.#plane.replaceChildren();
    this.#cards.clear();
    this.#later.clear();
    this.#editing = null;
  }

  #showSelection() {
    for (const [key, { node }] of this.#cards) node.classList.toggle("selected", this.#selection.has(key));
  }

  /** An element is there, has changed or is gone. */
  show(element, how) {
    this.#later.delete(element.key);
    if (how === "removed") return this.#remove(element.key);
    const card = this.#cards.get(element.key) ?? this.#make(element);
    this.#place(card, element);
    this.#fill(card, element);
    if (this.#editing?.key === element.key) this.#editing.writing.follow(element.content ?? "");
  }

  /** Where the text of a card stands, and the field over it while it is written here. */
  surface(key) {
    const card = this.#cards.get(key);
    return card && { node: card.node, text: card.body.text, field: this.#editing?.key === key ? this.#editing.field : null };
  }

  /** Shows an element when there is time: a room may have a thousand. */
  showLater(key) {
    this.#later.add(key);
    if (this.#later.size === 1) requestAnimationFrame(() => this.#catchUp());
  }

  #catchUp() {
    const end = performance.now() + SLICE;
    for (const key of this.#later) {
      if (performance.now() > end) return requestAnimationFrame(() => this.#catchUp());
      const element = this.#room.elements.get(key);
      if (element) this.show(element, "added");
      this.#later.delete(key);
    }
  }

  /** `{text, selection}` while the user writes in this card; null if not. */
  writing(key) {
    const field = this.#editing?.key === key ? this.#editing.field : null;
    return field && { text: field.value, selection: [field.selectionStart, field.selectionEnd] };
  }

  /** The colour of their creator is known now. */
  recolor(userId) {
    for (const { key, node } of this.#cards.values()) {
      const element = this.#room.elements.get(key);
      if (element?.createdBy === userId) node.style.setProperty("--who", element.color ?? this.#colorOf(userId));
    }
  }

  focus(key) {
    const card = this.#cards.get(key);
    if (!card) return;
    this.#keepNear(card);
    card.node.focus({ preventScroll: true });
  }

  /** Another user holds the card; `color` is null when no user does any more. */
  hold(key, color) {
    const card = this.#cards.get(key);
    if (!card) return;
    card.isHeld = color !== null;
    card.node.classList.toggle("held", card.isHeld);
    if (color) card.node.style.setProperty("--holder", color);
  }

  // Making

  #make(element) {
    const node = document.createElement("div");
    node.className = `card ${element.type}`;
    node.tabIndex = 0;
    node.setAttribute("role", "listitem");
    node.dataset.key = element.key;
    const card = { key: element.key, node, body: makeBody(element), place: element, drag: null, release: null, isHeld: false, isFar: false, isNear: this.#cards.size === 0 };
    node.append(card.body.node);
    node.classList.toggle("selected", this.#selection.has(element.key));
    this.#cards.set(element.key, card);
    this.#plane.append(node);
    this.#listen(card);
    return card;
  }

  #listen(card) {
    const { type } = this.#room.elements.get(card.key);
    card.node.addEventListener("pointerenter", ({ pointerType, buttons }) => {
      if (pointerType === "mouse" && !buttons && !this.#plane.contains(document.activeElement)) this.#tools.attach(card, type);
    });
    card.node.addEventListener("focusin", () => {
      this.#keepNear(card);
      this.#tools.attach(card, type);
    });
    card.node.addEventListener("pointerdown", (event) => this.#grab(event, card));
    card.node.addEventListener("dblclick", (event) => {
      if (!event.target.closest("audio, button")) this.edit(card.key);
    });
    card.node.addEventListener("keydown", (event) => this.#key(event, card));
    card.node.addEventListener("focus", () => {
      const element = this.#room.elements.get(card.key);
      if (element && card.node.matches(":focus-visible")) this.#stage.reveal(element);
    });
  }

  #place(card, element) {
    const { node } = card;
    // While another user drags the card too, it follows this hand here, and goes to the server's place when the hand lets go.
    const place = (card.place = { ...element, ...card.drag });
    node.style.transform = `translate(${place.positionX}px, ${place.positionY}px)`;
    node.style.width = `${place.width}px`;
    node.style.height = `${place.height}px`;
    node.style.zIndex = Math.round(Math.min(Math.max(element.z ?? 0, -LEVEL_MAX), LEVEL_MAX));
    node.style.setProperty("--who", element.color ?? this.#colorOf(element.createdBy));
    node.classList.toggle("pending", element.isPending);
    this.#cull(card);
    this.#tools.place(card);
  }

  #fill({ node, body }, element) {
    const by = element.createdBy ? ` by ${displayName(element.createdBy)}` : "";
    const kind = { note: "Note", photo: "Photo", audio: "Recording" }[element.type];
    const label = `${kind}${by}${element.content ? `: ${element.content}` : ""}`;
    if (node.ariaLabel !== label) node.ariaLabel = label;
    body.fill(element);
  }

  #remove(key) {
    const card = this.#cards.get(key);
    if (!card) return;
    const hadFocus = card.node.contains(document.activeElement);
    const neighbour = card.node.nextElementSibling ?? card.node.previousElementSibling;
    if (this.#editing?.key === key) {
      this.#editing.writing.finish();
      this.#editing = null;
      this.#room.endCaret();
    }
    // The hand lets go of those that were dragged with it.
    card.release?.();
    this.#tools.drop(card);
    this.#selection.drop(key);
    card.node.remove();
    this.#cards.delete(key);
    if (hadFocus) (neighbour ?? document.getElementById("board")).focus({ preventScroll: true });
  }

  // Dragging

  #grab(event, card) {
    const element = this.#room.elements.get(card.key);
    if (!element || this.#stage.isPinching || event.button > 0 || event.target.closest("button, textarea, audio, input")) return;
    if (event.shiftKey) {
      event.preventDefault();
      return this.#selection.toggle(card.key);
    }
    if (event.pointerType === "mouse" && !this.#selection.has(card.key)) this.#selection.clear();
    const isResizing = event.target === this.#tools.grip;
    const start = this.#stage.at(event);
    const elements = isResizing ? [element] : this.#selection.around(card.key).map((key) => this.#room.elements.get(key)).filter(Boolean);
    const drag = { start, element, elements, isResizing, moved: false };
    card.node.setPointerCapture(event.pointerId);
    const ending = new AbortController();
    const { signal } = ending;
    const mine = (listener) => (next) => next.pointerId === event.pointerId && listener(next);
    card.node.addEventListener("pointermove", mine((next) => this.#drag(next, card, drag)), { signal });
    const stop = (card.release = () => {
      card.release = null;
      ending.abort();
      card.node.classList.remove("dragged");
      for (const { key } of elements) this.#settle(key);
    });
    // Two fingers move the board, whatever lies under them.
    this.#stage.addEventListener("pinch", stop, { signal });
    const end = mine((next) => {
      stop();
      if (next.pointerType !== "mouse") this.#stage.lift();
      else this.#stage.touchAt(this.#stage.at(next));
    });
    for (const name of ["pointerup", "pointercancel"]) card.node.addEventListener(name, end, { signal });
    if (event.pointerType !== "mouse") this.#stage.touchAt(start, card.key);
  }

  #drag(event, card, drag) {
    const now = this.#stage.at(event);
    const [dx, dy] = [now.x - drag.start.x, now.y - drag.start.y];
    if (!drag.moved && Math.hypot(dx, dy) * this.#stage.zoom < SLACK) return this.#stage.touchAt(now);
    // One hand moves a card; the other one would pull it back and forth.
    if (!drag.moved && card.isHeld) return this.#stage.touchAt(now);
    this.#stage.touchAt(now, card.key);
    drag.moved = true;
    card.node.classList.add("dragged");
    const { element, elements } = drag;
    if (drag.isResizing) return this.#resize(card.key, element, element.width + dx, element.height + dy, true);
    this.#moveAll(elements.map(({ key, positionX, positionY }) => [key, positionX + dx, positionY + dy]), true);
  }

  /** Moves cards, as `[key, x, y]`, in one action. */
  #moveAll(list, isDragged = false) {
    this.#change(list.map(([key, x, y]) => [key, { positionX: Math.round(x), positionY: Math.round(y) }]), isDragged);
  }

  #change(list, isDragged) {
    if (isDragged) for (const [key, fields] of list) if (this.#cards.has(key)) this.#cards.get(key).drag = fields;
    this.#history.updateAll(list);
  }

  /** The hand lets go of it. */
  #settle(key) {
    const [card, element] = [this.#cards.get(key), this.#room.elements.get(key)];
    if (!card?.drag) return;
    card.drag = null;
    if (element) this.#place(card, element);
  }

  #resize(key, element, width, height, isDragged = false) {
    this.#change([[key, resized(element, width, height)]], isDragged);
  }

  #moveSelected(key, dx, dy) {
    const elements = this.#selection.around(key).map((one) => this.#room.elements.get(one)).filter(Boolean);
    this.#moveAll(elements.map(({ key: one, positionX, positionY }) => [one, positionX + dx, positionY + dy]));
  }

  // Keys

  #key(event, card) {
    if (event.target !== card.node || ((event.ctrlKey || event.metaKey) && event.key !== "d")) return;
    const element = this.#room.elements.get(card.key);
    const arrow = ARROWS[event.key];
    if (!element) return;
    if (arrow) {
      const [dx, dy] = arrow.map((direction) => direction * (event.shiftKey ? LEAP : STEP));
      if (event.altKey) this.#resize(card.key, element, element.width + dx, element.height + dy);
      else this.#moveSelected(card.key, dx, dy);
      this.#stage.reveal(this.#room.elements.get(card.key));
    } else if (event.key === "Enter" || event.key === "F2") {
      this.edit(card.key);
    } else if (event.key === "Delete" || event.key === "Backspace") {
      this.#act("delete", card.key);
    } else if (event.key === "d") {
      if (!event.ctrlKey && !event.metaKey) return;
      this.#act("duplicate", card.key);
    } else if (event.key === " ") {
      this.#selection.toggle(card.key);
    } else if (event.key === "]") {
      this.#act("front", card.key);
    } else if (event.key === "Escape") {
      this.#selection.clear();
      document.getElementById("board").focus();
    } else {
      return;
    }
    event.preventDefault();
    event.stopPropagation();
  }

  // Editing

  /** Opens a card's text for editing. The others see the text while the user types. */
  edit(key, { isNew = false } = {}) {
    const card = this.#cards.get(key);
    const element = this.#room.elements.get(key);
    if (!card || !element || this.#editing?.key === key) return;
    const field = fieldFor(element);
    card.node.classList.add("edited");
    card.body.node.after(field);
    const writing = new Writing(field, {
      write: (changes) => this.#history.write(key, changes),
      shown: () => this.#grow(key, field),
      caret: (position, anchor) => this.#room.caret(key, position, anchor),
    });
    this.#editing = { key, field, writing };
    field.addEventListener("keydown", (event) => {
      event.stopPropagation();
      const isDone = event.key === "Escape" || (event.key === "Enter" && (event.ctrlKey || event.metaKey));
      if (isDone) card.node.focus({ preventScroll: true });
    });
    field.addEventListener("blur", () => this.#finish(card, field, isNew), { once: true });
    this.#stage.reveal(element);
    field.focus({ preventScroll: true });
    field.setSelectionRange(field.value.length, field.value.length);
  }

  /** A note is as high as its text needs, and no lower than it was. */
  #grow(key, field) {
    const { type, height } = this.#room.elements.get(key) ?? {};
    if (type !== "note") return;
    const needed = neededHeight(field);
    if (needed > height) this.#room.update(key, { height: needed });
  }

  #finish(card, field, isNew) {
    if (this.#editing?.key !== card.key) return;
    this.#editing.writing.finish();
    this.#editing = null;
    this.#room.endCaret();
    card.node.classList.remove("edited");
    field.remove();
    // A note that was never written is none.
    if (isNew && field.value.trim() === "") this.#history.delete(card.key);
  }
}

const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
