// The iOS guide's SocketManager, call by call, with the browser's client in place of the Swift one: the same events,
// the same arguments, no acks, the token in the query.

"use strict";

const PATIENCE = 30000;

class GuideSocketManager {
  constructor({ io, url, transports }, token) {
    this.seen = [];
    this.waiting = [];
    this.socket = io(url, { transports, query: { token }, forceNew: true, reconnection: true, reconnectionDelay: 1000 });
    this.socket.on("connect", () => this.note("connect"));
    this.socket.on("disconnect", () => this.note("disconnect"));
    this.socket.on("error", (first) => {
      if (typeof first === "string") this.note("error", first);
    });
    // What the guide's listeners are given: the user and who it is, a userId, a touch, an element.
    this.socket.on("user:joined", (data) => this.note("user:joined", data.userId, data.user));
    this.socket.on("user:left", (data) => this.note("user:left", data.userId));
    this.socket.on("touch:moved", (data) => this.note("touch:moved", data));
    this.socket.on("element:created", (data) => this.note("element:created", decodeElement(data)));
    // Not in the guide's listing, but of its calls' doing.
    for (const event of ["touch:ended", "element:updated", "element:deleted", "room:joined"]) {
      this.socket.on(event, (data) => this.note(event, data));
    }
  }

  note(...entry) {
    this.seen.push(entry);
    this.waiting.forEach((look) => look());
  }

  /** Takes out the first event of this name, waiting for it if need be. */
  async next(event) {
    const find = () => this.seen.findIndex(([name]) => name === event);
    if (find() < 0) {
      await new Promise((resolve, reject) => {
        const names = () => this.seen.map(([name]) => name).join(", ");
        const late = setTimeout(() => reject(new Error(`no ${event} among ${names()}`)), PATIENCE);
        this.waiting.push(() => find() >= 0 && (clearTimeout(late), resolve()));
      });
    }
    return this.seen.splice(find(), 1)[0].slice(1);
  }

  disconnect() {
    this.socket.disconnect();
  }

  joinRoom(roomId) {
    this.socket.emit("room:join", { roomId });
  }

  leaveRoom(roomId) {
    this.socket.emit("room:leave", { roomId });
  }

  sendTouchMove(roomId, x, y, elementId) {
    this.socket.emit("touch:move", { roomId, x, y, ...(elementId ? { elementId } : {}) });
  }

  sendTouchEnd(roomId) {
    this.socket.emit("touch:end", { roomId });
  }

  createElement(roomId, type, x, y, width, height, optional = {}) {
    this.socket.emit("element:create", { roomId, type, positionX: x, positionY: y, width, height, ...optional });
  }

  updateElement(roomId, elementId, x, y) {
    this.socket.emit("element:update", { roomId, elementId, positionX: x, positionY: y });
  }

  deleteElement(roomId, elementId) {
    this.socket.emit("element:delete", { roomId, elementId });
  }
}

function check(condition, message) {
  if (!condition) throw new Error(message);
}

function same(actual, expected, what) {
  check(JSON.stringify(actual) === JSON.stringify(expected), `${what}: ${JSON.stringify(actual)}`);
}

/** As Swift's decoder would read `Element`: each field there, and of its type, and the date without fractions. */
function decodeElement(data) {
  for (const name of ["id", "roomId", "type", "createdBy"]) check(typeof data[name] === "string", `${name} is no string`);
  for (const name of ["positionX", "positionY", "width", "height"]) {
    check(typeof data[name] === "number", `${name} is no number`);
  }
  for (const name of ["content", "imageUrl", "audioUrl"]) {
    check(["undefined", "string"].includes(typeof data[name]), `${name} is no string`);
  }
  check(["undefined", "number"].includes(typeof data.duration), "duration is no number");
  check(["note", "photo", "audio"].includes(data.type), "type is none of the guide's");
  check(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/.test(data.createdAt), "createdAt is not what .iso8601 reads");
  return data;
}

globalThis.scenarios["the guide's calls"] = async (world) => {
  const room = `guide ${Math.random()}`;
  const ada = new GuideSocketManager(world, "ada");
  await ada.next("connect");
  ada.joinRoom(room);
  await ada.next("room:joined");
  const bob = new GuideSocketManager(world, "bob");
  await bob.next("connect");
  // All in one breath, as an app does that restores a room.
  bob.joinRoom(room);
  bob.createElement(room, "note", 1, 2, 3, 4, { content: "hello" });
  bob.sendTouchMove(room, 0.5, 0.25, "e1");
  bob.sendTouchEnd(room);

  const [userId, user] = await ada.next("user:joined");
  same([userId, user.id, user.username], ["bob", "bob", "bob"], "user:joined");
  const [element] = await ada.next("element:created");
  same([element.content, element.createdBy, element.positionX], ["hello", "bob", 1], "element:created");
  same((await bob.next("element:created"))[0], element, "the creator's element:created");
  const [touch] = await ada.next("touch:moved");
  same([touch.userId, touch.x, touch.y, touch.elementId], ["bob", 0.5, 0.25, "e1"], "touch:moved");
  same((await ada.next("touch:ended"))[0], { roomId: room, userId: "bob" }, "touch:ended");

  for (const [type, optional] of [
    ["photo", { imageUrl: "https://example.org/p.jpg" }],
    ["audio", { audioUrl: "https://example.org/a.m4a", duration: 4.5 }],
  ]) {
    ada.createElement(room, type, 5, 6, 7, 8, optional);
    const [created] = await bob.next("element:created");
    check(created.type === type, created.type);
    for (const name of Object.keys(optional)) same(created[name], optional[name], name);
  }
  ada.updateElement(room, element.id, 10, 20);
  const [updated] = await bob.next("element:updated");
  same([updated.positionX, updated.positionY, updated.content], [10, 20, "hello"], "element:updated");
  bob.deleteElement(room, element.id);
  same((await ada.next("element:deleted"))[0].elementId, element.id, "element:deleted");

  bob.deleteElement(room, element.id);
  const [message] = await bob.next("error");
  check(message.length > 0, "an empty message");

  bob.leaveRoom(room);
  same(await ada.next("user:left"), ["bob"], "user:left");
  bob.joinRoom(room);
  await ada.next("user:joined");
  bob.disconnect();
  same(await ada.next("user:left"), ["bob"], "user:left after disconnect()");
  ada.disconnect();
};
