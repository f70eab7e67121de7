import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import { apply, transform } from "./page/text-edit.js";
import { TextWriter } from "./page/text-writer.js";

const { guesses } = JSON.parse(readFileSync(new URL("text-edits.json", import.meta.url)));
const SEEDS = Number(process.env.ROOMS_TEXT_SEEDS ?? 400);

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
  /** So many are stored, and acked. */
  stored = 0;
  /** Texts by their versions less one. */
  texts;

  constructor(text) {
    this.texts = [text];
  }

  get text() {
    return this.texts.at(-1);
  }

  get version() {
    return this.changes.length + 1;
  }

  /** Gives the version that has the edit; null if it is of a version that is not known. */
  take({ clientId, version, changes }) {
    const made = this.changes.findIndex((change) => change.clientId === clientId);
    if (made >= 0) return made + 2;
    if (version > this.version) return null;
    for (const change of this.changes.slice(version - 1)) [, changes] = transform(change.changes, changes);
    const text = apply(this.text, changes);
    if (text === null) return null;
    this.texts.push(text);
    this.changes.push({ clientId, changes });
    return this.version;
  }

  store() {
    this.stored = this.changes.length;
  }

  /** Ends without a word: what is not stored was never made. */
  kill() {
    this.changes.length = this.stored;
    this.texts.length = this.stored + 1;
  }
}

class Desk {
  seen = 0;
  underWay = [];
  /** Edits that were made and are not acked. */
  made = [];

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

  deliver(home) {
    const sent = this.underWay.shift();
    const version = home.take(sent);
    if (version === null) return this.tell((writer) => writer.conflicted(sent, home.version, home.text));
    this.made.push([sent, version]);
  }

  /** An ack comes when the edit is stored. */
  hearAcks(home) {
    while (this.made.length && this.made[0][1] <= home.stored + 1) {
      const [sent, version] = this.made.shift();
      // Not the text of that version: the room answers when it has stored all before it.
      this.tell((writer) => writer.accepted(sent, version, home.texts[version - 1]));
    }
  }

  comeBack(home) {
    [this.underWay, this.made] = [[], []];
    this.seen = home.changes.length;
    this.tell((writer) => writer.reset(home.text, home.version));
    this.writer.reconnected();
    if (this.writer.sent) this.underWay.push(this.writer.sent);
  }
}

/** Lets desks write, send, hear and lose connections, and the home store and be killed; then all come to an end. */
function play(seed, { kills }) {
  const random = chance(seed);
  const home = new Home("hello 😀 world");
  const desks = Array.from({ length: 2 + random(3) }, () => new Desk(home));
  let number = 0;
  const send = (desk) => !desk.writer.sent && desk.writer.hasNext && desk.underWay.push(desk.writer.next(`${number++}`));
  const restart = () => {
    home.kill();
    for (const desk of desks) desk.comeBack(home);
  };
  for (let step = 0; step < 80; step += 1) {
    const desk = desks[random(desks.length)];
    const act = random(30);
    if (act < 6) desk.writer.write(anyEdit(desk.writer.text, random));
    else if (act < 12) send(desk);
    else if (act < 18 && desk.underWay.length) desk.deliver(home);
    else if (act < 24 && desk.seen < home.changes.length) desk.hear(home);
    else if (act === 24) desk.comeBack(home);
    else if (act < 27) home.store();
    else if (act < 29) desk.hearAcks(home);
    else if (kills && random(3) === 0) restart();
  }
  for (let round = 0; desks.some(({ writer, seen }) => !writer.isSettled || seen < home.changes.length); round += 1) {
    assert.ok(round < 100, `seed ${seed} does not end`);
    for (const desk of desks) {
      send(desk);
      while (desk.underWay.length) desk.deliver(home);
      home.store();
      desk.hearAcks(home);
      while (desk.seen < home.changes.length) desk.hear(home);
    }
  }
  for (const { writer } of desks) assert.equal(writer.text, home.text, `seed ${seed}`);
}

for (const kills of [false, true]) {
  test(`whatever the order, and whatever is lost${kills ? ", also by a server that is killed" : ""}, all reach the same text`, () => {
    for (let seed = 0; seed < SEEDS; seed += 1) play(seed, { kills });
  });
}

test("an edit that was told and not acked is sent again to a server that has lost it", () => {
  const writer = new TextWriter("one", 1);
  writer.write([3, " two"]);
  const sent = writer.next("k");
  assert.deepEqual(writer.edited([3, " two"], 2, "k"), [7]);
  assert.equal(writer.isSettled, false);
  writer.write([7, " three"]);
  writer.edited(["zero ", 7], 3, "other");
  assert.equal(writer.text, "zero one two three");
  // The server comes back without both, and with the edit of a third.
  writer.reset("one!", 2);
  writer.reconnected();
  assert.equal(writer.next("l"), sent);
  writer.conflicted(sent, 2, "one!");
  const { version, changes } = writer.next("l");
  assert.deepEqual([version, apply("one!", changes)], [2, writer.text]);
  assert.match(writer.text, /one.* two three/);
});

test("an edit that was told in a text of which its writer knew little is sent again to a server that has lost it", () => {
  const writer = new TextWriter("abc", 1);
  writer.write(["one", 3]);
  writer.next("k");
  // The state has another text, and the edit goes into that.
  writer.reset("d", 2);
  writer.edited([1, "one"], 3, "k");
  assert.equal(writer.text, "done");
  writer.reset("d", 2);
  writer.conflicted(writer.next("l"), 2, "d");
  assert.equal(apply("d", writer.next("l").changes), "done");
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

test("of an edit that is in the text nothing is doubled, also when another user has written on right behind it", () => {
  const writer = new TextWriter("abfd", 1);
  writer.write([4, "k"]);
  const sent = writer.next("k");
  writer.write([5, "fm"]);
  writer.conflicted(sent, 3, "abfdk other");
  assert.equal(writer.text, "abfdkfm other");
  assert.equal(apply("abfdk other", writer.next("l").changes), writer.text);
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

/** Ways in which a writer learns of another text without the edits that made it: what was written here is not sent yet, or has no answer. */
const WAYS = {
  "the state": (writer, text) => writer.reset(text, 2),
  "a whole element": (writer, text) => writer.updated(text, 2),
  "a conflict": (writer, text) => writer.conflicted(writer.next("k"), 2, text),
  "a whole element, and a conflict": (writer, text) => {
    const sent = writer.next("k");
    writer.updated(text, 2);
    writer.conflicted(sent, 2, text);
  },
};

for (const [way, learn] of Object.entries(WAYS)) {
  test(`of a word that stands in the place of a removed one no letter is removed: ${way}`, () => {
    for (const { old, edit, new: text, result } of guesses) {
      const writer = new TextWriter(old, 1);
      writer.write(edit);
      learn(writer, text);
      assert.equal(writer.text, result);
    }
  });
}

test("of a word that stands in the place of one that was removed while an edit was on its way, no letter is removed", () => {
  for (const settle of [(writer, sent) => writer.accepted(sent, 3, "an ample pie"), (writer) => writer.edited([8, " pie"], 3, "k")]) {
    const writer = new TextWriter("an apple", 1);
    writer.write([8, " pie"]);
    const sent = writer.next("k");
    writer.write([3, -5, 4]);
    writer.reset("an ample", 2);
    settle(writer, sent);
    assert.equal(writer.text, "an ample pie");
  }
});
