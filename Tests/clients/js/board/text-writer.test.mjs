import assert from "node:assert/strict";
import { test } from "node:test";

import { apply, transform } from "./page/text-edit.js";
import { TextWriter } from "./page/text-writer.js";

/** Chance that is the same for the same seed. */
function chance(seed) {
  let state = seed + 1;
  return (below) => (state = (state * 48_271) % 2_147_483_647) % below;
}

function anyEdit(text, random) {
  let place = random(text.length + 1);
  if (/[\udc00-\udfff]/.test(text[place] ?? "")) place -= 1;
  const rest = text.length - place;
  const inserted = ["a", "1", "word ", "😀"][random(4)];
  if (random(3) > 0 || rest === 0) return [place, inserted, rest].filter((part) => part !== 0);
  let count = Math.min(1 + random(4), rest);
  if (/[\udc00-\udfff]/.test(text[place + count] ?? "")) count += 1;
  return [place, -count, rest - count].filter((part) => part !== 0);
}

/** What a room does with the edits of one text. */
class Home {
  changes = [];

  constructor(text) {
    this.text = text;
  }

  get version() {
    return this.changes.length + 1;
  }

  take({ clientId, version, changes }) {
    if (this.changes.some((change) => change.clientId === clientId)) return;
    for (const change of this.changes.slice(version - 1)) [, changes] = transform(change.changes, changes);
    this.text = apply(this.text, changes);
    assert.notEqual(this.text, null);
    this.changes.push({ clientId, changes });
  }
}

class Desk {
  seen = 0;
  underWay = [];

  constructor(home) {
    this.writer = new TextWriter(home.text, 1);
  }

  /** What is told is the change of the text that is seen. */
  tell(change) {
    const before = this.writer.text;
    assert.equal(apply(before, change(this.writer)), this.writer.text);
  }

  hear(home) {
    const { changes, clientId } = home.changes[this.seen++];
    this.tell((writer) => writer.edited(changes, this.seen + 1, clientId));
  }

  comeBack(home) {
    this.underWay = [];
    this.seen = home.changes.length;
    this.tell((writer) => writer.reset(home.text, home.version));
    this.writer.reconnected();
    const { sent } = this.writer;
    if (!sent) return;
    home.take(sent);
    this.tell((writer) => writer.accepted(sent, home.version, home.text));
  }
}

test("whatever the order, and whatever is lost, all reach the same text", () => {
  for (let seed = 0; seed < 400; seed += 1) {
    const random = chance(seed);
    const home = new Home("hello 😀 world");
    const desks = Array.from({ length: 2 + random(3) }, () => new Desk(home));
    let number = 0;
    const send = (desk) => desk.writer.hasNext && desk.underWay.push(desk.writer.next(`${number++}`));
    for (let step = 0; step < 60; step += 1) {
      const desk = desks[random(desks.length)];
      const act = random(25);
      if (act < 6) desk.writer.write(anyEdit(desk.writer.text, random));
      else if (act < 12) send(desk);
      else if (act < 18 && desk.underWay.length) home.take(desk.underWay.shift());
      else if (act < 24 && desk.seen < home.changes.length) desk.hear(home);
      else if (act === 24) desk.comeBack(home);
    }
    for (let round = 0; desks.some((desk) => !desk.writer.isSettled || desk.seen < home.changes.length); round += 1) {
      assert.ok(round < 100, `seed ${seed} does not end`);
      for (const desk of desks) {
        desk.writer.reconnected();
        send(desk);
        while (desk.underWay.length) home.take(desk.underWay.shift());
        while (desk.seen < home.changes.length) desk.hear(home);
      }
    }
    for (const { writer } of desks) assert.equal(writer.text, home.text, `seed ${seed}`);
  }
});

test("an edit that the server cannot merge is made anew, and nothing is doubled", () => {
  const writer = new TextWriter("one", 1);
  writer.write([3, " two"]);
  const sent = writer.next("k");
  writer.write([7, " three"]);
  writer.conflicted(sent, 9, "zero one two");
  assert.equal(writer.text, "zero one two three");
  assert.equal(writer.next("l").version, 9);
});

test("of an edit that was surely not made, no letter is taken for one that others have written at the same place", () => {
  for (const [isMade, text] of [[false, "thethe"], [undefined, "the"]]) {
    const writer = new TextWriter("", 1);
    writer.write(["the"]);
    writer.conflicted(writer.next("k"), 9, "the", isMade);
    assert.equal(writer.text, text);
  }
});

test("an edit that was acked is in the state that comes before it was told", () => {
  const writer = new TextWriter("one", 1);
  writer.write([3, " two"]);
  writer.accepted(writer.next("k"), 2);
  writer.write([7, " three"]);
  writer.reset("zero one two", 3);
  assert.deepEqual([writer.text, writer.sent], ["zero one two three", null]);
});

test("an edit that is refused is taken back, and what was written after it stays", () => {
  const writer = new TextWriter("a", 1);
  writer.write([1, "b"]);
  const sent = writer.next("k");
  writer.write(["z", 2]);
  assert.equal(apply("zab", writer.refused(sent)), "za");
  assert.equal(writer.text, "za");
});
