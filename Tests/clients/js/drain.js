// A server that is stopped while the stock client is connected, and the next one at the same address.

"use strict";

globalThis.scenarios["is told of a drain and is back with the next server"] = async ({ io, url, transports, progress }) => {
  const socket = io(url, { transports, auth: { token: "js" }, forceNew: true, reconnectionDelay: 200, reconnectionDelayMax: 500 });
  const next = (event) => new Promise((resolve) => socket.once(event, resolve));
  const join = () => socket.timeout(10000).emitWithAck("room:join", { roomId: "drained" });
  try {
    await next("connect");
    if (!(await join()).ok) throw new Error("not joined");
    const draining = next("server:draining");
    const disconnected = next("disconnect");
    progress("joined");
    const { reconnectIn } = await draining;
    if (!Number.isInteger(reconnectIn) || reconnectIn < 0 || reconnectIn > 1000) throw new Error(`reconnectIn ${reconnectIn}`);
    const reason = await disconnected;
    // Of all reasons these are the ones after which the client comes back by itself.
    if (reason !== "transport close" && reason !== "transport error") throw new Error(`ended by ${reason}`);
    progress("disconnected");
    await next("connect");
    if (!(await join()).ok) throw new Error("not joined again");
  } finally {
    socket.disconnect();
  }
};
