// A client whose user takes another name: the server in memory knows what was sent by the name alone, as one with open access does.

import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";

import { Client } from "./page/rooms.js";
import { SimulatedRoom } from "./simulated-room.mjs";
import { chance, pass, playWith, turn } from "./simulated-time.mjs";

const NOTE = { type: "note", positionX: 1, positionY: 1, width: 10, height: 10 };

class Server {
  connects = [];
  sent = [];
  /** Joins and leaves. */
  moves = [];
  room = new SimulatedRoom();
  sockets = new Set();
  /** Whether changes and leaves get no answer; and refusals of names, of joins and of changes. */
  isMute = false;
  refusal = () => null;
  joinRefusal = () => null;
  changeRefusal = () => null;

  cut() {
    for (const socket of [...this.sockets]) socket.end();
  }

  tell(name, argument) {
    for (const socket of this.sockets) socket.tell(`42${JSON.stringify([name, { roomId: "lobby", ...argument }])}`);
  }
}

let server;
let name;

globalThis.WebSocket = class {
  static OPEN = 1;
  readyState = 1;
  bufferedAmount = 0;

  constructor() {
    server.sockets.add(this);
    this.tell('0{"pingInterval":1000000,"pingTimeout":1000000}');
  }

  tell(text) {
    queueMicrotask(() => this.onmessage?.({ data: text }));
  }

  send(text) {
    if (text === "41") return this.close();
    if (text.startsWith("40")) return this.#connect(JSON.parse(text.slice(2)).token);
    const [, id, rest] = /^42(\d*)(.*)$/s.exec(text);
    const [event, { roomId, ...fields }] = JSON.parse(rest);
    if (event.startsWith("room:")) server.moves.push([event, roomId]);
    if (event === "room:join") return this.#join();
    if (event === "room:leave" && !server.isMute) return this.#answer(id, { ok: true });
    if (!event.startsWith("element:")) return;
    server.sent.push([this.name, event, fields.content ?? fields.changes]);
    const refusal = server.changeRefusal();
    const message = { kind: "ask", number: id, event, fields };
    if (refusal) return this.#answer(id, { ok: false, error: refusal });
    server.room.receive(this.member, message);
    server.room.store();
  }

  #connect(token) {
    server.connects.push(token);
    const refusal = server.refusal(token);
    if (refusal) return this.tell(`44${JSON.stringify(refusal)}`);
    this.name = token;
    this.tell(`40{"sid":"${server.connects.length}"}`);
  }

  #join() {
    const refusal = server.joinRefusal(this.name);
    if (refusal) return this.tell(`42${JSON.stringify(["error", null, { event: "room:join", ...refusal }])}`);
    const hear = ({ kind, event, argument, number, answer }) => {
      if (kind === "answer" && !server.isMute) this.#answer(number, answer);
      if (kind === "event" && !server.isMute) this.tell(`42${JSON.stringify([`element:${event}`, { roomId: "lobby", ...argument }])}`);
    };
    // The server cleans a name before it is the user's id.
    this.member = { user: this.name.trim(), isJoined: true, toClient: { push: hear } };
    server.room.connections.add(this.member);
    const self = { userId: this.member.user, color: "#000" };
    this.tell(`42${JSON.stringify(["room:joined", { roomId: "lobby", room: {}, self, participants: [], elements: server.room.elements }])}`);
  }

  #answer(id, answer) {
    this.tell(`43${id}${JSON.stringify([answer])}`);
  }

  end() {
    this.close();
    this.onclose?.({ reason: "cut" });
  }

  close() {
    server.room.connections.delete(this.member);
    server.sockets.delete(this);
  }
};

beforeEach(() => {
  [server, name] = [new Server(), "ann"];
  playWith(chance(1));
});

function enter(records = [], token = () => name) {
  const client = new Client({ url: "http://rooms.test", transports: ["websocket"], token, isTokenName: true });
  const room = client.join("lobby");
  const kept = new Map(records);
  room.on("kept", (key, record) => (record ? kept.set(key, structuredClone(record)) : kept.delete(key)));
  room.restore(records);
  return { client, room, kept };
}

/** A note in which ann has written what has no answer. */
async function unanswered(token) {
  const page = enter([], token);
  await turn();
  const key = page.room.create({ ...NOTE, content: "milk" });
  await pass(200);
  server.isMute = true;
  page.room.write(key, [4, " eggs"]);
  await turn();
  return page;
}

const texts = () => server.room.elements.map(({ content }) => content);

function rename(client, to) {
  name = to;
  client.reopen();
}

for (const [way, happens] of Object.entries({
  "the connection is lost": () => server.cut(),
  "the room is read anew": () => server.tell("room:closed", { reason: "the room has to be read anew" }),
  "the room is full for a while": () => {
    server.joinRefusal = () => ({ code: "ROOM_FULL", message: "full" });
    server.cut();
  },
})) {
  test(`what was sent under the name before is made once, and the new name comes after that: ${way}`, async () => {
    const { client, room } = await unanswered();
    happens();
    rename(client, "bob");
    await pass(2_000);
    server.isMute = false;
    server.joinRefusal = () => null;
    room.create({ ...NOTE, content: "bread" });
    await pass(40_000);
    assert.deepEqual([texts(), room.self.userId, room.elements.pending], [["milk eggs", "bread"], "bob", 0]);
    assert.deepEqual(server.sent.filter(([, , content]) => content === "bread").map(([by]) => by), ["bob"]);
  });
}

test("a page of another name sends what was sent before under that name, and all else under its own", async () => {
  const before = await unanswered();
  before.room.create({ ...NOTE, content: "sent" });
  await pass(100);
  server.cut();
  server.refusal = () => ({ message: "later", data: { code: "RATE_LIMITED", details: { retryAfter: 100 } } });
  before.room.create({ ...NOTE, content: "not sent" });
  await turn();
  before.client.close();
  [server.refusal, server.isMute, server.sent, name] = [() => null, false, [], "bob"];
  const { room } = enter([...before.kept]);
  await pass(3_000);
  const sent = server.sent.map(([by, , content]) => `${by}: ${content}`);
  assert.deepEqual(sent.sort(), ["ann: 4, eggs", "ann: sent", "bob: not sent"]);
  assert.deepEqual([texts().sort(), room.self.userId], [["milk eggs", "not sent", "sent"], "bob"]);
});

test("what waits for another name does so also behind what was sent under this one", async () => {
  const before = await unanswered();
  server.cut();
  before.client.close();
  [server.isMute, name] = [false, "bob"];
  const { client, room } = enter();
  await turn();
  server.isMute = true;
  room.create({ ...NOTE, content: "bread" });
  await turn();
  // The room is entered again, with what the browser keeps of ann.
  room.restore([...before.kept]);
  server.tell("room:closed", { reason: "the room has to be read anew" });
  server.isMute = false;
  await pass(40_000);
  assert.deepEqual([texts().sort(), room.self.userId, room.elements.pending], [["bread", "milk eggs"], "bob", 0]);
  client.close();
});

test("a change that the server did not take for lack of time is not of the name before", async () => {
  const { client, room } = enter();
  await turn();
  server.changeRefusal = () => ({ code: "RATE_LIMITED", details: { retryAfter: 500 } });
  room.create({ ...NOTE, content: "milk" });
  await turn();
  rename(client, "bob");
  await turn();
  server.changeRefusal = () => null;
  await pass(2_000);
  assert.deepEqual(server.room.elements.map(({ content, createdBy }) => [content, createdBy]), [["milk", "bob"]]);
});

test("a change that was on its way when the room was closed is made when the room is open again", async () => {
  const { room } = enter();
  const refusals = [];
  room.on("refused", ({ code }) => refusals.push(code));
  await turn();
  const [written, moved, gone] = ["milk", "salt", "tea"].map((content) => room.create({ ...NOTE, content }));
  await pass(200);
  server.tell("room:closed", { reason: "the room has to be read anew" });
  server.changeRefusal = () => ({ code: "FORBIDDEN", message: "You have not joined this room." });
  room.write(written, [4, " eggs"]);
  room.update(moved, { positionX: 50 });
  room.delete(gone);
  room.create({ ...NOTE, content: "bread" });
  await turn();
  assert.deepEqual([room.isJoined, room.elements.pending, refusals], [false, 4, []]);
  server.changeRefusal = () => null;
  await pass(1_000);
  assert.deepEqual([room.isJoined, room.elements.pending, refusals], [true, 0, []]);
  const made = server.room.elements.map(({ content, positionX }) => [content, positionX]);
  assert.deepEqual(made, [["milk eggs", 1], ["salt", 50], ["bread", 1]]);
});

test("a change is of the new name when the room was closed before the server took it", async () => {
  const { client, room } = enter();
  await turn();
  server.tell("room:closed", { reason: "the room has to be read anew" });
  server.changeRefusal = () => ({ code: "FORBIDDEN", message: "You have not joined this room." });
  room.create({ ...NOTE, content: "milk" });
  await turn();
  rename(client, "bob");
  server.changeRefusal = () => null;
  await pass(2_000);
  assert.deepEqual(server.room.elements.map(({ content, createdBy }) => [content, createdBy]), [["milk", "bob"]]);
});

for (const [way, refuse] of Object.entries({
  "it is banned": () => (server.refusal = (token) => token === "ann" && { message: "banned", data: { code: "BANNED" } }),
  "the room does not let it in": () => (server.joinRefusal = (token) => token === "ann" && { code: "FORBIDDEN", message: "no" }),
})) {
  test(`a name that cannot come back does not keep the new one out: ${way}`, async () => {
    const { client, room } = await unanswered();
    server.cut();
    refuse();
    server.isMute = false;
    rename(client, "bob");
    await pass(60_000);
    assert.deepEqual([room.self.userId, room.isJoined, room.elements.pending], ["bob", true, 0]);
  });
}

test("a name that the server cleans is the same one after a lost connection, and so is one that comes later", async () => {
  for (const token of [() => "ann ", async () => "ann "]) {
    server = new Server();
    const { client, room } = await unanswered(token);
    server.cut();
    server.isMute = false;
    await pass(20_000);
    assert.deepEqual([server.connects, room.elements.pending, texts()], [["ann ", "ann "], 0, ["milk eggs"]]);
    client.close();
  }
});

test("without names another user sends what has no answer", async () => {
  const client = new Client({ url: "http://rooms.test", transports: ["websocket"], token: () => name });
  const room = client.join("lobby");
  await turn();
  server.isMute = true;
  room.create({ ...NOTE, content: "milk" });
  await turn();
  server.cut();
  server.isMute = false;
  rename(client, "bob");
  await pass(5_000);
  assert.deepEqual([room.elements.pending, room.self.userId], [0, "bob"]);
});

test("a room that was left while it was full is not asked any more", async () => {
  server.joinRefusal = () => ({ code: "ROOM_FULL", message: "full" });
  const { room } = enter();
  await turn();
  // The user tries at once, and in vain.
  room.open();
  await turn();
  room.leave();
  server.moves = [];
  server.joinRefusal = () => null;
  await pass(20_000);
  assert.deepEqual(server.moves.filter(([event]) => event === "room:join"), []);
});

test("a room is left on a later connection when the one before was lost: unless it was joined again", async () => {
  const { client } = enter();
  await turn();
  for (const id of ["kitchen", "hall"]) client.join(id);
  await turn();
  [server.moves, server.isMute] = [[], true];
  server.cut();
  for (const id of ["lobby", "kitchen"]) client.join(id).leave();
  client.join("kitchen");
  await pass(2_000);
  assert.deepEqual(server.moves.filter(([event]) => event === "room:leave"), [["room:leave", "lobby"]]);
  // What has no answer is asked once more.
  [server.moves, server.isMute] = [[], false];
  server.cut();
  await pass(2_000);
  server.cut();
  await pass(2_000);
  assert.deepEqual(server.moves.filter(([event]) => event === "room:leave"), [["room:leave", "lobby"]]);
});

test("of the rooms that are left without a connection the client remembers as many as a connection may be in", async () => {
  const { client } = enter();
  await turn();
  [server.moves, server.isMute] = [[], true];
  server.cut();
  for (let number = 0; number <= 1_000; number += 1) client.join(`room ${number}`).leave();
  await pass(2_000);
  const left = server.moves.filter(([event]) => event === "room:leave").map(([, roomId]) => roomId);
  assert.deepEqual([left.length, left[0], left.at(-1)], [1_000, "room 1", "room 1000"]);
});
