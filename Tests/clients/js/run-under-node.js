// node run-under-node.js CLIENT URL SCENARIO TRANSPORTS [AUTH]: runs one scenario with the browser's client under Node.
// Says "progress: …" as it goes, "passed" at the end; a failure ends it with status 1.

"use strict";

const path = require("path");

// Node has a WebSocket of its own from version 22 on; Debian's node-ws gives older ones theirs.
globalThis.WebSocket ??= require(process.env.WS_MODULE ?? "/usr/share/nodejs/ws").WebSocket;
globalThis.XMLHttpRequest ??= require("./xml-http-request.js");
globalThis.FileReader ??= require("./file-reader.js");
require("./scenarios.js");
require("./guide.js");
require("./drain.js");
require("./upgrade.js");
require("./flood.js");
require("./recovery.js");
require("./ticks.js");

// Without this a failure inside the client shows its one long line of source.
process.on("uncaughtException", (error) => {
  console.log(`${error.name}: ${error.message}`);
  process.exit(1);
});

const [client, url, name, transports, auth] = process.argv.slice(2);
const io = require(path.resolve(client));

globalThis.scenarios[name]({
  io,
  url,
  transports: transports.split(","),
  auth: auth && JSON.parse(auth),
  progress: (step) => console.log(`progress: ${step}`),
}).then(
  () => {
    console.log("passed");
    process.exit(0);
  },
  (error) => {
    console.log(error.stack);
    process.exit(1);
  },
);
