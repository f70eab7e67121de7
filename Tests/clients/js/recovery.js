// Clients that come back to their rooms after their connection was lost. `world.auth` is what they show beside a token.

"use strict";

(() => {
  const PATIENCE = 30000;

  function check(condition, message) {
    if (!condition) throw new Error(message);
  }

  function same(actual, expected, what) {
    const [a, b] = [JSON.stringify(actual), JSON.stringify(expected)];
    check(a === b, `${what}: got ${String(a).slice(0, 600)}, not ${String(b).slice(0, 600)}`);
  }

  /** Keeps what comes, in its order: pairs of a name and the argument. */
  class Person {
    constructor({ io, url, transports, auth = {} }, token) {
      this.transport = transports.at(-1);
      this.events = [];
      this.connections = [];
      const options = { forceNew: true, reconnection: false, autoConnect: false };
      this.socket = io(url, { transports, auth: { token, ...auth }, ...options });
      this.socket.on("connect", () => this.connections.push({ id: this.socket.id, recovered: this.socket.recovered }));
      this.socket.onAny((name, argument) => this.events.push([name, argument]));
    }

    async until(condition, what) {
      const end = Date.now() + PATIENCE;
      while (!condition()) {
        check(Date.now() < end, `${what} did not come true: ${JSON.stringify(this.events).slice(-600)}`);
        await new Promise((resolve) => setTimeout(resolve, 5));
      }
    }

    async connected() {
      this.socket.connect();
      await this.until(() => this.socket.connected, "the connection");
      return this.connections.at(-1);
    }

    /**
     * Ends the transport in use without leaving the namespace. Not amid an upgrade: what the last poll has brought by
     * then this client keeps for after the next "connect", though the offset that it shows there is from before.
     */
    async cut() {
      await this.until(() => this.socket.io.engine.transport.name === this.transport, "the upgrade");
      this.socket.io.engine.close();
      await this.until(() => !this.socket.connected, "the end");
    }

    async ask(event, argument) {
      const answer = await this.socket.timeout(PATIENCE).emitWithAck(event, argument);
      check(answer.ok, `${event}: ${JSON.stringify(answer.error)}`);
      return answer;
    }

    async join(roomId) {
      const count = this.events.length;
      await this.ask("room:join", { roomId });
      await this.until(() => this.events.slice(count).some(([name]) => name === "room:joined"), "room:joined");
    }

    async create(roomId, content) {
      const place = { positionX: 1, positionY: 2, width: 3, height: 4 };
      return (await this.ask("element:create", { roomId, type: "note", content, ...place })).element;
    }

    /** What came since the last call, once a mark that another member makes now has come too; the mark left out. */
    async settled(other, roomId) {
      const mark = `mark ${Math.random()}`;
      await other.create(roomId, mark);
      await this.until(() => this.events.some(([, argument]) => argument?.content === mark), "the mark");
      return this.events.splice(0).filter(([, argument]) => argument?.content !== mark);
    }
  }

  async function people(world, names, use) {
    const all = names.map((name) => new Person(world, name));
    try {
      await use(...all);
    } finally {
      for (const person of all) person.socket.disconnect();
    }
  }

  globalThis.scenarios["comes back to exactly what it missed"] = (world) =>
    people(world, ["ada", "bob"], async (ada, bob) => {
      const room = `recovery ${Math.random()}`;
      for (const person of [ada, bob]) {
        await person.connected();
        await person.join(room);
      }
      const { id, recovered } = ada.connections[0];
      same(recovered, false, "recovered at first");
      const before = await bob.create(room, "before");
      await ada.settled(bob, room);

      await ada.cut();
      const created = await bob.create(room, "while away");
      const changes = { roomId: room, elementId: before.id };
      const updated = (await bob.ask("element:update", { ...changes, content: "changed" })).element;
      await bob.ask("touch:move", { roomId: room, x: 1, y: 2 });
      await bob.ask("touch:end", { roomId: room });
      const { version } = await bob.ask("element:delete", changes);
      await bob.ask("touch:move", { roomId: room, x: 3, y: 4 });
      const missed = [
        ["element:created", created],
        ["element:updated", updated],
        ["touch:moved", { roomId: room, userId: "bob", x: 1, y: 2 }],
        ["touch:ended", { roomId: room, userId: "bob" }],
        ["element:deleted", { ...changes, version }],
      ];
      same(await ada.connected(), { id, recovered: true }, "the second connection");
      const position = ["touch:moved", { roomId: room, userId: "bob", x: 3, y: 4 }];
      await ada.until(() => ada.events.length > missed.length, "what was missed");
      same((await ada.settled(bob, room)), [...missed, position], "missed");

      // Nothing missed is a recovery too; what is emitted while away goes out behind it.
      for (let round = 0; round < 3; round++) {
        await ada.cut();
        if (round === 2) ada.socket.emit("touch:move", { roomId: room, x: 5, y: 6 });
        same(await ada.connected(), { id, recovered: true }, "an empty gap");
        const events = await ada.settled(bob, room);
        check(events.every(([name]) => name === "touch:moved"), `missed nothing, got ${JSON.stringify(events)}`);
      }
      await bob.until(() => bob.events.some(([name, touch]) => name === "touch:moved" && touch.x === 5), "ada's touch");
      const gone = bob.events.filter(([name]) => name === "user:left" || name === "user:joined");
      same(gone, [], "what the others see of it");
    });

  globalThis.scenarios["comes back to several rooms"] = (world) =>
    people(world, ["ada", "bob"], async (ada, bob) => {
      const rooms = [1, 2, 3].map((number) => `recovery ${number} ${Math.random()}`);
      for (const person of [ada, bob]) {
        await person.connected();
        for (const room of rooms) await person.join(room);
      }
      const id = ada.socket.id;
      ada.events.splice(0);
      const made = [];
      for (let round = 0; round < 6; round++) {
        // The connection ends while the last of them are on their way.
        const making = [];
        for (let count = 0; count < 10; count++) {
          making.push(bob.create(rooms[(count * 7 + round) % 3], `${round} ${count}`));
        }
        await making[round];
        await ada.cut();
        made.push(...(await Promise.all(making)));
        same(await ada.connected(), { id, recovered: true }, `connection ${round}`);
      }
      const elements = () => ada.events.filter(([name]) => name === "element:created").map(([, element]) => element);
      await ada.until(() => elements().length >= made.length, "all elements");
      for (const room of rooms) {
        const of = (elements) => elements.filter(({ roomId }) => roomId === room).map(({ content }) => content);
        same(of(elements()), of(made), "elements of a room");
      }
    });

  globalThis.scenarios["is not recovered after the window"] = (world) =>
    people(world, ["ada", "bob"], async (ada, bob) => {
      const room = `recovery ${Math.random()}`;
      for (const person of [ada, bob]) {
        await person.connected();
        await person.join(room);
      }
      const { id } = ada.connections[0];
      await ada.cut();
      await new Promise((resolve) => setTimeout(resolve, 6_000));
      const back = await ada.connected();
      check(!back.recovered && back.id !== id, JSON.stringify(back));
      await ada.join(room);
      // From here on it is as any other.
      await ada.settled(bob, room);
      await ada.cut();
      const element = await bob.create(room, "while away");
      same(await ada.connected(), { id: back.id, recovered: true }, "the third connection");
      same((await ada.settled(bob, room)), [["element:created", element]], "missed");
    });
})();
