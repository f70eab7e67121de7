import assert from "node:assert/strict";
import test from "node:test";

import { freePlace } from "./page/placing.js";

const SIZE = { width: 200, height: 130 };

function apart(a, b) {
  return a.positionX >= b.positionX + b.width || b.positionX >= a.positionX + a.width ||
    a.positionY >= b.positionY + b.height || b.positionY >= a.positionY + a.height;
}

test("a free place is taken as it is", () => {
  assert.deepEqual(freePlace(SIZE, { x: 10, y: 20 }, []), { positionX: -90, positionY: -45 });
});

test("each of many finds a place of its own, near the first", () => {
  const placed = [];
  for (let i = 0; i < 30; i += 1) placed.push({ ...SIZE, ...freePlace(SIZE, { x: 0, y: 0 }, placed) });
  for (const [i, a] of placed.entries()) for (const b of placed.slice(i + 1)) assert.ok(apart(a, b));
  assert.ok(placed.every(({ positionX, positionY }) => Math.hypot(positionX, positionY) < 1_500));
});

test("where nothing is free it lies on others", () => {
  const all = { positionX: -1e6, positionY: -1e6, width: 2e6, height: 2e6 };
  assert.deepEqual(freePlace(SIZE, { x: 0, y: 0 }, [all]), { positionX: -100, positionY: -65 });
});
