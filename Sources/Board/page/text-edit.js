// Changes of a text that several people write, as docs/PROTOCOL.md has them: arrays in which a positive number keeps so many
// UTF-16 units, a negative one removes so many, and a text is inserted. The server computes the same (Sources/Wire/Text).

/** An edit that is being put together: no empty parts, no equal neighbours, insertions before removals. */
export class Draft {
  parts = [];

  keep(count) {
    this.#add(count, isKept);
  }

  remove(count) {
    this.#add(-count, isRemoved);
  }

  #add(count, isSame) {
    if (count === 0) return;
    const last = this.parts.length - 1;
    if (last >= 0 && isSame(this.parts[last])) this.parts[last] += count;
    else this.parts.push(count);
  }

  insert(text) {
    if (text === "") return;
    let index = this.parts.length;
    if (index > 0 && isRemoved(this.parts[index - 1])) index -= 1;
    if (index > 0 && isText(this.parts[index - 1])) this.parts[index - 1] += text;
    else this.parts.splice(index, 0, text);
  }

  add(part) {
    if (isText(part)) this.insert(part);
    else if (part > 0) this.keep(part);
    else this.remove(-part);
  }
}

/** Goes over an edit's parts in pieces of any length. */
class Cursor {
  #parts;
  #index = 0;
  #taken = 0;

  constructor(parts) {
    this.#parts = parts;
  }

  get #part() {
    return this.#parts[this.#index];
  }

  get rest() {
    if (this.#part === undefined) return 0;
    return (isText(this.#part) ? this.#part.length : Math.abs(this.#part)) - this.#taken;
  }

  get isKeeping() {
    return isKept(this.#part);
  }

  get isRemoving() {
    return isRemoved(this.#part);
  }

  /** So many of the next units of an insertion; undefined when the part is none. */
  insertion(count) {
    return isText(this.#part) ? this.#part.slice(this.#taken, this.#taken + count) : undefined;
  }

  takeInsertion() {
    const text = this.insertion(this.rest);
    if (text !== undefined) this.take(text.length);
    return text;
  }

  take(count) {
    this.#taken += count;
    if (this.rest === 0) [this.#index, this.#taken] = [this.#index + 1, 0];
  }
}

export function isText(part) {
  return typeof part === "string";
}

// A text of digits is greater than 0, too.

export function isKept(part) {
  return !isText(part) && part > 0;
}

export function isRemoved(part) {
  return !isText(part) && part < 0;
}

export function nothing(count) {
  return count > 0 ? [count] : [];
}

export function changesNothing(edit) {
  return edit.every(isKept);
}

/** The length of the texts that an edit fits. */
export function baseCount(edit) {
  return edit.reduce((sum, part) => sum + (isText(part) ? 0 : Math.abs(part)), 0);
}

/** The text after the edit; null when the edit does not fit or would cut a character. */
export function apply(text, edit) {
  if (baseCount(edit) !== text.length) return null;
  let [result, place] = ["", 0];
  for (const part of edit) {
    if (cuts(text, place)) return null;
    if (isText(part)) result += part;
    else if (part > 0) result += text.slice(place, place + part);
    if (!isText(part)) place += Math.abs(part);
  }
  return result;
}

function cuts(text, place) {
  return place > 0 && place < text.length && isHigh(text, place - 1) && isLow(text, place);
}

export function isHigh(text, place) {
  return (text.charCodeAt(place) & 0xfc00) === 0xd800;
}

export function isLow(text, place) {
  return (text.charCodeAt(place) & 0xfc00) === 0xdc00;
}

/** Two edits of the same text, each as it follows the other. At one place the text of `first` stands first. */
export function transform(first, second) {
  const [left, right] = [new Cursor(first), new Cursor(second)];
  const [newFirst, newSecond] = [new Draft(), new Draft()];
  for (;;) {
    let text = left.takeInsertion();
    if (text !== undefined) {
      newFirst.insert(text);
      newSecond.keep(text.length);
      continue;
    }
    text = right.takeInsertion();
    if (text !== undefined) {
      newFirst.keep(text.length);
      newSecond.insert(text);
      continue;
    }
    const count = Math.min(left.rest, right.rest);
    if (count === 0) return [newFirst.parts, newSecond.parts];
    if (left.isKeeping && right.isKeeping) {
      newFirst.keep(count);
      newSecond.keep(count);
    } else if (right.isKeeping) {
      newFirst.remove(count);
    } else if (left.isKeeping) {
      newSecond.remove(count);
    }
    left.take(count);
    right.take(count);
  }
}

/** Whether an edit does all that another one does: what that inserts comes first at its places, and what it removes goes. */
export function includes(edit, other) {
  const [inserted, removed] = [insertions(edit), new Set(removals(edit))];
  return [...insertions(other)].every(([place, text]) => inserted.get(place)?.startsWith(text)) && removals(other).every((place) => removed.has(place));
}

/** What an edit inserts, by the places in the text before. */
function insertions(edit) {
  const result = new Map();
  let place = 0;
  for (const part of edit) {
    if (isText(part)) result.set(place, part);
    else place += Math.abs(part);
  }
  return result;
}

/** The places of what it removes. */
function removals(edit) {
  const result = [];
  let place = 0;
  for (const part of edit) {
    if (isText(part)) continue;
    if (part < 0) for (let index = 0; index < -part; index += 1) result.push(place + index);
    place += Math.abs(part);
  }
  return result;
}

/** The edit without the beginnings of its insertions that the other inserts at the same places. */
export function withoutRepetition(edit, first) {
  const known = insertions(first);
  const draft = new Draft();
  let place = 0;
  for (const part of edit) {
    const other = isText(part) ? known.get(place) : undefined;
    if (!isText(part)) place += Math.abs(part);
    if (other !== undefined && part.startsWith(other)) draft.insert(part.slice(other.length));
    else if (other === undefined || !other.startsWith(part)) draft.add(part);
  }
  return draft.parts;
}

/** An edit and the one that follows it, as one. */
export function compose(edit, next) {
  const [left, right] = [new Cursor(edit), new Cursor(next)];
  const result = new Draft();
  for (;;) {
    if (left.isRemoving) {
      result.remove(left.rest);
      left.take(left.rest);
      continue;
    }
    const inserted = right.takeInsertion();
    if (inserted !== undefined) {
      result.insert(inserted);
      continue;
    }
    const count = Math.min(left.rest, right.rest);
    if (count === 0) return result.parts;
    const text = left.insertion(count);
    if (text === undefined && right.isKeeping) result.keep(count);
    else if (text === undefined) result.remove(count);
    else if (right.isKeeping) result.insert(text);
    left.take(count);
    right.take(count);
  }
}

/** The edit that takes this one back, of the text before it. */
export function invert(text, edit) {
  const draft = new Draft();
  let place = 0;
  for (const part of edit) {
    if (isText(part)) draft.remove(part.length);
    else if (part > 0) draft.keep(part);
    else draft.insert(text.slice(place, place - part));
    if (!isText(part)) place += Math.abs(part);
  }
  return draft.parts;
}

/** Where a place of the text is after the edit. What is inserted right there stands behind it, unless `isBehind`. */
export function moved(place, edit, isBehind = false) {
  let [before, after] = [0, 0];
  for (const part of edit) {
    if (isText(part)) {
      if (before === place && !isBehind) return after;
      after += part.length;
    } else if (before + Math.abs(part) > place) {
      return part > 0 ? after + place - before : after;
    } else {
      before += Math.abs(part);
      if (part > 0) after += part;
    }
  }
  return after;
}
