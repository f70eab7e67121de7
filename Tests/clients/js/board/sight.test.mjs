import assert from "node:assert/strict";
import test from "node:test";

import { Sight } from "./page/sight.js";

const bytes = (...values) => Uint8Array.from(values).buffer;
/** A tick of a view: absolute, in whole numbers, with rows that begin; or one with rows that leave. */
const whole = (...rows) => bytes(24, 1, 20, ...rows.flatMap(([slot, x, y]) => [2 * slot + 1, 1, 2 * x, 2 * y]));
const leaving = (slot, x, y) => bytes(16, 2, 20, 2 * slot + 1, 9, 2 * x, 2 * y);

/** A room whose answers come when `answer` is called. */
function room() {
  const told = { asked: [], moved: [], gone: [] };
  let resolve;
  const sight = new Sight({
    user: (slot) => (slot === 0 ? undefined : `user ${slot}`),
    moved: ({ userId, x, y }) => told.moved.push([userId, x, y]),
    gone: (userId) => told.gone.push(userId),
    ask: (area) => {
      told.asked.push(area);
      return new Promise((done) => (resolve = done));
    },
  });
  const answer = async (view) => {
    resolve({ view });
    await new Promise(setImmediate);
  };
  return { sight, told, answer };
}

const window = { x: 0, y: 0, width: 800, height: 600 };
const part = { x: -200, y: -150, width: 1_200, height: 900 };

test("a room with few people is seen whole", () => {
  const { sight, told } = room();
  sight.open();
  sight.count(10);
  sight.look(window);
  assert.deepEqual(told.asked, []);
});

test("of a crowd the part with a margin is asked for, and another one only when that does not do any more", async (context) => {
  context.mock.timers.enable({ apis: ["setTimeout"] });
  const { sight, told, answer } = room();
  sight.open();
  sight.count(60);
  sight.look(window);
  assert.deepEqual(told.asked, [part]);
  await answer(part);
  context.mock.timers.tick(100);
  sight.look({ ...window, x: 150 });
  assert.equal(told.asked.length, 1);
  sight.look({ ...window, x: 250 });
  assert.equal(told.asked.length, 2);
  // While the answer is awaited, only the newest counts.
  sight.look({ ...window, x: 5_000 });
  sight.look({ ...window, x: 9_000 });
  await answer({ ...part, x: 50 });
  assert.equal(told.asked.length, 2);
  context.mock.timers.tick(100);
  assert.equal(told.asked[2].x, 8_800);
  await answer({ ...part, x: 8_800 });
  context.mock.timers.tick(100);
  // What is far larger than the page shows is too much.
  sight.look({ x: 9_000, y: 0, width: 80, height: 60 });
  assert.equal(told.asked[3].width, 120);
});

test("it asks again for a new connection, for everything when the crowd has gone, and never a server that knows no views", async (context) => {
  context.mock.timers.enable({ apis: ["setTimeout"] });
  const { sight, told, answer } = room();
  sight.count(60);
  sight.look(window);
  assert.deepEqual(told.asked, []);
  sight.open();
  await answer(part);
  sight.close();
  sight.open();
  assert.equal(told.asked.length, 2);
  await answer(part);
  context.mock.timers.tick(100);
  sight.count(25);
  assert.equal(told.asked.length, 2);
  sight.count(19);
  assert.deepEqual(told.asked[2], {});
  await answer({ x: -1e15, y: -1e15, width: 2e15, height: 2e15 });
  context.mock.timers.tick(100);
  sight.count(60);
  assert.deepEqual(told.asked[3], part);
  await answer(undefined);
  context.mock.timers.tick(1_000);
  assert.equal(told.asked.length, 4);
});

test("everything is asked for when the crowd has gone while a part was asked for, and a part when it has come meanwhile", async (context) => {
  context.mock.timers.enable({ apis: ["setTimeout"] });
  const { sight, told, answer } = room();
  sight.open();
  sight.count(60);
  sight.look(window);
  sight.count(19);
  await answer(part);
  context.mock.timers.tick(100);
  assert.deepEqual(told.asked, [part, {}]);
  sight.count(60);
  await answer({ x: -1e15, y: -1e15, width: 2e15, height: 2e15 });
  context.mock.timers.tick(100);
  assert.deepEqual(told.asked, [part, {}, part]);
});

test("a part that was not changed is still the one that the server tells of", async (context) => {
  context.mock.timers.enable({ apis: ["setTimeout"] });
  const { sight, told, answer } = room();
  sight.open();
  sight.count(60);
  sight.look(window);
  await answer(part);
  context.mock.timers.tick(100);
  sight.look({ ...window, x: 5_000 });
  await answer(undefined);
  sight.count(19);
  assert.deepEqual(told.asked[2], {});
});

test("who leaves the part stays where the touch was last, until that place is seen and nobody is there", async () => {
  const { sight, told, answer } = room();
  sight.open();
  sight.count(60);
  sight.look({ x: 0, y: 0, width: 8, height: 8 });
  await answer({ x: -2, y: -2, width: 12, height: 12 });
  assert.equal(sight.read(whole([0, 1, 1], [1, 5, 6], [2, 7, 8])), 20);
  sight.read(leaving(1, 50, 60));
  assert.deepEqual(told.moved, [["user 1", 5, 6], ["user 2", 7, 8], ["user 1", 50, 60]]);
  sight.read(whole([2, 9, 9]));
  assert.deepEqual(told.gone, []);
  sight.read(whole());
  assert.deepEqual(told.gone, ["user 2"]);
});
