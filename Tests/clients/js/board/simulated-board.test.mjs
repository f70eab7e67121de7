// Two users write on a board with the aim of losing a word: they write, delete, undo, go offline, reload and take other names, while
// the server is killed. Then all is quiet, and each word that nobody has removed is there. ROOMS_BOARD_SEEDS says how many games are played.

import assert from "node:assert/strict";
import { test } from "node:test";

import { fieldsOf } from "./page/history.js";
import { SimulatedBoard } from "./simulated-board.mjs";
import { SimulatedRoom } from "./simulated-room.mjs";
import { chance, forgetTimers, pass, playWith, turn } from "./simulated-time.mjs";

const [FIRST_SEED, SEEDS] = [Number(process.env.ROOMS_BOARD_SEED ?? 0), Number(process.env.ROOMS_BOARD_SEEDS ?? 25)];
const ROUNDS = 4;
const STEPS = 120;
const NOTES_MAX = 10;
/** Words have five letters, of which they share some. A digit within is a correction. */
const WORDS = /((?:[a-c][0-9]*){4}[a-c]) ?/g;
const WORD_LENGTH = 5;

function count(texts) {
  const counts = new Map();
  for (const [, word] of texts.join(" ").matchAll(WORDS)) counts.set(word, (counts.get(word) ?? 0) + 1);
  return counts;
}

/** A word with a space behind it. */
function wordOf(number) {
  return `${number.toString(3).padStart(WORD_LENGTH, "0").replace(/./g, (digit) => "abc"[digit])} `;
}

class Game {
  #words = [];
  /** Which users have removed a word. */
  #removed = new Map();
  /** Words that are or were in several notes: each user may have removed another one. */
  #copied = new Set();
  /** Words that a user has brought back or copied: they may be there more than once. */
  #doubled = new Set();
  /** Which users have ever removed, replaced or corrected a word. */
  #touched = new Map();
  /** Of which word one is a correction. */
  #corrected = new Map();

  constructor(seed) {
    this.random = chance(seed);
    playWith(chance(seed + 1_000_000));
    this.room = new SimulatedRoom();
    this.boards = ["desk", "phone"].map((name) => new SimulatedBoard(name, this.room, this.random));
  }

  #pick(list) {
    return list[this.random(list.length)];
  }

  async step() {
    const board = this.#pick(this.boards);
    const kind = this.random(100);
    if (kind < 35) this.#act(board);
    else if (kind < 55) board.deliver();
    else if (kind < 80) board.hear();
    else if (kind < 90) this.room.store();
    else if (kind < 95) board.connect();
    else await pass(this.#pick([1, 10, 70, 300, 1_500]));
    await turn();
  }

  #act(board) {
    const keys = [...board.elements].map(({ key }) => key);
    // Mostly both in the same note.
    const key = this.random(2) ? keys[0] : keys.length && this.#pick(keys);
    const kind = this.random(100);
    if (kind < 45) return this.#write(board, kind < 9 && keys.length < NOTES_MAX ? board.history.create({ type: "note", content: "" }) : key);
    if (kind < 52) return key && this.#changes(board, () => board.history.delete(key));
    if (kind < 58) return this.#changes(board, () => board.history.undo());
    if (kind < 61) return this.#changes(board, () => board.history.redo());
    if (kind < 67) return key && board.history.update(key, { positionX: this.random(1_000) });
    if (kind < 69) return key && this.#changes(board, () => this.#removeWord(board, key));
    if (kind < 70) return key && this.#changes(board, () => this.#replaceWord(board, key));
    if (kind < 71) return key && this.#changes(board, () => this.#correctWord(board, key));
    if (kind < 75) return this.#changeNetwork(board);
    if (kind < 78) return [board.disconnect(), board.load()];
    if (kind < 80) return board.disconnect({ isKept: this.random(2) === 0 });
    if (kind < 82) return board.rename(`${board.name}${this.random(50)}`);
    if (kind < 84) return board.drafts.size && this.#changes(board, () => this.#settleDraft(board));
    if (kind < 87) return this.#enterAgain(board);
    if (kind < 90) return key && keys.length < NOTES_MAX && this.#changes(board, () => board.history.create(fieldsOf(board.elements.get(key))));
    if (kind < 93) this.#end({ isKilled: this.random(3) > 0 });
  }

  #newWord() {
    this.#words.push(wordOf(this.#words.length).trim());
    return wordOf(this.#words.length - 1);
  }

  #write(board, key) {
    if (!key) return;
    const text = board.elements.get(key).content ?? "";
    const places = [...text.matchAll(WORDS)].map(({ index }) => index);
    this.#change(board, key, this.#pick([...places, text.length]), this.#newWord());
  }

  #change(board, key, place, fresh, removed = 0) {
    const { length } = board.elements.get(key).content ?? "";
    board.history.write(key, [place, fresh, -removed, length - place - removed].filter((part) => part !== 0 && part !== ""));
  }

  /** A word in a text, with a space behind it, and where it begins. */
  #anyWord(board, key) {
    const found = [...(board.elements.get(key).content ?? "").matchAll(WORDS)];
    return found.length ? this.#pick(found.map(({ 0: part, 1: word, index }) => ({ part, word, place: index }))) : {};
  }

  #removeWord(board, key) {
    const { part, place } = this.#anyWord(board, key);
    if (part) this.#change(board, key, place, "", part.length);
  }

  #replaceWord(board, key) {
    const { part, place } = this.#anyWord(board, key);
    if (part) this.#change(board, key, place, this.#newWord(), part.length);
  }

  #correctWord(board, key) {
    const { word, place } = this.#anyWord(board, key);
    if (!word || word.length > WORD_LENGTH) return;
    const [at, digit] = [1 + this.random(WORD_LENGTH - 1), `${this.#corrected.size}`];
    const fresh = word.slice(0, at) + digit + word.slice(at);
    this.#words.push(fresh);
    this.#corrected.set(fresh, word);
    this.#change(board, key, place + at, digit);
  }

  #settleDraft(board) {
    const [key, content] = this.#pick([...board.drafts]);
    // The note that it is of may be there all the same, on a server that was killed before it had stored the deletion.
    for (const word of count([content]).keys()) this.#doubled.add(word);
    board.settleDraft(key);
    if (this.random(3)) board.history.create({ type: "note", content });
  }

  /** The connection may be lost before the room has answered. */
  #enterAgain(board) {
    board.enterAgain();
    if (this.random(3) === 0) board.disconnect({ isKept: this.random(2) === 0 });
  }

  #changeNetwork(board) {
    board.isOffline = !board.isOffline;
    if (board.isOffline) board.disconnect({ isKept: this.random(2) === 0 });
  }

  #end(how) {
    this.room.end(how);
    for (const board of this.boards) board.ended(how);
  }

  /** Does what may remove words: those that the user saw before and sees no more are removed. */
  #changes(board, act) {
    const before = count(board.texts);
    const known = this.#words.length;
    act();
    const after = count(board.texts);
    const fresh = this.#words.slice(known);
    for (const [word, number] of [...before, ...after]) if (number > 1) this.#copied.add(word);
    for (const [word, number] of after) if (number > (before.get(word) ?? 0) && !fresh.includes(word)) this.#doubled.add(word);
    for (const [word, users] of this.#removed) {
      if (after.has(word) && !before.has(word) && users.delete(board.name) && !users.size) this.#removed.delete(word);
    }
    for (const [word, number] of before) {
      const rest = after.get(word) ?? 0;
      if (rest >= number || (rest && !this.#copied.has(word))) continue;
      // With a correction goes the word that is corrected, also if its author has taken the correction back meanwhile.
      for (const gone of [word, this.#corrected.get(word)].filter(Boolean)) {
        this.#removed.set(gone, (this.#removed.get(gone) ?? new Set()).add(board.name));
      }
      this.#touched.set(word, (this.#touched.get(word) ?? new Set()).add(board.name));
    }
  }

  /** All are online, and all that was written has its place. */
  async beQuiet() {
    for (let rounds = 0; rounds === 0 || !this.boards.every((board) => board.isSettled); rounds += 1) {
      assert.ok(rounds < 400, `it does not become quiet: ${this.boards.map((board) => board.elements.pending)} changes are left`);
      for (const board of this.boards) {
        board.isOffline = false;
        board.connect();
        while (board.deliver());
      }
      this.room.store();
      for (const board of this.boards) while (board.hear()) await turn();
      await turn();
      await pass(100);
    }
    const texts = this.room.elements.map(({ content }) => content ?? "").sort();
    for (const board of this.boards) assert.deepEqual([...board.elements].map(({ content }) => content ?? "").sort(), texts);
    const there = count([...texts, ...this.boards.flatMap((board) => [...board.drafts.values()])]);
    for (const [word, number] of there) {
      this.#removed.delete(word);
      if (number > 1) this.#copied.add(word);
    }
    // A correction may be all that is left of a word that another user has removed, and stand beside a word that was not stored when it was made.
    const withoutCorrections = (word) => word.replace(/[0-9]/g, "");
    const words = new Set([...there.keys()].map(withoutCorrections));
    const isThere = (word) => words.has(withoutCorrections(word)) || this.#touched.get(this.#corrected.get(word))?.size > 1;
    assert.deepEqual(this.#words.filter((word) => !isThere(word) && !this.#removed.has(word)), [], "words are lost");
    assert.deepEqual([...count(texts)].filter(([word, number]) => number > 1 && !this.#doubled.has(word)), [], "words are doubled");
  }
}

test("two users who try lose no word", async () => {
  for (let seed = FIRST_SEED; seed < FIRST_SEED + SEEDS; seed += 1) {
    forgetTimers();
    const game = new Game(seed);
    try {
      for (let round = 0; round < ROUNDS; round += 1) {
        for (let step = 0; step < STEPS; step += 1) await game.step();
        await game.beQuiet();
      }
    } catch (error) {
      error.message = `seed ${seed}: ${error.message}`;
      throw error;
    }
  }
});
