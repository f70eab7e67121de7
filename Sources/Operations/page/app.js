// Puts the console together: asks the server every two seconds while the page is looked at.

import { Actions } from "./actions.js";
import { Door, Refusal } from "./door.js";
import { Nodes } from "./nodes.js";
import { Overview } from "./overview.js";
import { Past } from "./past.js";
import { Problems } from "./problems.js";
import { History } from "./rates.js";
import { RoomView } from "./room.js";
import { Rooms } from "./rooms.js";

const EVERY_MILLISECONDS = 2_000;

const door = new Door();
const actions = new Actions(door);
const history = new History();
const past = new Past();
const problems = new Problems();
const overview = new Overview();
const nodes = new Nodes();
const room = new RoomView(door, actions);
const rooms = new Rooms((id) => room.open(id), () => showRooms());
let answeredAt = Date.now();
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
    answeredAt = Date.now();
    problems.show(now.problems);
    past.add(await door.get(`history?since=${past.since}`));
    if (history.add(now, performance.now())) overview.show(history.samples.at(-1), past);
    await showRooms();
    if (now.inCluster) await showNodes();
    if (now.draining) setState("connecting", "Draining");
    else setState("online", location.host);
  } catch (error) {
    // A proxy answers for a server that is gone.
    if (error instanceof Refusal && error.status < 500) return console.info(error.message);
    setState("offline", "No answer");
    problems.showSilence(answeredAt);
    for (const part of [overview, rooms, nodes]) part.forget();
    history.forget();
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
globalThis.roomsConsole = { history, past, problems, room, rooms };
run();
