// One's own actions, for undo and redo. An action is a list of steps on elements, by their keys. What others changed
// meanwhile stays as they left it: only values and words that are still one's own go back. It needs no page.

import { after, guess } from "./text-difference.js";
import { apply, changesNothing, compose, invert } from "./text-edit.js";

const ACTIONS_MAX = 200;
/** Changes of the same fields of the same elements within this time are one action, as in a drag or while writing. */
const ONE = 1_000;
/** What an element is made of when it is made again. */
export const FIELDS = ["type", "positionX", "positionY", "width", "height", "content", "imageUrl", "audioUrl", "duration", "z", "color"];

export class History {
  #elements;
  #on;
  #now;
  #done = [];
  #undone = [];

  /**
   * @param {object} elements `get(key)`, `create(fields, key)`, which gives the key, `update(key, fields)`,
   *   `write(key, changes)` of its text, and `delete(key)`
   * @param {object} options changed(): there is something else to undo or redo now
   */
  constructor(elements, { changed = () => {}, now = () => Date.now() } = {}) {
    this.#elements = elements;
    this.#on = { changed };
    this.#now = now;
  }

  get canUndo() {
    return this.#done.length > 0;
  }

  get canRedo() {
    return this.#undone.length > 0;
  }

  // Doing

  create(fields, key) {
    return this.createAll([fields], [key])[0];
  }

  /** Makes elements in one action, with these keys where there are any. */
  createAll(list, keys = []) {
    const steps = list.map((fields, i) => ({ kind: "create", key: this.#elements.create(fields, keys[i]), fields: { ...fields } }));
    this.#add({ steps, at: null });
    return steps.map(({ key }) => key);
  }

  update(key, fields) {
    this.updateAll([[key, fields]]);
  }

  /** Changes elements, as `[key, fields]`, in one action. */
  updateAll(list) {
    const steps = [];
    for (const [key, after] of list) {
      const element = this.#elements.get(key);
      if (!element) continue;
      const before = Object.fromEntries(Object.keys(after).map((name) => [name, element[name] ?? null]));
      steps.push({ kind: "update", key, before, after: { ...after } });
      this.#elements.update(key, after);
    }
    if (steps.length && !this.#joins(steps)) this.#add({ steps, at: this.#now() });
  }

  /** Changes a text. What others write in it meanwhile is no part of the action. */
  write(key, changes) {
    const text = this.#elements.get(key)?.content ?? "";
    const after = apply(text, changes);
    if (!this.#elements.get(key) || after === null) return;
    const inverse = invert(text, changes);
    this.#elements.write(key, changes);
    const last = this.#done.at(-1);
    const isSame = last?.steps[0].kind === "write" && last.steps[0].key === key && last.at !== null && this.#now() - last.at < ONE;
    if (!isSame) return this.#add({ steps: [{ kind: "write", key, inverse, after }], at: this.#now() });
    const [step] = last.steps;
    Object.assign(step, { inverse: compose(inverse, followed(step, text)), after });
    last.at = this.#now();
    this.#undone = [];
    this.#on.changed();
  }

  /** Whether these changes go on with those of the last action. */
  #joins(steps) {
    const last = this.#done.at(-1);
    const isSame = last?.steps.length === steps.length && this.#now() - last.at < ONE && last.at !== null &&
      steps.every(({ key, after }, i) => last.steps[i].key === key && String(Object.keys(last.steps[i].after)) === String(Object.keys(after)));
    if (!isSame) return false;
    steps.forEach(({ after }, i) => (last.steps[i].after = after));
    last.at = this.#now();
    this.#undone = [];
    this.#on.changed();
    return true;
  }

  delete(key) {
    this.deleteAll([key]);
  }

  /** Deletes elements in one action. What was made and never written was never there. */
  deleteAll(keys) {
    const steps = [];
    for (const key of keys) {
      const element = this.#elements.get(key);
      if (!element) continue;
      steps.push({ kind: "delete", key, fields: fieldsOf(element) });
      this.#elements.delete(key);
    }
    const last = this.#done.at(-1);
    const wasNothing = steps.length === 1 && last?.steps.length === 1 && last.steps[0].kind === "create" &&
      last.steps[0].key === steps[0].key && !steps[0].fields.content && steps[0].fields.type === "note";
    if (wasNothing) {
      this.#done.pop();
      this.#on.changed();
    } else if (steps.length) {
      this.#add({ steps, at: null });
    }
  }

  #add(action) {
    this.#done.push(action);
    if (this.#done.length > ACTIONS_MAX) this.#done.shift();
    this.#undone = [];
    this.#on.changed();
  }

  // Undoing

  /** Takes the last action back. Gives whether all of it could be taken back; null if there is none. */
  undo() {
    return this.#turn(this.#done, this.#undone, (step) => this.#back(step), true);
  }

  redo() {
    return this.#turn(this.#undone, this.#done, (step) => this.#again(step), false);
  }

  #turn(from, to, act, isBackward) {
    const action = from.pop();
    if (!action) return null;
    const steps = isBackward ? [...action.steps].reverse() : action.steps;
    const isWhole = steps.map(act).every(Boolean);
    to.push({ ...action, at: null });
    this.#on.changed();
    return isWhole;
  }

  #back(step) {
    switch (step.kind) {
      case "create":
        return this.#vanish(step);
      case "delete":
        return this.#appear(step);
      case "write":
        return this.#rewrite(step);
      default:
        return this.#set(step.key, step.after, step.before);
    }
  }

  #again(step) {
    switch (step.kind) {
      case "create":
        return this.#appear(step);
      case "delete":
        return this.#vanish(step);
      case "write":
        return this.#rewrite(step);
      default:
        return this.#set(step.key, step.before, step.after);
    }
  }

  /** What others wrote on it meanwhile comes back with it. */
  #vanish(step) {
    const element = this.#elements.get(step.key);
    if (!element) return false;
    step.fields = fieldsOf(element);
    this.#elements.delete(step.key);
    return true;
  }

  #appear(step) {
    const before = step.key;
    // Others have written in it before it was gone: it never was.
    if (this.#elements.get(before)) return true;
    const key = this.#elements.create(step.fields);
    for (const { steps } of [...this.#done, ...this.#undone]) for (const other of steps) if (other.key === before) other.key = key;
    step.key = key;
    return true;
  }

  /** Takes back what was written, or writes it again: what others wrote stays. */
  #rewrite(step) {
    const element = this.#elements.get(step.key);
    if (!element) return false;
    const text = element.content ?? "";
    const changes = followed(step, text);
    if (changesNothing(changes)) return changesNothing(step.inverse);
    this.#elements.write(step.key, changes);
    Object.assign(step, { inverse: invert(text, changes), after: apply(text, changes) });
    return true;
  }

  #set(key, expected, wanted) {
    const element = this.#elements.get(key);
    if (!element) return false;
    const names = Object.keys(wanted).filter((name) => (element[name] ?? null) === (expected[name] ?? null));
    if (names.length) this.#elements.update(key, Object.fromEntries(names.map((name) => [name, wanted[name]])));
    return names.length === Object.keys(wanted).length;
  }
}

/** What takes a text back, as a change of the text that there is now. */
function followed({ inverse, after: before }, text) {
  return after(guess(before, text), inverse, before);
}

/** The fields of an element that another one like it is made with. */
export function fieldsOf(element) {
  return Object.fromEntries(FIELDS.filter((name) => (element[name] ?? null) !== null).map((name) => [name, element[name]]));
}
