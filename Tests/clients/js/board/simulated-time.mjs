// Time that passes when a test says so: pauses cost none. Chance is that of a seed.

let now = 1_000_000;
let timers = [];
Date.now = () => now;
globalThis.setTimeout = (act, pause = 0) => {
  const timer = { at: now + pause, act };
  timers.push(timer);
  return timer;
};
globalThis.clearTimeout = (timer) => (timers = timers.filter((other) => other !== timer));

export function forgetTimers() {
  timers = [];
}

export async function turn() {
  for (let count = 0; count < 4; count += 1) await new Promise((resolve) => setImmediate(resolve));
}

export async function pass(milliseconds) {
  const end = now + milliseconds;
  await turn();
  for (;;) {
    const next = timers.reduce((first, timer) => (timer.at <= end && !(first?.at <= timer.at) ? timer : first), undefined);
    if (!next) break;
    now = Math.max(now, next.at);
    clearTimeout(next);
    next.act();
    await turn();
  }
  now = end;
}

/** Chance that is the same for the same seed. */
export function chance(seed) {
  let state = seed + 1;
  return (below) => (state = (state * 48_271) % 2_147_483_647) % below;
}

/** Ids that clients make, and their jitter, are of the same chance. */
export function playWith(random) {
  Math.random = () => random(1_000_000) / 1_000_000;
  const getRandomValues = (bytes) => bytes.map(() => random(256));
  Object.defineProperty(globalThis, "crypto", { value: { getRandomValues }, configurable: true });
}
