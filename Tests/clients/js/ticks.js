// Binary ticks with the stock client: it puts the event and its attachment together.

"use strict";

globalThis.scenarios["gets binary ticks as events with an attachment"] = async ({ io, url, transports }) => {
  const roomId = `ticks-${transports.join("-")}-${Date.now()}`;
  const connect = async (token, rooms) => {
    const socket = io(url, { transports, auth: { token, rooms }, forceNew: true, reconnection: false });
    await new Promise((resolve, reject) => socket.once("connect", resolve).once("connect_error", reject));
    const answer = await socket.timeout(10000).emitWithAck("room:join", { roomId });
    if (!answer.ok) throw new Error("not joined");
    return socket;
  };
  const ada = await connect("ada", {});
  const bob = await connect("bob", { touch: "binary", decimals: 0, recovery: true });
  const tick = new Promise((resolve) => bob.once("touch:tick", (...what) => resolve(what)));
  ada.emit("touch:move", { roomId, x: 5, y: -3 });
  const [room, data, ...rest] = await tick;
  if (room !== roomId || rest.length) throw new Error(`an event of ${room} with ${rest}`);
  // One row, in slot 0, at 5, −3.
  const bytes = [...new Uint8Array(data)].slice(-2);
  if (bytes[0] !== 10 || bytes[1] !== 5) throw new Error(`a tick that ends with ${bytes}`);
  ada.disconnect();
  bob.disconnect();
};
