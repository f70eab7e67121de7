// A client that goes on sending what is refused.

"use strict";

globalThis.scenarios["is warned before it is disconnected for refused events"] = async ({ io, url, transports }) => {
  const socket = io(url, { transports, auth: { token: "js" }, forceNew: true, reconnection: false });
  const seen = [];
  socket.on("error", (message, error) => {
    if (message !== error.message || error.code === undefined) throw new Error(`an error like ${message}`);
    seen.push(error.details?.closesAfter);
  });
  const ended = new Promise((resolve) => socket.once("disconnect", resolve));
  const late = setTimeout(() => { throw new Error(`not disconnected after ${seen.length} errors`); }, 10000);
  await new Promise((resolve) => socket.once("connect", resolve));
  for (let n = 0; n < 400; n++) socket.emit("nonsense", { n });
  const reason = await ended;
  clearTimeout(late);
  if (reason !== "io server disconnect") throw new Error(`ended by ${reason}`);
  const warnings = seen.filter((count) => count !== undefined);
  if (warnings.length !== 2 || !(warnings[0] > 0) || warnings[1] !== 0) throw new Error(`warned with ${warnings}`);
  if (seen.at(-1) !== 0) throw new Error("something followed the last word");
};
