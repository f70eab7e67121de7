// A client that works while the server is upgraded, with the stock client's own ways to come back and to send again.

"use strict";

globalThis.scenarios["creates through two upgrades"] = async ({ io, url, transports, progress }) => {
  const socket = io(url, { transports, auth: { token: "js" }, forceNew: true, ackTimeout: 2000, retries: 10 });
  const note = { roomId: "upgraded", type: "note", positionX: 1, positionY: 1, width: 1, height: 1 };
  let connections = 0;
  let refusals = 0;
  let here = null;
  socket.on("connect_error", () => { refusals += 1; });
  socket.on("connect", () => {
    connections += 1;
    here = new Promise((resolve, reject) => {
      socket.emit("room:join", { roomId: "upgraded" }, (error, answer) => (error ? reject(error) : resolve(answer)));
    });
    here.catch(() => {});
  });
  const acked = [];
  const create = async (number) => {
    const content = `js-${number}`;
    for (;;) {
      const answer = await socket.emitWithAck("element:create", { ...note, content, clientId: content });
      if (answer.ok) return acked.push(content);
      // FORBIDDEN: it is sent again before the room is joined again. The others: the old server ends.
      if (!["FORBIDDEN", "SERVER_ERROR", "SHUTTING_DOWN"].includes(answer.error.code)) throw new Error(JSON.stringify(answer));
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  };
  try {
    await new Promise((resolve) => socket.once("connect", resolve));
    await here;
    let number = 0;
    for (let round = 1; round <= 3; round += 1) {
      for (let count = 0; count < 20 || connections < round; count += 1) await create(number++);
      if (round < 3) progress("working");
    }
    const { elements } = await socket.emitWithAck("room:join", { roomId: "upgraded" });
    const contents = elements.map((element) => element.content);
    if (new Set(contents).size !== contents.length) throw new Error("something is there twice");
    const lost = acked.filter((content) => !contents.includes(content));
    if (lost.length) throw new Error(`acked and not there: ${lost}`);
    // On a connection that is kept alive the old process may still answer that it takes in nobody.
    if (refusals > 4) throw new Error(`${refusals} attempts to connect failed`);
  } finally {
    socket.disconnect();
  }
};

globalThis.scenarios["meets others behind a proxy"] = async ({ io, url, transports, auth }) => {
  const socket = io(url, { transports, auth, forceNew: true, reconnection: false });
  const roomId = auth.room;
  try {
    await new Promise((resolve, reject) => socket.once("connect", resolve).once("connect_error", reject));
    const last = new Promise((resolve) => socket.on("touch:moved", ({ x }) => x === 19 && resolve()));
    const ended = new Promise((resolve) => socket.once("touch:ended", resolve));
    if (!(await socket.timeout(20000).emitWithAck("room:join", { roomId })).ok) throw new Error("not joined");
    await last;
    await ended;
    const note = { roomId, type: "note", positionX: 1, positionY: 1, width: 1, height: 1 };
    const answer = await socket.timeout(5000).emitWithAck("element:create", { ...note, content: "from behind a proxy" });
    if (!answer.ok) throw new Error(JSON.stringify(answer));
    const expected = transports.includes("websocket") ? "websocket" : "polling";
    // The upgrade may be slower than all of this.
    for (const end = Date.now() + 60_000; socket.io.engine.transport.name !== expected; ) {
      if (Date.now() > end) throw new Error(`over ${socket.io.engine.transport.name}`);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  } finally {
    socket.disconnect();
  }
};

globalThis.scenarios["is silent for eight seconds"] = async ({ io, url, transports }) => {
  const socket = io(url, { transports, auth: { token: "js" }, forceNew: true, reconnection: false });
  try {
    await new Promise((resolve, reject) => socket.once("connect", resolve).once("connect_error", reject));
    await new Promise((resolve, reject) => {
      socket.once("disconnect", (reason) => reject(new Error(`ended by ${reason}`)));
      setTimeout(resolve, 8000);
    });
    const answer = await socket.timeout(5000).emitWithAck("room:join", { roomId: "silent" });
    if (!answer.ok) throw new Error(JSON.stringify(answer));
  } finally {
    socket.disconnect();
  }
};
