// The server tells totals since its start. Two of them make the rates of now. What was the server keeps (past.js).

const KEPT_SECONDS = 60;

export class History {
  samples = [];
  #last = null;

  /** The server does not answer: the next answer is the first again. */
  forget() {
    this.samples = [];
    this.#last = null;
  }

  /** Takes what the server said. Gives the newest sample, or null for the first, of which no rate can be known. */
  add(overview, at) {
    const last = this.#last;
    this.#last = { overview, at };
    // A server that was restarted begins anew.
    if (!last || overview.process.startSeconds !== last.overview.process.startSeconds) return null;
    const sample = { at, ...measure(last.overview, overview, (at - last.at) / 1000) };
    this.samples.push(sample);
    while (this.samples[0].at < at - KEPT_SECONDS * 1000) this.samples.shift();
    return sample;
  }
}

function measure(before, now, elapsed) {
  const per = (key) => (now.totals[key] - before.totals[key]) / elapsed;
  const named = (group) => Object.fromEntries(
    Object.entries(now[group]).map(([name, count]) => [name, (count - (before[group][name] ?? 0)) / elapsed]));
  const loops = now.loops.map((loop, index) => {
    const old = before.loops[index];
    if (!loop || !old) return null;
    const turns = loop.turns.map((count, bucket) => count - old.turns[bucket]);
    return {
      ...loop,
      load: Math.min((loop.busySeconds - old.busySeconds) / elapsed, 1),
      turn: percentile(turns, now.bounds, 0.99),
      touchesIn: (loop.touchesIn - old.touchesIn) / elapsed,
      touchesOut: (loop.touchesOut - old.touchesOut) / elapsed,
    };
  });
  const sum = (key) => loops.reduce((total, loop) => total + (loop?.[key] ?? 0), 0);
  const most = (key) => Math.max(0, ...loops.map((loop) => loop?.[key] ?? 0));
  const ticked = per("touchesTicked");
  const appends = now.store && before.store && now.store.appends.map((count, i) => count - before.store.appends[i]);
  return {
    loops,
    hanging: loops.filter((loop, index) => !now.loops[index]).length,
    connections: sum("connections"), rooms: sum("rooms"), members: sum("members"),
    touchesIn: sum("touchesIn"), touchesOut: sum("touchesOut"),
    coalescing: ticked > 0 ? sum("touchesIn") / ticked : 0,
    ticks: per("ticks"), deliveries: per("deliveries"),
    load: most("load"), turn: most("turn"), lag: most("lagSeconds"), tick: most("tickSeconds"),
    events: named("events"), errors: named("errors"), ends: named("ends"),
    catchUps: per("catchUps"), lostMembers: per("lostMembers"),
    bytesIn: per("bytesIn"), bytesOut: per("bytesOut"),
    cores: (now.process.cpuSeconds - before.process.cpuSeconds) / elapsed,
    append: appends ? percentile(appends, now.bounds, 0.99) : 0,
    overview: now,
  };
}

/** The upper end of the bucket in which a share of all lies; 0 when there is nothing. */
export function percentile(counts, bounds, share) {
  const all = counts.reduce((total, count) => total + count, 0);
  if (all <= 0) return 0;
  let seen = 0;
  for (const [index, count] of counts.entries()) {
    seen += count;
    if (seen >= share * all) return bounds[Math.min(index, bounds.length - 1)];
  }
  return bounds.at(-1);
}
