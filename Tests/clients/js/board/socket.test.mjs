import assert from "node:assert/strict";
import test from "node:test";

import { Client } from "./page/rooms.js";
import { Lost, Socket } from "./page/socket.js";

/** The WebSockets that were opened; a test plays the server. */
const opened = [];

globalThis.WebSocket = class {
  static OPEN = 1;
  readyState = 1;
  bufferedAmount = 0;
  sent = [];

  constructor(address) {
    this.address = new URL(address);
    opened.push(this);
  }

  send(text) {
    this.sent.push(text);
  }

  close() {
    this.isClosed = true;
  }

  says(...packets) {
    for (const data of packets) this.onmessage?.({ data });
  }
};

const turn = () => new Promise((resolve) => setTimeout(resolve, 0));
const OPEN = '0{"sid":"s","upgrades":[],"pingInterval":25000,"pingTimeout":20000,"maxPayload":1000000}';

async function connect(options = {}) {
  const told = [];
  const socket = new Socket("https://rooms.example/socket.io/", {
    auth: { token: "ada" }, transports: ["websocket"],
    state: (state) => told.push(state), event: (...what) => told.push(what), connected: (again) => told.push({ again }),
    ...options,
  });
  socket.open();
  const wire = opened.at(-1);
  wire.says(OPEN);
  await turn();
  return { socket, wire, told };
}

test("it connects over wss with its token, and answers heartbeats", async () => {
  const { socket, wire, told } = await connect();
  assert.equal(wire.address.href, "wss://rooms.example/socket.io/?EIO=4&transport=websocket");
  assert.deepEqual(wire.sent, ['40{"token":"ada"}']);
  wire.says('40{"sid":"one","pid":"secret"}', "2");
  assert.deepEqual(wire.sent.slice(1), ["3"]);
  assert.deepEqual(told, ["connecting", "online", { again: false }]);
  socket.close();
  assert.equal(wire.sent.at(-1), "41");
});

test("it names a room for load balancers, also when it has another one by then", async () => {
  let room = "plans & more";
  const { socket, wire } = await connect({ room: () => room });
  assert.equal(wire.address.searchParams.get("room"), room);
  room = "lobby";
  wire.onclose({ reason: "" });
  socket.close();
  socket.open();
  assert.equal(opened.at(-1).address.searchParams.get("room"), "lobby");
  socket.close();
});

test("a client of rooms names its first room, or the one that it was made with", async () => {
  const client = new Client({ url: "https://rooms.example", room: "before" });
  assert.equal(opened.at(-1).address.searchParams.get("room"), "before");
  client.join("first");
  client.join("second");
  client.close();
});

test("a client that is asked for a new token says why to the function that gives it", async () => {
  const asked = [];
  const client = new Client({
    url: "https://rooms.example",
    token: async (why) => {
      asked.push(why);
      return `token${asked.length}`;
    },
  });
  const wire = opened.at(-1);
  wire.says(OPEN);
  await turn();
  wire.says('40{"sid":"one"}', '42["auth:expiring",{"expiresIn":60}]');
  await turn();
  assert.deepEqual(asked, [{}, { isExpiring: true }]);
  assert.equal(wire.sent.at(-1), '42["auth:refresh",{"token":"token2"}]');
  client.close();
});

test("an ack comes to whoever asked, and a lost connection tells all who wait", async () => {
  const { socket, wire } = await connect();
  wire.says('40{"sid":"one"}');
  const [first, second] = [socket.ask("a", { n: 1 }), socket.ask("b", { n: 2 })];
  assert.deepEqual(wire.sent.slice(1), ['420["a",{"n":1}]', '421["b",{"n":2}]']);
  wire.says('431[{"ok":true,"text":"\\u2028 \\"x\\""}]');
  assert.deepEqual(await second, { ok: true, text: '\u2028 "x"' });
  wire.onclose({ reason: "" });
  await assert.rejects(first, Lost);
  await assert.rejects(socket.ask("c", {}), Lost);
  socket.close();
});

test("it shows how far it had come when it comes back, and knows whether it was taken up again", async () => {
  const { socket, wire, told } = await connect();
  wire.says('40{"sid":"one","pid":"secret"}', '42["x",{"n":1},"7.abc"]', '42["error","text",{"code":"X"}]');
  wire.onclose({ reason: "" });
  await new Promise((resolve) => setTimeout(resolve, 600));
  const again = opened.at(-1);
  assert.notEqual(again, wire);
  again.says(OPEN);
  await turn();
  assert.deepEqual(JSON.parse(again.sent[0].slice(2)), { token: "ada", pid: "secret", offset: "7.abc" });
  again.says('40{"sid":"one","pid":"secret"}');
  assert.deepEqual(told.at(-1), { again: true });
  socket.close();
});

test("another sid is a new start", async () => {
  const { socket, wire, told } = await connect();
  wire.says('40{"sid":"one","pid":"secret"}', '42["x",{},"7.abc"]');
  wire.onclose({ reason: "" });
  await new Promise((resolve) => setTimeout(resolve, 600));
  const again = opened.at(-1);
  again.says(OPEN);
  await turn();
  again.says('40{"sid":"two","pid":"other"}');
  assert.deepEqual(told.at(-1), { again: false });
  again.onclose({ reason: "" });
  await new Promise((resolve) => setTimeout(resolve, 600));
  opened.at(-1).says(OPEN);
  await turn();
  assert.deepEqual(JSON.parse(opened.at(-1).sent[0].slice(2)), { token: "ada", pid: "other" });
  socket.close();
});

test("a token that is no good ends it, a server that is about to stop does not", async () => {
  const { socket, wire, told } = await connect();
  wire.says('44{"message":"no","data":{"code":"TOKEN_EXPIRED"}}');
  assert.equal(told.at(-1), "refused");
  const ended = await connect();
  ended.wire.says('44{"message":"no","data":{"code":"SESSION_ENDED"}}');
  assert.equal(ended.told.at(-1), "refused");
  ended.socket.close();
  const other = await connect();
  other.wire.says('44{"message":"no","data":{"code":"SHUTTING_DOWN"}}');
  assert.equal(other.told.at(-1), "offline");
  socket.close();
  other.socket.close();
});

test("what came from a connection before this one is not heard", async () => {
  const { socket, wire, told } = await connect();
  wire.says('40{"sid":"one"}');
  const late = wire.onmessage;
  wire.onclose({ reason: "" });
  late({ data: '42["x",{}]' });
  assert.equal(told.at(-1), "offline");
  socket.close();
});

test("an event with an attachment is told when that has come", async () => {
  const { socket, wire, told } = await connect();
  wire.says('40{"sid":"one"}', '451-["touch:tick","lobby",{"_placeholder":true,"num":0}]');
  const { buffer } = Uint8Array.of(1, 2, 3);
  assert.equal(told.at(-1).again, false);
  wire.says(buffer);
  assert.deepEqual(told.at(-1), ["touch:tick", "lobby", buffer]);
  // One that belongs to no event is passed over.
  wire.says(buffer);
  assert.equal(told.filter((what) => what[0] === "touch:tick").length, 1);
  socket.close();
});
