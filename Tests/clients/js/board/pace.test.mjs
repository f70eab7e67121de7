import assert from "node:assert/strict";
import test from "node:test";

import { Pace } from "./page/pace.js";

test("so many go at once, and the others one for each that has an answer", async () => {
  const pace = new Pace();
  const turns = Array.from({ length: 20 }, () => pace.take());
  assert.deepEqual(turns.map((turn) => turn === null), [...Array(16).fill(true), ...Array(4).fill(false)]);
  pace.give();
  await turns[16];
});

test("after a refusal none goes before the server's pause and some more is over, and fewer go at once", async () => {
  let now = 1_000;
  const pace = new Pace({ now: () => now, random: () => 0.5 });
  for (let i = 0; i < 16; i += 1) pace.take();
  for (let i = 0; i < 16; i += 1) pace.give(40);
  now = 1_189;
  assert.notEqual(pace.take(), null);
  now = 1_190;
  // The one that waits goes first.
  pace.give();
  assert.deepEqual(Array.from({ length: 9 }, () => pace.take() === null).filter(Boolean).length, 9);
  assert.notEqual(pace.take(), null);
  pace.release();
});

test("without a connection nobody waits", async () => {
  const pace = new Pace();
  for (let i = 0; i < 16; i += 1) pace.take();
  const turn = pace.take();
  pace.release();
  await turn;
});

test("who waits has a turn after the pause, also when it ends between two readings of the clock", async () => {
  for (const early of [1, 2, 3]) {
    let [left, before] = [Infinity, 1_000];
    const pace = new Pace({ now: () => (left-- > 0 ? before : 1_190), random: () => 0.5 });
    pace.take();
    pace.give(40);
    [left, before] = [early, 1_189];
    const turn = pace.take();
    assert.notEqual(turn, null);
    await turn;
  }
});
