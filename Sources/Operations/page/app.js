// Puts the console together: asks the server every two seconds while the page is looked at.

import { Actions } from "./actions.js";
import { Audit, Bans } from "./bans.js";
import { Cluster } from "./cluster.js";
import { Door, Refusal } from "./door.js";
import { Newest } from "./newest.js";
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
const rooms = new Rooms((id) => room.open(id), () => showRooms().catch((error) => console.info(error.message)));
const [newestRooms, newestNumbers] = [new Newest(), new Newest()];
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
  newestNumbers.forget();
  expose();
  look();
}

async function showRooms() {
  await newestRooms.show(cluster.askAll(rooms.query), ({ answers, silent }) => {
    const { rooms: list, hasMore } = merge(answers, rooms.sort, rooms.limit, cluster.own);
    rooms.show(list, hasMore, silent);
  });
}

async function showNodes(isOfCluster) {
  if (!isOfCluster) return;
  try {
    const answer = await door.get("nodes");
    cluster.know(answer);
    nodes.show(answer, past.now);
  } catch (error) {
    nodes.fail(error.message);
  }
}

/** Numbers and charts, of the node that was chosen. Gives the problem when it does not answer, which hides nothing of the others. */
async function showNumbers(own) {
  try {
    const numbers = watched === undefined ? own : cluster.get("overview", watched);
    await newestNumbers.show(Promise.all([numbers, cluster.get(`history?since=${past.since}`, watched)]), ([now, since]) => {
      past.add(since);
      if (history.add(now, performance.now())) overview.show(history.samples.at(-1), past);
    });
    return [];
  } catch (error) {
    if (watched === undefined || watched === cluster.own || !(error instanceof Refusal)) throw error;
    for (const part of [overview, history]) part.forget();
    return [{ grave: true, text: `Node ${watched}, whose numbers were chosen, does not answer.`, advice: "Choose another node above the charts." }];
  }
}

/** The problems of this node and of the others. */
async function showProblems(own, more) {
  if (cluster.own === undefined) return problems.show(own);
  const answers = await cluster.ask("problems");
  problems.show([...more, ...answers.flatMap(({ node, problems: found }) => found.map((problem) => ({ ...problem, node })))]);
}

async function look() {
  try {
    const own = await door.get("overview");
    answeredAt = Date.now();
    await showNodes(own.inCluster);
    const silent = await showNumbers(own);
    overview.showServer(own, past.now);
    await showProblems(own.problems, silent);
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
    overview.forgetServer();
    for (const part of [overview, newestRooms, rooms, nodes, history]) part.forget();
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

/** An address that is no escape is the room's name. */
function roomOfAddress() {
  const name = location.hash.slice(1);
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}

function expose() {
  globalThis.roomsConsole = { history, past, problems, room, rooms };
}

document.getElementById("drain").addEventListener("click", () => actions.drain());
if (location.hash.length > 1) room.open(roomOfAddress());
expose();
run();
