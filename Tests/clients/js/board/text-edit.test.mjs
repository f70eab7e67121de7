import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import { difference, guess, hasMore } from "./page/text-difference.js";
import { apply, changesNothing, compose, invert, moved, transform, withoutRepetition } from "./page/text-edit.js";

const vectors = JSON.parse(readFileSync(new URL("text-edits.json", import.meta.url)));

test("edits do what the server's do", () => {
  assert.equal(vectors.edits.length, 120);
  for (const { text, first, second, firstAfterSecond, secondAfterFirst, firstThenSecond, firstInverted, result } of vectors.edits) {
    assert.deepEqual(transform(first, second), [firstAfterSecond, secondAfterFirst]);
    assert.equal(apply(apply(text, first), secondAfterFirst), result);
    assert.equal(apply(apply(text, second), firstAfterSecond), result);
    assert.deepEqual(compose(first, secondAfterFirst), firstThenSecond);
    assert.deepEqual(invert(text, first), firstInverted);
    assert.equal(apply(apply(text, first), firstInverted), text);
  }
});

test("a word in front of one that begins alike stays when that one is removed", () => {
  const [old, fresh] = ["tomato", "tower tomato"];
  const [, written] = transform([-6], difference(old, fresh));
  assert.equal(apply("", written), "tower ");
});

test("differences are the server's", () => {
  for (const { old, new: fresh, changes } of vectors.differences) {
    assert.deepEqual(difference(old, fresh), changes);
    assert.equal(apply(old, changes), fresh);
  }
});

test("guesses are the server's", () => {
  assert.equal(vectors.guesses.length, 17);
  for (const { old, new: fresh, changes } of vectors.guesses) {
    assert.deepEqual(guess(old, fresh), changes);
    assert.equal(apply(old, changes), fresh);
  }
});

test("a text has more than another one if it has a word that the other has not, though all of its letters are there", () => {
  assert.equal(hasMore("aacaa aaabb", "aacbb aacca abaaa aaabb"), true);
  for (const text of ["", "one", "two", "one two", "one  two"]) assert.equal(hasMore(text, "one  two"), false);
});

test("what a writer repeats is inserted once", () => {
  for (const { first, second, secondAfterFirst } of vectors.repetitions) {
    assert.deepEqual(transform(first, withoutRepetition(second, first))[1], secondAfterFirst);
  }
});

test("a text of digits is no number", () => {
  for (const text of ["1", "-1", "0", "1e3"]) {
    assert.equal(changesNothing([2, text]), false);
    assert.equal(apply("ab", compose([2, text], [2 + text.length, text])), `ab${text}${text}`);
    assert.deepEqual(transform([2, text], [2, text]), [[2, text, text.length], [2 + text.length, text]]);
    assert.deepEqual(invert("ab", [2, text]), [2, -text.length]);
    assert.deepEqual(difference("ab", `ab${text}`), [2, text]);
    assert.equal(moved(2, [1, text, 1]), 2 + text.length);
  }
});

test("an edit that does not fit or cuts a character gives nothing", () => {
  assert.equal(apply("a𝄞b", [2, "x", 2]), null);
  assert.equal(apply("a𝄞b", [3, "x"]), null);
  assert.equal(apply("a𝄞b", [3, "x", 1]), "a𝄞xb");
});

test("places move with what is inserted and removed before them", () => {
  assert.deepEqual([0, 1, 2, 3, 4, 5].map((place) => moved(place, [1, "xy", 1, -1, 2])), [0, 1, 4, 4, 5, 6]);
  assert.equal(moved(1, [1, "xy", 1, -1, 2], true), 3);
});

test("texts that differ everywhere take a bounded time", () => {
  const [old, fresh] = [7, 5].map((step) => Array.from({ length: 5_000 }, (_, n) => String.fromCharCode(33 + (n * step) % 15)).join(""));
  assert.equal(apply(old, difference(old, fresh)), fresh);
});
