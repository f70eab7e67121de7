// Differences of two texts, in words, and edits that meet them: what is known of a change where only the texts are.

import { Draft, isHigh, isKept, isLow, isRemoved, isText, transform } from "./text-edit.js";

const DIFFERENCES_MAX = 128;
/** Longer runs of letters are no words: some languages write without spaces. */
const WORD_MAX = 32;

/**
 * The edit as it follows another one of the same text that is only guessed. A word that has changed may be another word now, which
 * shares letters with the old one: nothing of it is removed. At one place the text of the edit stands first, unless `isBehind`.
 */
export function after(first, edit, text, isBehind = false) {
  const isChanged = changedWords(text, first);
  const draft = new Draft();
  let place = 0;
  for (const [index, part] of edit.entries()) {
    const end = isText(part) ? place : place + Math.abs(part);
    if (isRemoved(part)) remove(draft, text, place, end, isChanged);
    else draft.add(part);
    const next = edit[index + 1];
    if (isText(part) && isRemoved(next) && isOfSpacedWord(part.at(-1)) && isWord(text, place, place - next, isChanged)) draft.insert(" ");
    place = end;
  }
  return isBehind ? transform(first, draft.parts)[1] : transform(draft.parts, first)[0];
}

/** Whether a part of a text begins and ends with words, of which the first one stays. */
function isWord(text, from, to, stays) {
  return stays[from] === 1 && isOfSpacedWord(text[from]) && !cutsWord(text, from) && !cutsWord(text, to);
}

/** Removes a part of a text, except words that stay, and what is between one of them and another word. */
function remove(draft, text, from, to, stays) {
  const isBehindWord = isOfWord(text[from - 1]);
  const lastWord = isOfWord(text[to]) ? to : stays.subarray(0, to).lastIndexOf(1);
  for (let place = from; place < to; place += 1) {
    const isSpace = text[place] === " " || text[place] === "\n";
    const isBetween = isSpace && ((isBehindWord && stays[place + 1]) || (place < lastWord && stays[place - 1]));
    if (stays[place] || isBetween) draft.keep(1);
    else draft.remove(1);
  }
}

/** Which units of a text are of words that an edit changes, or puts others in place of. */
function changedWords(text, edit) {
  const marks = new Uint8Array(text.length);
  let [place, isReplaced] = [0, false];
  for (const part of edit) {
    const end = isText(part) ? place : place + Math.abs(part);
    if (isReplaced && isRemoved(part)) marks.fill(1, place, end);
    isReplaced = isText(part);
    const changed = isText(part) ? part : text.slice(place, end);
    const isWithin = isText(part) && cutsWord(text, place);
    if (!isKept(part) && (isWithin || isOfSpacedWord(changed[0]))) marks.fill(1, place - lettersFrom(text, place - 1, -1), place);
    if (!isKept(part) && (isWithin || isOfSpacedWord(changed.at(-1)))) marks.fill(1, end, end + lettersFrom(text, end, 1));
    place = end;
  }
  return marks;
}

/** A short edit that makes one text out of another: words that are in both stay. */
export function difference(old, fresh) {
  return edited(old, fresh, common);
}

/** The same for texts of which nobody knows how one became the other: no word is made of letters of another one. */
export function guess(old, fresh) {
  return edited(old, fresh, commonGuess);
}

function edited(old, fresh, shared) {
  const draft = new Draft();
  const [head, tail] = commonWords(old, fresh);
  draft.keep(head);
  const oldWords = words(old.slice(head, old.length - tail));
  const newWords = words(fresh.slice(head, fresh.length - tail));
  const [oldPlaces, newPlaces] = [places(oldWords), places(newWords)];
  let [from, to] = [0, 0];
  for (const [x, y] of [...matches(oldWords, newWords), [oldWords.length, newWords.length]]) {
    replace(draft, old.slice(head + from, head + oldPlaces[x]), fresh.slice(head + to, head + newPlaces[y]), shared);
    draft.keep(oldWords[x]?.length ?? 0);
    [from, to] = [oldPlaces[x + 1], newPlaces[y + 1]];
  }
  draft.keep(tail);
  return draft.parts;
}

/** Whether a text has words that another one has not. */
export function hasMore(fresh, old) {
  const [head, tail] = commonWords(old, fresh);
  const [oldWords, newWords] = [old, fresh].map((text) => words(text.slice(head, text.length - tail)));
  return matches(oldWords, newWords).length < newWords.length;
}

function replace(draft, old, fresh, shared) {
  const [head, tail] = shared(old, fresh);
  draft.keep(head);
  draft.insert(fresh.slice(head, fresh.length - tail));
  draft.remove(old.length - head - tail);
  draft.keep(tail);
}

/** How many units two texts share at their beginnings and at their ends, without cutting a character. */
function common(old, fresh) {
  const most = Math.min(old.length, fresh.length);
  let [head, tail] = [0, 0];
  while (head < most && old[head] === fresh[head]) head += 1;
  if (head > 0 && isHigh(old, head - 1)) head -= 1;
  while (tail < most - head && old[old.length - 1 - tail] === fresh[fresh.length - 1 - tail]) tail += 1;
  if (tail > 0 && isLow(old, old.length - tail)) tail -= 1;
  return [head, tail];
}

/** The same without cutting a word, unless that has only more letters, or less. Without spaces nobody knows where words begin. */
function commonGuess(old, fresh) {
  let [head, tail] = common(old, fresh);
  const changed = [old, fresh].map((text) => text.slice(head, text.length - tail));
  if (changed.includes("") && [...changed.join("")].every(isOfWord)) return [head, tail];
  if (cutsWord(old, head) || cutsWord(fresh, head)) head -= lettersFrom(old, head - 1, -1);
  if (cutsWord(old, old.length - tail) || cutsWord(fresh, fresh.length - tail)) tail -= lettersFrom(old, old.length - tail, 1);
  return [head, tail];
}

function cutsWord(text, place) {
  return isOfSpacedWord(text[place - 1]) && isOfSpacedWord(text[place]);
}

/** How many letters of a word stand at a place and behind it in one direction; 0 if that is too long for a word. */
function lettersFrom(text, place, step) {
  let count = 0;
  while (count <= WORD_MAX && isOfSpacedWord(text[place + step * count])) count += 1;
  return count > WORD_MAX ? 0 : count;
}

/**
 * The same without cutting a word. A new word before one that begins with the same letters does not become one within it, of
 * which a part goes when another user removes that word.
 */
function commonWords(old, fresh) {
  let [head, tail] = common(old, fresh);
  if ([old, fresh].some((text) => isOfWord(text[head]))) while (head > 0 && isOfWord(old[head - 1])) head -= 1;
  if ([old, fresh].some((text) => isOfWord(text[text.length - 1 - tail]))) while (tail > 0 && isOfWord(old[old.length - tail])) tail -= 1;
  return [head, tail];
}

function isOfWord(unit) {
  return unit !== undefined && /[0-9A-Za-z\u0080-\uffff]/.test(unit);
}

/** Chinese and Japanese have no spaces between words: a character is a word there. */
function isOfSpacedWord(unit) {
  return isOfWord(unit) && !/[\u2e80-\ua4cf\uf900-\ufaff]/.test(unit);
}

/** Runs of letters and digits, and every other unit by itself. All that is not ASCII counts as a letter. */
function words(text) {
  return text.match(/[0-9A-Za-z\u0080-\uffff]+|[^]/g) ?? [];
}

/** Where each word begins, and the end. */
function places(list) {
  const result = [0];
  for (const word of list) result.push(result.at(-1) + word.length);
  return result;
}

/** The places of words that stay, in both lists: the way of Myers. */
function matches(old, fresh) {
  const rows = steps(old, fresh);
  const result = [];
  let [x, y] = [old.length, fresh.length];
  for (let distance = rows.length - 1; distance >= 0; distance -= 1) {
    const [row, diagonal] = [rows[distance], x - y];
    const before = isInsertion(row, diagonal, distance) ? diagonal + 1 : diagonal - 1;
    const fromX = distance === 0 ? 0 : row[DIFFERENCES_MAX + 1 + before];
    const fromY = distance === 0 ? 0 : fromX - before;
    while (x > fromX && y > fromY) result.push([--x, --y]);
    [x, y] = [fromX, fromY];
  }
  return result.reverse();
}

function isInsertion(row, diagonal, distance) {
  const middle = DIFFERENCES_MAX + 1 + diagonal;
  return diagonal === -distance || (diagonal !== distance && row[middle - 1] < row[middle + 1]);
}

/** How far each diagonal was reached before each step. Empty when there are too many steps. */
function steps(old, fresh) {
  const reached = new Int32Array(2 * DIFFERENCES_MAX + 3);
  const rows = [];
  for (let distance = 0; distance <= DIFFERENCES_MAX; distance += 1) {
    rows.push(reached.slice());
    for (let diagonal = -distance; diagonal <= distance; diagonal += 2) {
      const middle = DIFFERENCES_MAX + 1 + diagonal;
      let x = isInsertion(reached, diagonal, distance) ? reached[middle + 1] : reached[middle - 1] + 1;
      while (x < old.length && x - diagonal < fresh.length && old[x] === fresh[x - diagonal]) x += 1;
      reached[middle] = x;
      if (x >= old.length && x - diagonal >= fresh.length) return rows;
    }
  }
  return [];
}
