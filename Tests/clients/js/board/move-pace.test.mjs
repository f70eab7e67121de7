import assert from "node:assert/strict";
import test from "node:test";

import { MovePace } from "./page/move-pace.js";

/**
 * A hand that moves each millisecond, at a room that ticks so often and is so far away: how many positions went out in a
 * second, and how old the newest one was with each tick, after the first seconds.
 */
function moved({ interval, way, seconds = 6 }) {
  const pace = new MovePace();
  const coming = new Map();
  const at = (time, act) => coming.set(time, [...(coming.get(time) ?? []), act]);
  let [position, tickedAt, sent] = [null, -Infinity, 0];
  const ages = [];
  for (let now = 0; now < seconds * 1_000; now += 1) {
    for (const act of coming.get(now) ?? []) act(now);
    if (position !== null && now - tickedAt >= interval) {
      if (now > 2_000) ages.push(now - position);
      [tickedAt, position] = [now, null];
      at(now + way, (then) => pace.ticked(then, interval));
    }
    if (pace.wait(now) > 0) continue;
    if (now > 2_000) sent += 1;
    at(now + way, () => (position = now));
    if (pace.sent(now)) at(now + 2 * way, (then) => pace.answered(then - now));
  }
  return { sent: sent / (seconds - 2), ages };
}

for (const way of [1, 20, 80]) {
  test(`one position goes for each tick of 50 ms, just before it, over a way of ${way} ms`, () => {
    const { sent, ages } = moved({ interval: 50, way });
    assert(sent < 22 && sent > 18, `${sent} a second`);
    assert(Math.max(...ages) <= way + 16, `${Math.max(...ages)} ms`);
  });
}

test("to a room that ticks often, positions go once a frame", () => {
  const { sent } = moved({ interval: 4, way: 1 });
  assert(sent > 55 && sent <= 63, `${sent} a second`);
});

test("the first position after a pause goes at once", () => {
  const pace = new MovePace();
  pace.ticked(0, 50);
  assert.equal(pace.wait(1_000), 0);
});
