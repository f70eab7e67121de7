import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test from "node:test";

import { Ticks } from "./page/ticks.js";

const vectors = JSON.parse(readFileSync(new URL("./binary-ticks.json", import.meta.url)));
const bytesOf = (hex) => Uint8Array.from(hex.match(/../g) ?? [], (byte) => parseInt(byte, 16)).buffer;

for (const { name, ticks } of [...vectors.decode, ...vectors.views]) {
  test(`reads the vector: ${name}`, () => {
    const state = new Ticks();
    for (const { hex, tick, interval, touches, absolute, view, left = [] } of ticks) {
      const [moved, gone] = [[], []];
      const read = state.read(bytesOf(hex), (...touch) => moved.push(touch[3] === undefined ? touch.slice(0, 3) : touch), (...touch) => gone.push(touch.slice(0, 3)));
      assert.deepEqual(read, { tick, interval, isWhole: Boolean(view && absolute) });
      assert.deepEqual(moved, touches);
      assert.deepEqual(gone, left);
    }
  });
}

for (const { name, hex } of vectors.refuse) {
  test(`refuses the vector: ${name}`, () => {
    assert.throws(() => new Ticks().read(bytesOf(hex), () => {}));
  });
}
