// What an application does with the stock Socket.IO client. The same scenarios run under Node and in a browser page:
// `scenarios[name]({ io, url, transports, progress })` resolves when all went well and rejects otherwise.

globalThis.scenarios = (() => {
  const PATIENCE = 60000;

  function check(condition, message) {
    if (!condition) throw new Error(message);
  }

  function same(actual, expected, what = "value") {
    const [a, b] = [JSON.stringify(readable(actual)), JSON.stringify(readable(expected))];
    check(a === b, `${what}: got ${String(a).slice(0, 300)}, not ${String(b).slice(0, 300)}`);
  }

  // Binary data as a list of its bytes, at any depth: two buffers compare as JSON then.
  function readable(value) {
    if (value instanceof ArrayBuffer) return { bytes: [...new Uint8Array(value)] };
    if (ArrayBuffer.isView(value)) return { bytes: [...new Uint8Array(value.buffer, value.byteOffset, value.byteLength)] };
    if (Array.isArray(value)) return value.map(readable);
    if (value && typeof value === "object") {
      return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, readable(inner)]));
    }
    return value;
  }

  function within(promise, what, patience = PATIENCE) {
    let timer;
    const late = new Promise((_, reject) => {
      timer = setTimeout(() => reject(new Error(`${what} did not happen within ${patience} ms`)), patience);
    });
    return Promise.race([promise, late]).finally(() => clearTimeout(timer));
  }

  function next(socket, event) {
    return within(new Promise((resolve) => socket.once(event, (...values) => resolve(values))), `"${event}"`);
  }

  async function until(condition, what) {
    const end = Date.now() + PATIENCE;
    while (!(await condition())) {
      check(Date.now() < end, `${what} did not come true`);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }

  const asked = (socket, event, ...values) => socket.timeout(PATIENCE).emitWithAck(event, ...values);

  // Opens sockets, each with a connection of its own unless told otherwise, and closes them after the scenario.
  async function withSockets({ io, url, transports }, use) {
    const sockets = [];
    const told = [];
    const open = (namespace = "/test", options = {}) => {
      const socket = io(url + namespace, { transports, forceNew: true, reconnection: false, ...options });
      sockets.push(socket);
      // What a failure is explained with.
      socket.on("disconnect", (reason, details) => told.push(`disconnect: ${reason} ${details?.description ?? ""}`));
      socket.on("connect_error", (error) => told.push(`connect_error: ${error.message} ${error.description ?? ""}`));
      return socket;
    };
    const connected = async (namespace, options) => {
      const socket = open(namespace, options);
      await next(socket, "connect");
      return socket;
    };
    try {
      await use({ open, connected });
    } catch (error) {
      throw new Error(`${error.stack}\n${told.join("\n")}`);
    } finally {
      for (const socket of sockets) socket.disconnect();
    }
  }

  const bytes = (count) => Uint8Array.from({ length: count }, (_, n) => n % 256);

  return {
    "connects over the transports asked for": (world) =>
      withSockets(world, async ({ connected }) => {
        const socket = await connected();
        const wanted = world.transports.at(-1);
        await until(async () => socket.io.engine.transport.name === wanted, `the transport ${wanted}`);
        await until(async () => (await asked(socket, "whoami")).transport === wanted, `${wanted} at the server`);
        same((await asked(socket, "whoami")).query.EIO, "4", "protocol");
      }),

    "events and acks come back with their arguments": (world) =>
      withSockets(world, async ({ connected }) => {
        const socket = await connected("/");
        for (const values of [[], [1, "2", { 3: [true, null] }], ["größer als € 𝄞"], ["x".repeat(200000)]]) {
          socket.emit("message", ...values);
          same(await next(socket, "message-back"), values, "event");
          const answer = new Promise((resolve) => socket.emit("message-with-ack", ...values, (...a) => resolve(a)));
          same(await within(answer, "ack"), values, "ack");
        }
      }),

    "binary goes both ways": (world) =>
      withSockets(world, async ({ connected }) => {
        const socket = await connected();
        const values = [bytes(256), { deep: [bytes(3).buffer, { deeper: bytes(0) }] }, "text"];
        socket.emit("echo", ...values);
        same(await next(socket, "echo"), values, "echo");
        socket.emit("binary", 100000);
        same(await next(socket, "binary"), [bytes(100000)], "binary");
        socket.emit("big", 500000);
        same((await next(socket, "big"))[0].length, 500000, "big");
        socket.on("question", (...rest) => rest.at(-1)(...rest.slice(0, -1)));
        socket.emit("ask", bytes(5), "six");
        same(await next(socket, "answered"), [bytes(5), "six"], "answered");
      }),

    "the server asks, and gives up in time": (world) =>
      withSockets(world, async ({ connected }) => {
        const socket = await connected();
        socket.on("question", (value, answer) => value === "please" && answer("yes", { n: 1 }));
        socket.emit("ask", "please");
        same(await next(socket, "answered"), ["yes", { n: 1 }]);
        socket.emit("ask-briefly", "silence");
        same(await next(socket, "unanswered"), []);
      }),

    "an ack that never comes times out and harms nothing": (world) =>
      withSockets(world, async ({ connected }) => {
        const socket = await connected();
        const outcome = await socket.timeout(200).emitWithAck("nobody-answers-this").catch(() => "timed out");
        same(outcome, "timed out");
        socket.emit("echo", 1);
        same(await next(socket, "echo"), [1]);
      }),

    "volatile events, both ways": (world) =>
      withSockets(world, async ({ connected }) => {
        const socket = await connected();
        const seen = [];
        socket.on("v", (n) => seen.push(n));
        socket.emit("volatile", 5);
        socket.volatile.emit("echo", "light");
        socket.emit("echo", "end");
        await until(async () => (await next(socket, "echo"))[0] === "end", "the end");
        check(seen.every((n, i) => i === 0 || n > seen[i - 1]), `out of order: ${seen}`);
      }),

    "namespaces share one connection": (world) =>
      withSockets(world, async ({ connected }) => {
        const first = await connected("/");
        const second = first.io.socket("/custom");
        await next(second, "connect");
        check(first.id !== second.id, "both have the same id");
        second.emit("message", "two");
        first.emit("message", "one");
        const [one, two] = await Promise.all([next(first, "message-back"), next(second, "message-back")]);
        same([one, two], [["one"], ["two"]]);
        const third = first.io.socket("/random");
        same((await next(third, "connect_error"))[0].message, "Invalid namespace");
        second.disconnect();
        first.emit("message", "still here");
        same(await next(first, "message-back"), ["still here"]);
      }),

    "auth is shown, a refusal tells why, an answer may take its time": (world) =>
      withSockets(world, async ({ open }) => {
        const shown = open("/custom", { auth: { token: "abc" } });
        same(await next(shown, "auth"), [{ token: "abc" }]);
        const [error] = await next(open("/test", { auth: { refuse: true } }), "connect_error");
        same([error.message, error.data], ["refused", { code: "NO" }]);
        await next(open("/test", { auth: { defer: true } }), "connect");
      }),

    "the server disconnects one namespace, or all": (world) =>
      withSockets(world, async ({ connected }) => {
        const kicked = await connected();
        kicked.emit("kick");
        same((await next(kicked, "disconnect"))[0], "io server disconnect");
        const closed = await connected();
        closed.emit("kick-all");
        same((await next(closed, "disconnect"))[0], "io server disconnect");
      }),

    "broadcasts reach every thread": (world) =>
      withSockets(world, async ({ connected }) => {
        const sockets = await Promise.all(Array.from({ length: 6 }, () => connected()));
        const got = sockets.map(() => []);
        for (const [n, socket] of sockets.entries()) socket.on("broadcast", (value) => got[n].push(value));
        sockets[0].emit("broadcast-others", "to others");
        sockets[0].emit("broadcast", { data: bytes(3) });
        await until(() => got.every((values, n) => values.length >= (n === 0 ? 1 : 2)), "all broadcasts");
        for (const [n, values] of got.entries()) {
          same(values, [...(n === 0 ? [] : ["to others"]), { data: bytes(3) }], `socket ${n}`);
        }
      }),

    "a flood while upgrading arrives whole and in order": (world) =>
      withSockets(world, async ({ open }) => {
        const count = 1500;
        const socket = open();
        const [numbers, echoes] = [[], []];
        socket.on("n", (n) => numbers.push(n));
        socket.on("echo", (n) => echoes.push(n));
        // What is emitted before the connection stands waits in the client; the rest meets the upgrade.
        socket.emit("flood", count);
        for (let n = 0; n < count; n++) {
          socket.emit("echo", n);
          if (n % 25 === 0) await new Promise((resolve) => setTimeout(resolve, 2));
        }
        await until(async () => numbers.length >= count && echoes.length >= count, "the last event");
        const expected = Array.from({ length: count }, (_, n) => n);
        same(numbers, expected, "from the server");
        same(echoes, expected, "there and back");
        // The upgrade may be slower than the flood.
        const wanted = world.transports.at(-1);
        await until(async () => socket.io.engine.transport.name === wanted, `the transport ${wanted}`);
      }),

    "stays connected over many heartbeats": (world) =>
      withSockets(world, async ({ connected }) => {
        const socket = await connected();
        const first = socket.id;
        await new Promise((resolve) => setTimeout(resolve, 1500));
        socket.emit("echo", "here");
        same(await next(socket, "echo"), ["here"]);
        same(socket.id, first, "id");
      }),

    "comes back after the server was killed": (world) =>
      withSockets(world, async ({ open }) => {
        const options = { reconnection: true, reconnectionDelay: 100, reconnectionDelayMax: 300 };
        const socket = open("/test", options);
        await next(socket, "connect");
        const [first, gone] = [socket.id, next(socket, "disconnect")];
        world.progress("connected");
        await gone;
        socket.emit("echo", "kept meanwhile");
        same(await next(socket, "echo"), ["kept meanwhile"]);
        check(socket.id !== first, "the id is still the same");
      }),

    "is refused": (world) =>
      withSockets(world, async ({ open }) => {
        const socket = open();
        const outcome = new Promise((resolve) => {
          socket.once("connect", () => resolve("connected"));
          socket.once("connect_error", () => resolve("refused"));
        });
        same(await within(outcome, "an outcome"), "refused");
      }),
  };
})();
