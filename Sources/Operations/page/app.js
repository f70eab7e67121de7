// Puts the console together: asks the server every two seconds while the page is looked at.

import { Actions } from "./actions.js";
import { Audit, Bans } from "./bans.js";
import { Cluster } from "./cluster.js";
import { Door, Refusal } from "./door.js";
import { Nodes } from "./nodes.js";
import { Overview } from "./overview.js";
import { Past } from "./past.js";
import { Problems } from "./problems.js";
import { History } from "./rates.js";
import { RoomView } from "./room.js";
import { merge, Rooms } from "./rooms.js";
import { Search } from "./search.js";

const EVERY_MILLISECONDS = 2_000;

const door = new Door();
const actions = new Actions(door);
const cluster = new Cluster(door);
const problems = new Problems();
const overview = new Overview();
const nodes = new Nodes(actions, (node) => watch(node));
const room = new RoomView(cluster, actions);
const rooms = new Rooms((id) => room.open(id), () => showRooms());
const bans = new Bans(door, actions);
const audit = new Audit(door);
new Search(cluster, actions, (id) => room.open(id));
const state = document.getElementById("state");
let answeredAt = Date.now();
/** Of the node whose numbers are shown. */
let [history, past, watched] = [new History(), new Past(), undefined];

function setState(name, text) {
  // Said once, not every two seconds.
  if (state.dataset.state === name && state.lastElementChild.textContent === text) return;
  state.dataset.state = name;
  state.lastElementChild.textContent = text;
}

/** Shows the numbers of another node. */
function watch(node) {
  [history, past, watched] = [new History(), new Past(), node];
  expose();
  look();
}

async function showRooms() {
  const { rooms: list, hasMore } = merge(await cluster.ask(rooms.query), rooms.sort, rooms.limit, cluster.own);
  rooms.show(list, hasMore);
}

async function showNodes(isOfCluster) {
  if (!isOfCluster) return;
  try {
    const answer = await door.get("nodes");
    cluster.know(answer);
    nodes.show(answer);
  } catch (error) {
    nodes.fail(error.message);
  }
}

/** The problems of this node and of the others. */
async function showProblems(own) {
  if (cluster.own === undefined) return problems.show(own);
  const answers = await cluster.ask("problems");
  problems.show(answers.flatMap(({ node, problems: found }) => found.map((problem) => ({ ...problem, node }))));
}

async function look() {
  try {
    const own = await door.get("overview");
    answeredAt = Date.now();
    await showNodes(own.inCluster);
    await showProblems(own.problems);
    const now = watched === undefined ? own : await cluster.get("overview", watched);
    past.add(await cluster.get(`history?since=${past.since}`, watched));
    if (history.add(now, performance.now())) overview.show(history.samples.at(-1), past, own);
    await showRooms();
    if (own.draining) setState("connecting", "Draining");
    else setState("online", location.host);
    // A store that fails must not hide the numbers.
    for (const { reason } of await Promise.allSettled([bans.look(), audit.look()])) if (reason) console.info(reason.message);
  } catch (error) {
    // A proxy answers for a server that is gone.
    if (error instanceof Refusal && error.status < 500) return console.info(error.message);
    setState("offline", "No answer");
    problems.showSilence(answeredAt);
    for (const part of [overview, rooms, nodes, history]) part.forget();
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

function expose() {
  globalThis.roomsConsole = { history, past, problems, room, rooms };
}

document.getElementById("drain").addEventListener("click", () => actions.drain());
if (location.hash.length > 1) room.open(decodeURIComponent(location.hash.slice(1)));
expose();
run();
