// A field in which a text is written that others may change at the same time: the caret and the composition of an input method
// stay while their changes come in, and undoing takes back one's own changes only.

import { difference } from "./text-difference.js";
import { apply, changesNothing, compose, invert, moved, transform } from "./text-edit.js";

/** What is typed without a longer pause is undone at once. */
const RUN = 700;
const UNDO_MAX = 200;
/** Characters that no text may have, as in what is copied from a terminal. The server would refuse all that came with them. */
const UNFIT = /[\0-\x08\x0e-\x1f\x7f-\x84\x86-\x9f]/g;

export class Writing {
  #field;
  #write;
  #caret;
  #told;
  /** The text in the field, as far as it was told on; and what it shall be when the composition ends. */
  #shown;
  #target = null;
  /** What was selected before the input. */
  #selection = [0, 0];
  /** Edits that take back one's own changes, the last of the current text, each of the text after the ones behind it. */
  #undo = [];
  #redo = [];
  #typedAt = -Infinity;
  #end = new AbortController();

  /** write(changes): one's own change; shown(): there is another text; caret(position, anchor): where one writes now. */
  constructor(field, { write, caret, shown = () => {} }) {
    this.#field = field;
    this.#write = write;
    this.#told = shown;
    this.#caret = caret;
    this.#shown = field.value;
    field.addEventListener("input", () => this.#input());
    field.addEventListener("compositionstart", () => (this.#target = this.#shown));
    field.addEventListener("compositionend", () => this.#composed());
    field.addEventListener("beforeinput", (event) => {
      this.#selection = [field.selectionStart, field.selectionEnd];
      this.#history(event, { historyUndo: -1, historyRedo: 1 }[event.inputType]);
    });
    field.addEventListener("keydown", (event) => this.#history(event, direction(event)));
    field.addEventListener("selectionchange", () => this.#tellCaret());
    addEventListener("pagehide", () => this.#composed(), { signal: this.#end.signal });
  }

  /** The text is now this one. */
  follow(text) {
    if (this.#target !== null) return (this.#target = text);
    if (text === this.#shown) return;
    const changes = difference(this.#shown, text);
    this.#undo = followed(this.#undo, changes);
    this.#redo = followed(this.#redo, changes);
    this.#show(text, changes);
    this.#tell();
  }

  /** Takes what is being composed, before the field goes. */
  finish() {
    this.#end.abort();
    this.#composed();
  }

  // One's own changes

  #input() {
    if (this.#target !== null) return;
    this.#leaveOutUnfit();
    if (this.#field.value === this.#shown) return;
    const changes = replaced(this.#shown, this.#field.value, this.#selection) ?? typed(this.#shown, this.#field.value, this.#field.selectionStart);
    this.#note(invert(this.#shown, changes));
    this.#shown = this.#field.value;
    this.#write(changes);
    this.#tell();
  }

  #composed() {
    // It has been taken before.
    if (this.#target === null) return;
    this.#leaveOutUnfit();
    const [own, others] = [typed(this.#shown, this.#field.value, this.#field.selectionStart), difference(this.#shown, this.#target)];
    const [shift, changes] = transform(others, own);
    const text = this.#target;
    [this.#target, this.#shown] = [null, this.#field.value];
    this.#undo = followed(this.#undo, others);
    this.#redo = [];
    this.#show(apply(text, changes), shift);
    if (!changesNothing(changes)) {
      this.#note(invert(text, changes));
      this.#write(changes);
    }
    this.#tell();
  }

  #leaveOutUnfit() {
    const { value, selectionStart, selectionEnd } = this.#field;
    const fit = (text) => text.replace(UNFIT, "");
    if (fit(value) === value) return;
    const [start, end] = [selectionStart, selectionEnd].map((place) => fit(value.slice(0, place)).length);
    this.#field.value = fit(value);
    this.#field.setSelectionRange(start, end);
  }

  #show(text, changes) {
    const { selectionStart, selectionEnd, selectionDirection, scrollTop } = this.#field;
    this.#field.value = this.#shown = text;
    const [start, end] = [moved(selectionStart, changes), moved(selectionEnd, changes)];
    this.#field.setSelectionRange(Math.min(start, end), end, selectionDirection);
    this.#field.scrollTop = scrollTop;
  }

  /** Once the element has the text: the note may grow then, and whoever draws it anew shows what the element has. */
  #tell() {
    this.#told();
    this.#tellCaret();
  }

  #tellCaret() {
    if (document.activeElement !== this.#field || this.#target !== null) return;
    const { selectionStart, selectionEnd, selectionDirection } = this.#field;
    const isBackward = selectionDirection === "backward";
    this.#caret(isBackward ? selectionStart : selectionEnd, isBackward ? selectionEnd : selectionStart);
  }

  // Undoing

  #note(inverse) {
    const isRun = performance.now() - this.#typedAt < RUN && this.#undo.length > 0 && this.#redo.length === 0;
    if (isRun) this.#undo.push(compose(inverse, this.#undo.pop()));
    else this.#undo.push(inverse);
    if (this.#undo.length > UNDO_MAX) this.#undo.shift();
    this.#redo = [];
    this.#typedAt = performance.now();
  }

  #history(event, way) {
    if (!way || this.#target !== null) return;
    event.preventDefault();
    const [from, to] = way < 0 ? [this.#undo, this.#redo] : [this.#redo, this.#undo];
    let changes;
    // What others have removed meanwhile needs no undoing.
    do changes = from.pop(); while (changes && changesNothing(changes));
    if (!changes) return;
    to.push(invert(this.#shown, changes));
    this.#typedAt = -Infinity;
    const text = apply(this.#shown, changes);
    this.#show(text, changes);
    const end = lastChange(changes);
    this.#field.setSelectionRange(end, end);
    this.#write(changes);
    this.#tell();
  }
}

/** The field for the text of an element. */
export function fieldFor({ type, content = "" }) {
  const field = document.createElement("textarea");
  field.maxLength = 5_000;
  field.value = content;
  field.dir = "auto";
  field.setAttribute("aria-label", type === "note" ? "The note's text" : "The caption");
  field.placeholder = type === "note" ? "Write something" : "A caption";
  return field;
}

function direction({ key, ctrlKey, metaKey, shiftKey, altKey }) {
  if (!(ctrlKey || metaKey) || altKey) return 0;
  if (key.toLowerCase() === "z") return shiftKey ? 1 : -1;
  return key.toLowerCase() === "y" && !shiftKey ? 1 : 0;
}

/** Edits that follow each other, the last of the current text, after another change of it. */
function followed(edits, changes) {
  const result = [];
  for (const edit of [...edits].reverse()) {
    const [rest, follows] = transform(changes, edit);
    result.unshift(follows);
    changes = rest;
  }
  return result;
}

/** What was typed in place of a selection, which may begin with the same letters; null if it was something else. */
function replaced(old, fresh, [start, end]) {
  const tail = old.length - end;
  const isIt = start < end && start + tail <= fresh.length && old.slice(0, start) === fresh.slice(0, start) && old.slice(end) === fresh.slice(fresh.length - tail);
  return isIt ? [start, fresh.slice(start, fresh.length - tail), start - end, tail].filter((part) => part !== 0 && part !== "") : null;
}

/** What was typed, if the caret is now behind it: the same letter may stand beside it. */
function typed(old, fresh, caret) {
  const tail = fresh.length - caret;
  const kept = old.length - tail;
  if (kept >= 0 && old.slice(kept) === fresh.slice(caret)) {
    let head = 0;
    while (head < Math.min(kept, caret) && old[head] === fresh[head]) head += 1;
    const changes = [head, fresh.slice(head, caret), head - kept, tail].filter((part) => part !== 0 && part !== "");
    if (changes.length === 0 || apply(old, changes) === fresh) return changes;
  }
  return difference(old, fresh);
}

/** The end of the last change, in the text after it. */
export function lastChange(changes) {
  let [place, last] = [0, 0];
  for (const part of changes) {
    const isText = typeof part === "string";
    if (isText || part > 0) place += isText ? part.length : part;
    if (isText || part < 0) last = place;
  }
  return last;
}
