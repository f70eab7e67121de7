import assert from "node:assert/strict";
import test from "node:test";

import { Newest } from "./page/newest.js";

test("shows the answer to the newest question, whichever comes first", async () => {
  for (const order of [[0, 1], [1, 0]]) {
    const newest = new Newest();
    const [answer, shown] = [[], []];
    const questions = [0, 1].map((index) => new Promise((resolve) => (answer[index] = resolve)));
    const results = questions.map((question) => newest.show(question, (text) => shown.push(text)));
    for (const index of order) answer[index](["old", "new"][index]);
    assert.deepEqual(await Promise.all(results), [false, true]);
    assert.deepEqual(shown, ["new"]);
  }
});

test("shows nothing of what was asked before it forgets, and goes on with what is asked then", async () => {
  const newest = new Newest();
  const shown = [];
  const before = newest.show(Promise.resolve("before"), (text) => shown.push(text));
  newest.forget();
  assert.equal(await newest.show(Promise.resolve("after"), (text) => shown.push(text)), true);
  assert.equal(await before, false);
  assert.deepEqual(shown, ["after"]);
});

test("throws what fails, if nothing newer was asked", async () => {
  const newest = new Newest();
  const before = newest.show(Promise.reject(new Error("before")), () => {});
  const last = newest.show(Promise.reject(new Error("last")), () => {});
  assert.equal(await before, false);
  await assert.rejects(last, { message: "last" });
});
