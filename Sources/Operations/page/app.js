// Puts the console together: asks the server every two seconds while the page is looked at.

import { Actions } from "./actions.js";
import { Door } from "./door.js";
import { Nodes } from "./nodes.js";
import { Overview } from "./overview.js";
import { History } from "./rates.js";
import { RoomView } from "./room.js";
import { Rooms } from "./rooms.js";

const EVERY_MILLISECONDS = 2_000;

const door = new Door();
const actions = new Actions(door);
const history = new History();
const overview = new Overview();
const nodes = new Nodes();
const room = new RoomView(door, actions);
const rooms = new Rooms((id) => room.open(id), () => showRooms());
const state = document.getElementById("state");

function setState(name, text) {
  // Said once, not every two seconds.
  if (state.dataset.state === name && state.lastElementChild.textContent === text) return;
  state.dataset.state = name;
  state.lastElementChild.textContent = text;
}

async function showRooms() {
  rooms.show((await door.get(`rooms?sort=${rooms.sort}&limit=50`)).rooms);
}

async function showNodes() {
  try {
    nodes.show(await door.get("nodes"));
  } catch (error) {
    nodes.fail(error.message);
  }
}

async function look() {
  try {
    const now = await door.get("overview");
    if (history.add(now, performance.now())) overview.show(history.samples);
    await showRooms();
    if (now.inCluster) await showNodes();
    if (now.draining) setState("connecting", "Draining");
    else setState("online", location.host);
  } catch (error) {
    setState("offline", "No answer");
    if (!(error instanceof TypeError) && error.name !== "TimeoutError") console.info(error.message);
  }
}

async function run() {
  let isSoon = true;
  while (true) {
    if (!document.hidden) await look();
    // The first numbers are told by the second answer.
    await new Promise((resolve) => setTimeout(resolve, isSoon ? 400 : EVERY_MILLISECONDS));
    isSoon = history.samples.length === 0;
  }
}

document.getElementById("drain").addEventListener("click", () => actions.drain());
if (location.hash.length > 1) room.open(decodeURIComponent(location.hash.slice(1)));
globalThis.roomsConsole = { history, room, rooms };
run();
