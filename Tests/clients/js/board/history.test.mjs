import assert from "node:assert/strict";
import test from "node:test";

import { History } from "./page/history.js";
import { apply } from "./page/text-edit.js";

const NOTE = { type: "note", positionX: 0, positionY: 0, width: 9, height: 9 };

/** Elements that others change, too. */
class Room {
  all = new Map();
  now = 0;
  #count = 0;

  history = new History({
    get: (key) => this.all.get(key),
    create: (fields) => {
      const key = `k${++this.#count}`;
      this.all.set(key, { ...fields, key });
      return key;
    },
    update: (key, fields) => this.other(key, fields),
    write: (key, changes) => this.other(key, { content: apply(this.all.get(key).content ?? "", changes) }),
    delete: (key) => this.all.delete(key),
  }, { now: () => this.now });

  other(key, fields) {
    Object.assign(this.all.get(key), fields);
  }

  get contents() {
    return [...this.all.values()].map(({ content }) => content);
  }
}

test("everything goes back and comes again in its order", () => {
  const room = new Room();
  const key = room.history.create({ ...NOTE, content: "a" });
  room.history.update(key, { content: "b" });
  room.now = 5_000;
  room.history.update(key, { content: "c" });
  room.history.delete(key);
  for (const expected of [["c"], ["b"], ["a"], []]) {
    assert.equal(room.history.undo(), true);
    assert.deepEqual(room.contents, expected);
  }
  assert.equal(room.history.undo(), null);
  for (const expected of [["a"], ["b"], ["c"], []]) {
    assert.equal(room.history.redo(), true);
    assert.deepEqual(room.contents, expected);
  }
  assert.equal(room.history.redo(), null);
});

test("writing goes back and comes again without the words of others", () => {
  const room = new Room();
  const key = room.history.create({ ...NOTE, content: "one" });
  room.now = 5_000;
  room.history.write(key, [3, " two"]);
  // Others write before, between and after what is one action here.
  room.other(key, { content: "zero one two" });
  room.history.write(key, [12, " three"]);
  room.other(key, { content: "zero one two three!" });
  assert.equal(room.history.undo(), true);
  assert.deepEqual(room.contents, ["zero one!"]);
  room.other(key, { content: "zero one!!" });
  assert.equal(room.history.redo(), true);
  assert.deepEqual(room.contents, ["zero one two three!!"]);
  // What others have removed meanwhile is not there to be taken back.
  room.other(key, { content: "zero one!!" });
  assert.equal(room.history.undo(), false);
  assert.deepEqual(room.contents, ["zero one!!"]);
});

test("a pause ends an action of writing", () => {
  const room = new Room();
  const key = room.history.create({ ...NOTE, content: "" });
  for (const [now, changes] of [[5_000, ["a"]], [5_500, [1, "b"]], [9_000, [2, "c"]]]) {
    room.now = now;
    room.history.write(key, changes);
  }
  for (const [way, expected] of [["undo", "ab"], ["undo", ""], ["redo", "ab"], ["redo", "abc"]]) {
    room.history[way]();
    assert.deepEqual(room.contents, [expected]);
  }
});

test("a drag is one action", () => {
  const room = new Room();
  const key = room.history.create(NOTE);
  for (let x = 1; x < 50; x += 1) {
    room.now += 16;
    room.history.update(key, { positionX: x, positionY: 0 });
  }
  room.history.undo();
  assert.equal(room.all.get(key).positionX, 0);
  room.history.redo();
  assert.equal(room.all.get(key).positionX, 49);
});

test("what others changed meanwhile stays", () => {
  const room = new Room();
  const key = room.history.create({ ...NOTE, content: "a" });
  room.history.update(key, { content: "mine", positionX: 5 });
  room.other(key, { content: "theirs" });
  assert.equal(room.history.undo(), false);
  assert.deepEqual([room.all.get(key).content, room.all.get(key).positionX], ["theirs", 0]);
});

test("what others wrote on an element comes back with it", () => {
  const room = new Room();
  const key = room.history.create({ ...NOTE, content: "a" });
  room.other(key, { content: "a and more" });
  room.history.undo();
  room.history.redo();
  assert.deepEqual(room.contents, ["a and more"]);
});

test("what others deleted cannot be changed back, and does not come back", () => {
  const room = new Room();
  const key = room.history.create({ ...NOTE, content: "a" });
  room.history.update(key, { content: "b" });
  room.all.delete(key);
  assert.equal(room.history.undo(), false);
  assert.equal(room.history.undo(), false);
  assert.deepEqual(room.contents, []);
});

test("several elements are one action", () => {
  const room = new Room();
  const keys = room.history.createAll([{ ...NOTE, content: "a" }, { ...NOTE, content: "b" }]);
  room.history.deleteAll(keys);
  room.history.undo();
  assert.deepEqual(room.contents.sort(), ["a", "b"]);
  room.history.undo();
  assert.deepEqual(room.contents, []);
});

test("a note that was never written leaves no action", () => {
  const room = new Room();
  room.history.delete(room.history.create(NOTE));
  assert.equal(room.history.canUndo, false);
});

test("a new action ends what could be redone, and only so many are kept", () => {
  const room = new Room();
  for (let i = 0; i < 250; i += 1) room.history.create(NOTE);
  for (let i = 0; i < 200; i += 1) assert.equal(room.history.undo(), true);
  assert.equal(room.history.undo(), null);
  room.history.create(NOTE);
  assert.equal(room.history.canRedo, false);
});
