import assert from "node:assert/strict";
import test from "node:test";

import { Glide } from "./page/glide.js";

/** What is shown of positions that came at these times, frame by frame. */
function shown(samples, until) {
  const glide = new Glide();
  const places = [];
  let next = 0;
  for (let time = 0; time <= until; time += 1000 / 60) {
    while (next < samples.length && samples[next].time <= time) {
      const { x, y, time: at } = samples[next++];
      glide.add(x, y, at);
    }
    const place = glide.at(time);
    if (place) places.push({ ...place, frame: time });
  }
  return { places, glide };
}

const every = (interval, count, place, jitter = () => 0) =>
  Array.from({ length: count }, (_, i) => ({ ...place(i * interval), time: i * interval + jitter(i) }));

test("a steady movement of 20 positions a second is a steady movement of 60 frames", () => {
  const { places } = shown(every(50, 40, (t) => ({ x: t / 5, y: 0 })), 1_900);
  const steps = places.slice(20, 100).map(({ x }, i, all) => (i ? x - all[i - 1].x : 10 / 3));
  for (const step of steps) assert.ok(step > 2 && step < 5, `a step of ${step}`);
});

test("positions that come unevenly never make it go back", () => {
  const uneven = every(20, 100, (t) => ({ x: t, y: 0 }), (i) => (i % 5) * 7);
  const { places } = shown(uneven, 2_000);
  for (let i = 1; i < places.length; i += 1) assert.ok(places[i].x >= places[i - 1].x - 0.001);
});

test("it comes to rest at the last position exactly", () => {
  const { places, glide } = shown(every(33, 20, (t) => ({ x: Math.sin(t / 100) * 80, y: t / 3 })), 1_500);
  const last = every(33, 20, (t) => ({ x: Math.sin(t / 100) * 80, y: t / 3 })).at(-1);
  assert.deepEqual([places.at(-1).x, places.at(-1).y], [last.x, last.y]);
  assert.ok(glide.isAtRest(1_500));
});

test("after a pause it sets out from where it rested, without crawling through the pause", () => {
  const samples = [...every(50, 5, (t) => ({ x: t, y: 0 })), { x: 400, y: 0, time: 2_000 }, { x: 410, y: 0, time: 2_050 }];
  const { places } = shown(samples, 2_400);
  const resting = places.filter(({ frame }) => frame > 400 && frame < 2_000);
  assert.ok(resting.every(({ x }) => x === 200));
  assert.equal(places.at(-1).x, 410);
});

test("it is late by no more than two positions", () => {
  const { places } = shown(every(50, 40, (t) => ({ x: t, y: 0 })), 1_900);
  const { x, frame } = places.at(-1);
  assert.ok(frame - x < 101, `${frame - x} ms late`);
});
