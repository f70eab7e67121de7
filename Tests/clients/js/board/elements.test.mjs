import assert from "node:assert/strict";
import test from "node:test";

import { Elements } from "./page/elements.js";
import { Lost } from "./page/socket.js";
import { apply, transform } from "./page/text-edit.js";

// Node has it as a global from version 19 on.
globalThis.crypto ??= (await import("node:crypto")).webcrypto;

const PLACE = { type: "note", positionX: 1, positionY: 2, width: 100, height: 80 };
const turn = () => new Promise((resolve) => setTimeout(resolve, 1));

/** A room's server as the elements of one client see it. Every ack waits until `answer()` or `lose()` is called. */
class Room {
  asked = [];
  told = [];
  refusals = [];
  kept = new Map();
  made = new Map();
  count = 0;
  user = "me";
  elements = new Elements({
    ask: (event, fields) => new Promise((answer, refuse) => this.asked.push({ event, fields, answer, refuse })),
    self: () => this.user, name: () => this.user,
    changed: (element, how) => this.told.push([element.key, how]),
    refused: (error) => this.refusals.push(error.code),
    kept: (key, record) => (record ? this.kept.set(key, structuredClone(record)) : this.kept.delete(key)),
  });

  get shown() {
    return [...this.elements].map(({ content, id }) => content ?? id);
  }

  /** Takes the first event that waits and makes of it what a server would; `tells`: the room hears of it before. */
  /** The connection is lost and comes back: whoever waits for an ack hears so, and the whole state is told anew. */
  async cut() {
    this.elements.close();
    for (const { refuse } of this.asked.splice(0)) refuse(new Lost("cut"));
    await turn();
    this.elements.reset([...this.made.values()]);
    this.elements.open();
  }

  async answer({ tells = true, acks = true } = {}) {
    const { event, fields, answer, refuse } = this.asked.shift();
    const element = this[event.slice(8)](fields, tells);
    if (acks && !element && event !== "element:delete") answer({ ok: false, error: { code: "NOT_FOUND" } });
    else if (acks) answer({ ok: true, element });
    else {
      this.elements.close();
      refuse(new Lost("cut"));
    }
    await turn();
    return event;
  }

  create({ clientId, ...fields }, tells) {
    const before = this.made.get(clientId);
    if (before) return before;
    const element = { ...fields, id: `e${++this.count}`, createdBy: "me", version: 1 };
    this.made.set(clientId, element);
    if (tells) this.elements.created(element);
    return element;
  }

  update({ elementId, ...fields }, tells) {
    for (const [clientId, element] of this.made) {
      if (element.id !== elementId) continue;
      const changed = { ...element, ...fields, version: element.version + 1 };
      this.made.set(clientId, changed);
      if (tells) this.elements.updated(changed);
      return changed;
    }
  }

  /** Merges an edit as a server does; `by` is who sends it. */
  edit({ elementId, version, changes, clientId }, tells, by = "me") {
    for (const [name, element] of this.made) {
      if (element.id !== elementId) continue;
      const edits = (element.edits ??= []);
      if (edits.some((edit) => edit.clientId === clientId)) return element;
      for (const edit of edits) if (edit.version > version) changes = transform(edit.changes, changes)[1];
      const changed = { ...element, content: apply(element.content ?? "", changes), version: element.version + 1, updatedBy: by };
      const edit = { elementId, version: changed.version, changes, clientId, userId: by };
      edits.push(edit);
      this.made.set(name, changed);
      if (tells) this.elements.edited(edit);
      return changed;
    }
  }

  delete({ elementId }) {
    for (const [clientId, { id }] of this.made) if (id === elementId) this.made.delete(clientId);
    this.elements.deleted({ elementId });
  }
}

function open() {
  const room = new Room();
  room.elements.open();
  return room;
}

for (const tells of [true, false]) {
  test(`what is made here is shown at once and once, told ${tells ? "before" : "after"} it is acked`, async () => {
    const room = open();
    const key = room.elements.create({ ...PLACE, content: "a" });
    assert.deepEqual(room.shown, ["a"]);
    assert.equal(room.elements.pending, 1);
    await room.answer({ tells });
    if (!tells) room.elements.created([...room.made.values()][0]);
    assert.deepEqual(room.shown, ["a"]);
    assert.equal(room.elements.pending, 0);
    assert.equal(room.elements.keyOf("e1"), key);
    assert.deepEqual(room.told.filter(([, how]) => how === "added").length, 1);
  });
}

test("a creation whose ack is lost is sent again under the same name, and shown once all the while", async () => {
  const room = open();
  room.elements.create({ ...PLACE, content: "a" });
  const name = room.asked[0].fields.clientId;
  room.elements.close();
  await room.answer({ acks: false });
  room.elements.reset([...room.made.values()]);
  room.elements.open();
  assert.deepEqual(room.shown, ["a"]);
  await turn();
  assert.equal(room.asked[0].fields.clientId, name);
  await room.answer();
  assert.deepEqual(room.shown, ["a"]);
  assert.equal(room.elements.pending, 0);
});

test("what others write in a new element before its answer comes is not missed", async () => {
  const room = open();
  const key = room.elements.create({ ...PLACE, content: "a" });
  const { fields, answer } = room.asked.shift();
  const made = room.create(fields, true);
  const edit = { elementId: made.id, version: 1, clientId: "other" };
  room.edit({ ...edit, changes: [1, "b"] }, true, "other");
  answer({ ok: true, element: made });
  await turn();
  room.edit({ ...edit, version: 2, changes: [2, "c"], clientId: "next" }, true, "other");
  assert.deepEqual(room.shown, ["abc"]);
  assert.equal(room.elements.get(key).version, 3);
  assert.equal(room.elements.pending, 0);
});

test("a creation is sent again as it was, however often, and nothing that was written since is doubled", async () => {
  const room = open();
  const key = room.elements.create({ ...PLACE, content: "one" });
  // The server has not heard of it.
  room.elements.close();
  room.asked.shift().refuse(new Lost("cut"));
  room.elements.update(key, { content: "one two" });
  await turn();
  room.elements.open();
  await turn();
  // The server has made it, and the ack is lost.
  room.elements.close();
  await room.answer({ acks: false });
  room.elements.update(key, { content: "one two three" });
  room.elements.reset([...room.made.values()]);
  room.elements.open();
  await turn();
  await room.answer();
  await new Promise((resolve) => setTimeout(resolve, 70));
  while (room.asked.length) await room.answer();
  assert.deepEqual(room.shown, ["one two three"]);
  assert.deepEqual([...room.made.values()].map(({ content }) => content), ["one two three"]);
});

test("changes that were kept are taken up in an element that the room has told already, and once", async () => {
  const before = open();
  const element = { ...PLACE, id: "e1", createdBy: "other", version: 1, content: "one" };
  before.elements.reset([element]);
  before.elements.close();
  before.elements.write("e1", [3, " offline"]);
  before.elements.update("e1", { positionX: 7 });
  const records = [...before.kept];
  const room = open();
  room.elements.reset([element]);
  room.elements.write("e1", ["zero ", 3]);
  room.elements.restore(records);
  room.elements.restore(records);
  assert.deepEqual(room.shown, ["zero one offline"]);
  assert.equal(room.elements.get("e1").positionX, 7);
  assert.equal(room.kept.get("e1").writer.text, "zero one offline");
});

test("what is written in an element goes on when it turns out to be one that was made here", async () => {
  const before = open();
  before.elements.create({ ...PLACE, content: "one" });
  before.elements.close();
  const [[key, record]] = [...before.kept];
  const made = { ...PLACE, id: "e1", createdBy: "me", version: 1, content: "one" };
  const room = open();
  room.made.set(key, made);
  room.elements.reset([made]);
  room.elements.write("e1", [3, " typed"]);
  room.elements.restore([[key, { ...record, local: { ...record.local, content: "zero one" } }]]);
  await turn();
  // The edit does not arrive, and the creation is answered.
  const [edit] = room.asked.splice(room.asked.findIndex(({ event }) => event === "element:edit"), 1);
  await room.answer();
  edit.refuse(new Lost("cut"));
  for (let count = 0; count < 3; count += 1) {
    await new Promise((resolve) => setTimeout(resolve, 70));
    while (room.asked.length) await room.answer();
  }
  assert.deepEqual(room.shown, ["zero one typed"]);
  assert.deepEqual([...room.made.values()].map(({ content }) => content), ["zero one typed"]);
});

test("a note is not deleted while it has what others have written and its user does not see yet", async () => {
  const room = open();
  const element = { ...PLACE, id: "e1", createdBy: "other", version: 1, content: "one" };
  room.elements.reset([element]);
  room.elements.write("e1", [3, " two"]);
  room.elements.close();
  room.asked.shift().refuse(new Lost("cut"));
  await turn();
  room.elements.reset([{ ...element, version: 2, content: "zero one" }]);
  room.elements.open();
  assert.deepEqual(room.shown, ["one two"]);
  room.elements.delete("e1");
  assert.deepEqual([room.shown, room.refusals], [["one two"], ["WRITTEN"]]);
  assert.equal(room.asked.some(({ event }) => event === "element:delete"), false);
});

test("what changed between a creation and its resend goes with an edit", async () => {
  const room = open();
  const key = room.elements.create({ ...PLACE, content: "a" });
  room.elements.close();
  await room.answer({ acks: false });
  room.elements.update(key, { content: "b" });
  room.elements.open();
  await turn();
  await room.answer();
  await new Promise((resolve) => setTimeout(resolve, 80));
  const { clientId, ...fields } = room.asked[0].fields;
  assert.deepEqual([room.asked[0].event, fields], ["element:edit", { elementId: "e1", version: 1, changes: ["b", -1] }]);
  assert.ok(clientId);
  await room.answer();
  assert.deepEqual(room.shown, ["b"]);
  assert.equal(room.elements.pending, 0);
});

test("changes that come while one is on its way go together with the next", async () => {
  const room = open();
  const key = room.elements.create({ ...PLACE });
  for (let x = 10; x <= 50; x += 10) room.elements.update(key, { positionX: x });
  assert.equal(room.asked.length, 1);
  await room.answer();
  assert.equal(room.elements.get(key).positionX, 50);
  await new Promise((resolve) => setTimeout(resolve, 80));
  assert.equal(room.asked.length, 1);
  assert.deepEqual(room.asked[0].fields, { positionX: 50, elementId: "e1" });
});

test("one's own change stays on top of another's until it is answered, field by field", async () => {
  const room = open();
  room.elements.created({ ...PLACE, id: "x", createdBy: "you", version: 1, content: "old" });
  room.elements.update("x", { positionX: 9 });
  room.elements.updated({ ...PLACE, id: "x", createdBy: "you", version: 2, content: "new", positionX: 5 });
  assert.equal(room.elements.get("x").positionX, 9);
  assert.equal(room.elements.get("x").content, "new");
});

test("what others write meanwhile is merged, and what is written here meanwhile goes with the next edit", async () => {
  const room = open();
  room.made.set("x", { ...PLACE, id: "x", createdBy: "you", version: 1, content: "one" });
  room.elements.created(room.made.get("x"));
  room.elements.write("x", [3, " two"]);
  room.elements.write("x", [7, " three"]);
  assert.deepEqual(room.asked.map(({ fields }) => fields.changes), [[3, " two"]]);
  room.edit({ elementId: "x", version: 1, changes: ["zero ", 3], clientId: "k" }, true, "you");
  assert.deepEqual(room.shown, ["zero one two three"]);
  await room.answer();
  await new Promise((resolve) => setTimeout(resolve, 80));
  assert.deepEqual(room.asked[0].fields.changes, [12, " three"]);
  assert.equal(room.asked[0].fields.version, 3);
  await room.answer();
  assert.deepEqual([room.shown, room.elements.pending], [["zero one two three"], 0]);
});

test("an edit that the server cannot merge any more is made anew", async () => {
  const room = open();
  const x = { ...PLACE, id: "x", createdBy: "you", version: 1, content: "one" };
  room.elements.created(x);
  room.elements.write("x", [3, " two"]);
  const element = { ...x, content: "zero one", version: 9 };
  room.asked.shift().answer({ ok: false, error: { code: "CONFLICT", details: { element } } });
  await new Promise((resolve) => setTimeout(resolve, 80));
  assert.deepEqual(room.shown, ["zero one two"]);
  assert.deepEqual([room.asked[0].fields.version, room.asked[0].fields.changes], [9, [8, " two"]]);
});

test("after a loss with the whole state an edit is sent again, and is in the text once", async () => {
  const room = open();
  room.made.set("x", { ...PLACE, id: "x", createdBy: "you", version: 1, content: "one" });
  room.elements.created(room.made.get("x"));
  room.elements.write("x", [3, " two"]);
  await room.answer({ tells: false, acks: false });
  room.elements.write("x", [7, " three"]);
  room.edit({ elementId: "x", version: 2, changes: ["zero ", 7], clientId: "k" }, false, "you");
  await room.cut();
  assert.deepEqual(room.shown, ["one two three"]);
  for (let wait = 0; room.elements.pending && wait < 400; wait += 1) {
    await turn();
    if (room.asked.length) await room.answer();
  }
  assert.deepEqual([room.shown, room.made.get("x").content], [["zero one two three"], "zero one two three"]);
});

test("an older version never replaces a newer one", () => {
  const room = open();
  room.elements.created({ ...PLACE, id: "x", createdBy: "you", version: 3, content: "new" });
  room.elements.updated({ ...PLACE, id: "x", createdBy: "you", version: 2, content: "old" });
  assert.deepEqual(room.shown, ["new"]);
});

test("what was made and taken away offline is told to nobody", async () => {
  const room = new Room();
  room.elements.delete(room.elements.create({ ...PLACE }));
  room.elements.open();
  await turn();
  assert.deepEqual([room.shown, room.asked, room.elements.pending], [[], [], 0]);
});

test("what was taken away while its creation was on its way is taken away behind it", async () => {
  const room = open();
  const key = room.elements.create({ ...PLACE, content: "a" });
  room.elements.delete(key);
  assert.deepEqual(room.shown, []);
  await room.answer();
  assert.deepEqual(room.shown, []);
  await new Promise((resolve) => setTimeout(resolve, 80));
  assert.equal(await room.answer(), "element:delete");
  assert.deepEqual([room.shown, room.elements.pending], [[], 0]);
});

test("a refused change is undone, a refused creation gone", async () => {
  const room = open();
  room.elements.created({ ...PLACE, id: "x", createdBy: "you", version: 1, content: "old" });
  room.elements.update("x", { content: "refused" });
  room.asked.shift().answer({ ok: false, error: { code: "VALIDATION_ERROR" } });
  await turn();
  assert.deepEqual(room.shown, ["old"]);
  room.elements.create({ ...PLACE, content: "refused" });
  room.asked.shift().answer({ ok: false, error: { code: "VALIDATION_ERROR" } });
  await turn();
  assert.deepEqual(room.shown, ["old"]);
  assert.deepEqual(room.refusals, ["VALIDATION_ERROR", "VALIDATION_ERROR"]);
});

test("an element whose deletion is refused is there when it is told", async () => {
  const shown = [];
  const elements = new Elements({
    ask: async () => ({ ok: false, error: { code: "FORBIDDEN" } }), self: () => "me", refused: () => {},
    changed: ({ key }, how) => shown.push([how, elements.get(key)?.isPending]),
  });
  elements.reset([{ ...PLACE, id: "x", version: 1 }]);
  elements.open();
  shown.length = 0;
  elements.delete("x");
  await turn();
  assert.deepEqual(shown, [["removed", false], ["added", false], ["changed", false]]);
});

test("what comes too fast is sent again when it may be", async () => {
  const room = open();
  room.elements.create({ ...PLACE, content: "a" });
  room.asked.shift().answer({ ok: false, error: { code: "RATE_LIMITED", details: { retryAfter: 30 } } });
  while (!room.asked.length) await turn();
  assert.equal(await room.answer(), "element:create");
  assert.deepEqual([room.shown, room.elements.pending, room.refusals], [["a"], 0, []]);
});

test("the whole state removes what is gone, and keeps what was not told yet", () => {
  const room = new Room();
  room.elements.reset([{ ...PLACE, id: "x", version: 1 }, { ...PLACE, id: "y", version: 1 }]);
  room.elements.create({ ...PLACE, content: "mine" });
  room.elements.reset([{ ...PLACE, id: "y", version: 4 }]);
  assert.deepEqual(room.shown, ["y", "mine"]);
});

test("a deletion that was told and is not in the whole state any more has not happened: a server that was killed had not stored it", () => {
  const room = new Room();
  const element = { id: "a", version: 1, content: "words", createdBy: "other", ...PLACE };
  room.elements.reset([element]);
  room.elements.deleted({ elementId: "a" });
  assert.deepEqual(room.shown, []);
  room.elements.reset([element]);
  assert.deepEqual(room.shown, ["words"]);
  room.elements.updated({ ...element, version: 2, content: "more words" });
  assert.deepEqual(room.shown, ["more words"]);
});

test("in any order of changes, losses and answers it ends where the server is", async () => {
  for (let seed = 1; seed <= 20; seed += 1) {
    let state = seed;
    const random = (below) => (state = (state * 48_271) % 2_147_483_647) % below;
    const room = open();
    const keys = [];
    for (let step = 0; step < 40; step += 1) {
      const act = random(6);
      if (act === 0) keys.push(room.elements.create({ ...PLACE, content: `${step}` }));
      if (act === 1 && keys.length) room.elements.update(keys[random(keys.length)], { content: `${step}` });
      if (act === 2 && keys.length && random(3) === 0) room.elements.delete(keys[random(keys.length)]);
      if (act >= 3 && room.asked.length) {
        const acks = random(4) > 0;
        await room.answer({ acks });
        if (!acks) await room.cut();
      }
    }
    await room.cut();
    for (let wait = 0; room.elements.pending && wait < 400; wait += 1) {
      await turn();
      if (room.asked.length) await room.answer();
    }
    assert.equal(room.elements.pending, 0, `seed ${seed}`);
    const there = [...room.made.values()].map(({ id, content }) => [id, content]);
    const shown = new Map([...room.elements].map(({ id, content }) => [id, content]));
    assert.deepEqual([...shown].sort(), there.sort(), `seed ${seed}`);
  }
});

test("what has no answer is kept, and taken up by another page under the same name", async () => {
  const room = open();
  room.elements.reset([{ ...PLACE, id: "x", version: 1, content: "old" }, { ...PLACE, id: "y", version: 1 }]);
  room.elements.close();
  room.elements.create({ ...PLACE, content: "new" });
  room.elements.update("x", { content: "changed" });
  room.elements.delete("y");
  assert.equal(room.kept.size, 3);
  const again = new Room();
  again.elements.restore([...room.kept]);
  assert.deepEqual(again.shown, ["new", "changed"]);
  again.elements.reset([{ ...PLACE, id: "x", version: 1, content: "old" }, { ...PLACE, id: "y", version: 1 }]);
  again.elements.open();
  const asked = Object.fromEntries(again.asked.map(({ event, fields }) => [event, fields]));
  assert.equal(asked["element:create"].clientId, [...room.kept.keys()].find((key) => key.startsWith("new-")));
  const { elementId, version, changes } = asked["element:edit"];
  assert.deepEqual([elementId, version, apply("old", changes)], ["x", 1, "changed"]);
  assert.deepEqual(asked["element:delete"], { elementId: "y", version: 1 });
});

for (const [when, arrives, isStored] of [
  ["that arrives as the page ends", true, true], ["that is lost with the page", false, true],
  ["that arrives and that the browser has not stored", true, false],
]) {
  for (const isEarly of [true, false]) {
    test(`an edit ${when} is made once, beside what others wrote, taken up ${isEarly ? "before" : "after"} the state`, async () => {
      const room = open();
      const key = room.elements.create({ ...PLACE, content: "one" });
      await room.answer();
      room.elements.write(key, [3, " two"]);
      while (!room.asked.length) await turn();
      const [[, { writer, ...record }]] = structuredClone([...room.kept]);
      const unsent = { ...writer, sent: null, outgoing: null, waiting: writer.outgoing };
      if (arrives) await room.answer();
      room.edit({ elementId: "e1", version: arrives ? 2 : 1, changes: ["zero ", arrives ? 7 : 3], clientId: "k" }, false, "you");
      const again = new Room();
      again.made = room.made;
      const takeUp = () => again.elements.restore([[key, { ...record, writer: isStored ? writer : unsent }]]);
      if (isEarly) takeUp();
      again.elements.reset([...again.made.values()]);
      again.elements.open();
      if (!isEarly) takeUp();
      for (let wait = 0; again.elements.pending && wait < 400; wait += 1) {
        await turn();
        if (again.asked.length) await again.answer();
      }
      assert.deepEqual([...again.made.values()].map(({ content }) => content), ["zero one two"]);
      assert.deepEqual([again.shown, again.elements.pending, again.kept.size], [["zero one two"], 0, 0]);
    });
  }
}

/** What a page of another name takes up from one that wrote in a note and made another, and was closed before it had an answer. */
function renamed() {
  const room = open();
  room.elements.created({ ...PLACE, id: "x", version: 1, createdBy: "you", content: "abc" });
  room.elements.write("x", [3, "i"]);
  room.elements.create({ ...PLACE, content: "new" });
  const again = new Room();
  again.user = "me again";
  again.elements.restore([...room.kept]);
  return again;
}

test("what was sent under another name is sent again under that one alone", async () => {
  const room = renamed();
  room.elements.reset([{ ...PLACE, id: "x", version: 1, createdBy: "you", content: "abc" }]);
  room.elements.open();
  assert.deepEqual([room.asked, room.elements.owners], [[], ["me", "me"]]);
  // The user before comes back for the answers. What is written since is not the business of that one.
  room.user = "me";
  let isDone = false;
  const done = room.elements.rest().then(() => (isDone = true));
  room.elements.open();
  const key = room.elements.create({ ...PLACE, content: "newer" });
  assert.deepEqual(room.asked.map(({ event }) => event), ["element:edit", "element:create"]);
  room.asked.shift().answer({ ok: true, version: 2 });
  await turn();
  assert.equal(isDone, false);
  // The last answer comes on another connection.
  room.elements.close();
  room.asked.shift().refuse(new Lost("cut"));
  await turn();
  room.elements.open();
  assert.deepEqual(room.asked.map(({ event }) => event), ["element:create"]);
  await room.answer();
  await done;
  room.elements.edited({ elementId: "x", version: 2, changes: [3, "i"], userId: "me", clientId: room.elements.get("x").clientId });
  assert.deepEqual([room.asked, room.elements.owners], [[], []]);
  room.user = "me again";
  room.elements.open();
  assert.deepEqual(room.asked.map(({ event, fields }) => [event, fields.clientId]), [["element:create", key]]);
});

test("what was sent under a name that cannot come back is sent again under another one", async () => {
  const room = renamed();
  room.elements.adopt();
  room.elements.reset([{ ...PLACE, id: "x", version: 1, createdBy: "you", content: "abc" }]);
  room.elements.open();
  assert.deepEqual(room.asked.map(({ event }) => event), ["element:edit", "element:create"]);
});

test("who has nothing to wait for rests at once, and who waits for an element that is gone does no more", async () => {
  const room = open();
  await room.elements.rest();
  room.elements.open();
  room.elements.created({ ...PLACE, id: "x", version: 1, createdBy: "you", content: "abc" });
  room.elements.write("x", [3, "i"]);
  const done = room.elements.rest();
  room.asked.shift().answer({ ok: false, error: { code: "RATE_LIMITED", details: { retryAfter: 60_000 } } });
  await turn();
  room.elements.deleted({ elementId: "x" });
  await done;
});

test("who goes on writing before the browser tells what it keeps loses neither", async () => {
  const room = open();
  const key = room.elements.create({ ...PLACE, content: "one" });
  await room.answer();
  room.elements.write(key, [3, " two"]);
  const again = new Room();
  again.made = room.made;
  again.elements.reset([...again.made.values()]);
  again.elements.open();
  again.elements.write("e1", ["zero ", 3]);
  again.elements.restore([...room.kept]);
  assert.deepEqual(again.shown, ["zero one two"]);
  for (let wait = 0; again.elements.pending && wait < 400; wait += 1) {
    await turn();
    if (again.asked.length) await again.answer();
  }
  assert.deepEqual([...again.made.values()].map(({ content }) => content), ["zero one two"]);
});

test("a creation that is sent again after a reload keeps what others wrote in it", async () => {
  const room = open();
  const key = room.elements.create({ ...PLACE, content: "one" });
  await room.answer({ acks: false });
  room.elements.write(key, [3, " two"]);
  room.edit({ elementId: "e1", version: 1, changes: ["zero ", 3], clientId: "k" }, false, "you");
  const again = new Room();
  again.made = room.made;
  again.elements.restore([...room.kept]);
  again.elements.open();
  again.elements.reset([...again.made.values()]);
  for (let wait = 0; again.elements.pending && wait < 400; wait += 1) {
    await turn();
    if (again.asked.length) await again.answer();
  }
  assert.deepEqual([...again.made.values()].map(({ content }) => content), ["zero one two"]);
  assert.deepEqual([again.shown, again.kept.size], [["zero one two"], 0]);
});

test("the words of an edit that is refused go to their writer", async () => {
  const refusals = [];
  let refuse;
  const elements = new Elements({
    ask: () => new Promise((answer) => (refuse = () => answer({ ok: false, error: { code: "FORBIDDEN" } }))), self: () => "me",
    changed: () => {}, refused: ({ code }, event, element, text) => refusals.push([code, event, text]),
  });
  elements.reset([{ ...PLACE, id: "x", version: 1, content: "old" }]);
  elements.open();
  elements.write("x", [3, " mine"]);
  refuse();
  await turn();
  assert.deepEqual(refusals, [["FORBIDDEN", "element:edit", "old mine"]]);
  assert.deepEqual([elements.get("x").content, elements.pending], ["old", 0]);
});

test("a change that was taken up is forgotten when the server has it", async () => {
  const room = open();
  room.elements.restore([["x", { server: { ...PLACE, id: "x", version: 1 }, local: { content: "a" }, wasSent: true }]]);
  room.kept.set("x", {});
  const { answer } = room.asked.shift();
  answer({ ok: true, element: { ...PLACE, id: "x", version: 2, content: "a" } });
  await turn();
  assert.deepEqual([room.kept.size, room.elements.pending], [0, 0]);
});

test("what is answered is kept no longer", async () => {
  const room = open();
  room.elements.create({ ...PLACE, content: "a" });
  assert.equal(room.kept.size, 1);
  await room.answer();
  assert.equal(room.kept.size, 0);
});

test("the words that go with a deleted element are told", () => {
  const room = new Room();
  const lost = [];
  const elements = new Elements({
    ask: () => new Promise(() => {}), self: () => "me", refused: () => {},
    changed: (element, how, { by, text }) => how === "removed" && lost.push([by, text]),
  });
  elements.reset([{ ...PLACE, id: "x", version: 1 }, { ...PLACE, id: "y", version: 1 }]);
  elements.update("x", { content: "mine" });
  elements.reset([]);
  assert.deepEqual(lost, [["others", "mine"], ["others", undefined]]);
  assert.equal(room.kept.size, 0);
});

/** A room with one element of another, which this client has deleted without a connection. */
function deletedAway() {
  const room = open();
  const element = { ...PLACE, id: "e1", createdBy: "you", version: 1, content: "one" };
  room.made.set("theirs", element);
  room.elements.created(element);
  room.elements.close();
  room.elements.delete("e1");
  assert.deepEqual(room.shown, []);
  return room;
}

for (const [how, come] of [
  ["the state", (room) => { room.elements.reset([...room.made.values()]); room.elements.open(); }],
  ["missed changes", (room, edit) => { room.elements.open(); room.elements.edited(edit); }],
]) {
  test(`what others wrote in an element that was deleted without having been seen is not deleted, after ${how}`, async () => {
    const room = deletedAway();
    room.edit({ elementId: "e1", version: 1, changes: [3, " two"], clientId: "k" }, false, "you");
    come(room, { elementId: "e1", version: 2, changes: [3, " two"], clientId: "k", userId: "you" });
    // The deletion that was on its way is refused, because it named what was seen.
    for (const { event, fields, answer } of room.asked.splice(0)) {
      assert.deepEqual([event, fields.version], ["element:delete", 1]);
      answer({ ok: false, error: { code: "CONFLICT", details: { element: room.made.get("theirs") } } });
    }
    await turn();
    assert.deepEqual([room.shown, room.refusals, room.elements.pending], [["one two"], ["WRITTEN"], 0]);
    assert.equal(room.kept.size, 0);
  });
}

test("a word that others wrote is not taken for one that the user was writing when deleting the element", async () => {
  const room = open();
  room.elements.created({ ...PLACE, id: "x", createdBy: "you", version: 1, content: "aaabb" });
  room.elements.write("x", ["aac", 5]);
  room.elements.write("x", [3, "bb aacca abaaa ", 5]);
  room.elements.delete("x");
  // The first letters, which were on their way, are no word of others.
  room.elements.edited({ elementId: "x", version: 2, changes: ["aac", 5], userId: "me", clientId: room.asked[0].fields.clientId });
  assert.deepEqual(room.refusals, []);
  room.elements.edited({ elementId: "x", version: 3, changes: ["aacaa ", 8], userId: "you" });
  assert.deepEqual(room.refusals, ["WRITTEN"]);
});

test("an element that others only moved is deleted all the same", async () => {
  const room = deletedAway();
  room.elements.open();
  room.update({ elementId: "e1", positionX: 9 }, false);
  room.asked.shift().answer({ ok: false, error: { code: "CONFLICT", details: { element: room.made.get("theirs") } } });
  await new Promise((resolve) => setTimeout(resolve, 80));
  assert.equal(room.asked[0].fields.version, 2);
  await room.answer();
  assert.deepEqual([room.shown, room.refusals], [[], []]);
});

test("an edit that was told is kept until its ack, and made again by a server that has lost it", async () => {
  const room = open();
  const element = { ...PLACE, id: "e1", createdBy: "you", version: 1, content: "one" };
  room.made.set("theirs", element);
  room.elements.created(element);
  room.elements.write("e1", [3, " two"]);
  room.edit(room.asked[0].fields, true);
  assert.deepEqual([room.shown, room.elements.pending], [["one two"], 1]);
  assert.equal(room.kept.size, 1);
  // The server is killed before it has stored the edit; another has written in the same version since.
  room.made.set("theirs", { ...element, version: 2, content: "one!", updatedBy: "you" });
  await room.cut();
  const { fields, answer } = room.asked.shift();
  assert.deepEqual([fields.version, fields.changes], [1, [3, " two"]]);
  answer({ ok: false, error: { code: "CONFLICT", details: { element: room.made.get("theirs") } } });
  await new Promise((resolve) => setTimeout(resolve, 80));
  await room.answer();
  assert.match(room.shown[0], /^one.* two/);
  assert.deepEqual([room.elements.pending, room.kept.size], [0, 0]);
});

test("after a server that was killed, the answer to an edit that is sent again says of which version the next one is", async () => {
  const room = open();
  const element = { ...PLACE, id: "x", version: 1, createdBy: "me", content: "w" };
  room.elements.created(element);
  room.elements.write("x", [1, "0"]);
  const { fields } = room.asked[0];
  // It is told and stored, and the server is killed before it answers.
  room.elements.edited({ elementId: "x", version: 2, changes: [1, "0"], userId: "me", clientId: fields.clientId });
  room.elements.write("x", [2, "z"]);
  room.elements.close();
  room.asked.shift().refuse(new Lost("cut"));
  await turn();
  const stored = { ...element, version: 2, content: "w0" };
  room.elements.reset([stored]);
  room.elements.open();
  room.asked.shift().answer({ ok: true, element: stored });
  await new Promise((resolve) => setTimeout(resolve, 100));
  const [next] = room.asked;
  assert.deepEqual([next.event, next.fields.version, next.fields.changes], ["element:edit", 2, [2, "z"]]);
});
