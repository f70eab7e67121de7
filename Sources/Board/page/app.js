// The board: a page on which the people of a room see each other's touches, and share notes, photos and recordings.

import { Accounts } from "./accounts.js";
import { Actions } from "./actions.js";
import { Adding } from "./adding.js";
import { newRoomId, roomOfAddress } from "./address.js";
import { Announcer } from "./announcer.js";
import { Cards } from "./cards.js";
import { Carets } from "./carets.js";
import { Company } from "./company.js";
import { Cursors } from "./cursors.js";
import { Door } from "./door.js";
import { Drafts } from "./drafts.js";
import { fieldsOf } from "./history.js";
import { displayName, knowName, ownPerson, rename } from "./identity.js";
import { secretIn } from "./invitations.js";
import { Keeping } from "./keeping.js";
import { listenToKeys } from "./keys.js";
import { MediaDialog } from "./media.js";
import { People, fallbackColor, nameOf } from "./people.js";
import { RoomRecordings } from "./room-recordings.js";
import { Client } from "./rooms.js";
import { roving } from "./roving.js";
import { Selection } from "./selection.js";
import { Sharing } from "./sharing.js";
import { Stage } from "./stage.js";
import { Status } from "./status.js";
import { Undoing } from "./undoing.js";
import { FILE_KEY, Uploads } from "./uploads.js";
import { Welcome } from "./welcome.js";

const $ = (id) => document.getElementById(id);

const server = await (await fetch("/board/server.json")).json();
const isOpen = server.auth === "open";
/** A user with an account has rooms of its own. */
const HOME = server.auth === "accounts" ? null : "lobby";
const announcer = new Announcer();
/** Null on a server without accounts of its own. The rest of the page begins when a user is signed in. */
const accounts = server.auth === "accounts" ? new Accounts({ hasCodes: server.codes, hasMail: server.mail, announcer }) : null;
await accounts?.admit();
const own = isOpen ? await ownPerson() : { name: accounts?.user.id ?? "", token: null };

const stage = new Stage($("board"), $("plane"), $("grid"));
const cursors = new Cursors(stage, $("cursors"), $("trails"));
const people = new People((userId) => find(userId));
const door = accounts ?? new Door(own);
const client = new Client({
  path: server.path, token: (why) => door.token(why), isTokenName: isOpen, room: secretIn(roomOfAddress(HOME)) ? null : roomOfAddress(HOME),
});
const media = new MediaDialog({ hasUploads: Boolean(server.uploads) });
const uploads = new Uploads({
  limits: server.uploads ?? {}, token: () => door.token(), plane: $("plane"), say: (text) => announcer.say(text),
  arrived: (fields, key) => {
    past().create(fields, key);
    announcer.say(fields.content ? "It is on the board." : "It is on the board. Press Enter on it to describe it.");
  },
  kept: (...what) => keeping.keep(...what), changed: () => room && showSoon(),
});
const sharing = new Sharing(announcer, server.addresses ?? []);
const company = new Company({ hasBots: server.bots, stage, announcer });
const keeping = new Keeping({
  isShared: !own.tab, user: () => own.tab ?? accounts?.user?.id ?? room?.self?.userId ?? "", room: () => room, late: (kept) => takeUp(kept),
});
const drafts = new Drafts($("plane"), {
  restored: (fields) => cards.focus(past().create(fields)),
  kept: (...what) => keeping.keep(...what),
  discarded: () => $("board").focus(),
});
const undoing = new Undoing(announcer);
const past = () => undoing.history;
const selection = new Selection();
const actions = new Actions({ stage, selection, undoing, announcer, room: () => room, cards: () => cards, ownColor });
const colors = new Map();
const recordings = server.recordings ? new RoomRecordings({ token: () => door.token(), announcer, person: (userId) => room?.people.get(userId) }) : null;
const carets = new Carets((key) => cards?.surface(key), (userId) => room?.people.get(userId));

/** Null before the first room is entered, and while a page is shown in place of a room. The mouse may move then, too. */
let room = null;
let cards;

// MARK: The room

let following = 0;

/** Goes where the address leads. With accounts not every room opens to every user. `rejoins`: a room that put the user out, too. */
async function follow({ rejoins = true } = {}) {
  following += 1;
  const turn = following;
  const roomId = roomOfAddress(HOME);
  const opened = accounts && (await accounts.opened(roomId));
  if (accounts && !opened) return;
  // A link leads to a room with another id.
  const id = opened?.id ?? roomId;
  const isHere = id === room?.id;
  const kept = isHere ? [] : await keeping.load(id);
  // The address may be another by now, or the same again.
  if (turn !== following || ![roomId, id].includes(roomOfAddress(HOME))) return;
  accounts?.entered(opened);
  if (!isHere) enter(id, opened?.name, kept);
  else if (room.closed && rejoins) room.open();
  showConnection();
}

function takeUp(kept) {
  const [texts, files] = ["draft-", FILE_KEY].map((kind) => kept.filter(([key]) => key.startsWith(kind)));
  drafts.restore(texts);
  uploads.restore(files);
  room.restore(kept.filter((one) => !texts.includes(one) && !files.includes(one)));
}

function leave() {
  if (!room) return;
  stage.lift();
  cards.clear();
  room.leave();
  uploads.clear();
  carets.clear();
  drafts.clear();
  cursors.clear();
  colors.clear();
  held.clear();
  people.show([]);
  room = null;
}

function enter(roomId, name = roomId, kept = []) {
  leave();
  room = client.join(roomId);
  sharing.room = room;
  selection.clear();
  cards = new Cards({ room, history: undoing.begin(room), selection, act: (...what) => actions.act(...what) }, stage, $("plane"), (userId) => (userId ? colors.get(userId) ?? fallbackColor(userId) : ownColor()));
  showName(name);
  // A room that was left and entered again is another one: late answers to the one before are no news.
  const entered = room;
  const here = (listener) => (...what) => room === entered && listener(...what);
  const { x, y, zoom } = stage;
  /** The user has not looked elsewhere and has no card in the hand: what is looked at may move. */
  const isAtRest = () => stage.x === x && stage.y === y && stage.zoom === zoom && !$("plane").querySelector(".dragged, .edited");
  let isFirst = true;
  room.on("joined", here(() => {
    if (room.name) showName(room.name);
    showPeople();
    // Who one is with a token, only the server knows.
    if (isFirst && !own.tab && !accounts) keeping.load(roomId).then((kept) => room === entered && takeUp(kept));
    if (isFirst && isAtRest()) stage.fit([...room.elements]);
    isFirst = false;
  }));
  const heard = { person: personChanged, touch: touched, element: elementChanged, refused: changeRefused, renamed: showName };
  for (const [name, listener] of Object.entries(heard)) room.on(name, here(listener));
  room.on("touchend", here(({ userId }) => lifted(userId)));
  carets.follow(room, here);
  recordings?.follow(room, here);
  room.on("closed", here(() => {
    showConnection();
    // The server knows whether the user is still a member. Whoever is, may join again: two windows would put each other out for ever.
    if (accounts) follow({ rejoins: false });
  }));
  for (const name of ["opening", "joined"]) room.on(name, here(showConnection));
  keeping.follow(room);
  takeUp(kept);
}

function changeRefused(error, event, element, text) {
  announcer.warn(error.code === "WRITTEN" ? error.message : `The server didn’t accept that: ${error.message}`);
  if (text) drafts.add(fieldsOf({ ...element, content: text }), "The server did not take this text.");
}

function showName(name) {
  $("room-name").textContent = name;
  document.title = `${name} · Rooms`;
}

function ownColor() {
  return room.self?.color ?? fallbackColor(own.name);
}

function showPeople() {
  for (const { userId, user, color } of room.people.values()) {
    if (accounts && user) knowName(userId, user.username);
    if (colors.get(userId) === color) continue;
    colors.set(userId, color);
    cards.recolor(userId);
  }
  people.show(room.people.values(), room.self?.userId);
  company.look(room);
}

function personChanged(person, how) {
  if (how === "left") {
    cursors.remove(person.userId);
    holding(person.userId, null);
  }
  showPeople();
  if (person.userId !== room.self?.userId) announcer.say(`${nameOf(person)} ${how === "left" ? "left" : "joined"}.`);
}

function elementChanged(element, how, { by, text }) {
  const writing = how === "removed" ? cards.writing(element.key) : null;
  const written = writing ? writing.text : text;
  if (how === "added" && by === "others" && !room.isJoined) cards.showLater(element.key);
  else cards.show(element, how);
  // Nobody loses a word: what was written in it stays with the writer, and the next letters go there.
  if (how === "removed" && by !== "self" && (writing || text?.trim())) {
    const reason = by === "server" ? "The server did not take this." : "Somebody deleted this while you were writing.";
    drafts.add(fieldsOf({ ...element, content: written }), reason, writing?.selection);
  }
  showSoon();
  if (!room.isJoined || by === "self") return;
  const kind = { note: "note", photo: "photo", audio: "recording" }[element.type];
  if (how === "removed") announcer.say(`A ${kind} was deleted${element.content ? `: ${element.content}` : ""}.`);
  if (element.createdBy && element.createdBy !== room.self?.userId && how === "added") {
    announcer.say(`${displayName(element.createdBy)} added a ${kind}${element.content ? `: ${element.content}` : ""}.`);
  }
}

// MARK: Touches

/** What each of the others holds. */
const held = new Map();

function touched({ userId, x, y, elementId }) {
  const person = room.people.get(userId);
  if (!person) return;
  cursors.move(userId, { x, y }, { name: nameOf(person), color: person.color });
  holding(userId, elementId ? room.elements.keyOf(elementId) : null);
}

function lifted(userId) {
  cursors.end(userId);
  holding(userId, null);
}

function holding(userId, key) {
  const before = held.get(userId) ?? null;
  if (before === key) return;
  if (before) cards.hold(before, null);
  if (key) cards.hold(key, colors.get(userId));
  held.set(userId, key);
}

stage.addEventListener("touch", ({ detail: { x, y, key } }) => {
  if (!room) return;
  room.move(Math.round(x * 10) / 10, Math.round(y * 10) / 10, key ? room.elements.get(key)?.id : undefined);
  cursors.move("own", { x, y }, { name: "You", color: ownColor(), isOwn: true });
});

stage.addEventListener("lift", () => {
  room?.end();
  cursors.end("own");
});

document.addEventListener("visibilitychange", () => document.hidden && stage.lift());

function find(userId) {
  const place = cursors.place(userId);
  if (place) stage.look(place.x, place.y);
  else announcer.warn(`${nameOf(room.people.get(userId))} is not touching the board now.`);
}

// MARK: Adding, and keys

const adding = new Adding({ stage, actions, media, uploads, announcer, hasUploads: Boolean(server.uploads), hasRoom: () => room !== null });
const fit = () => stage.fit([...room.elements]);
listenToKeys({ stage, selection, actions, adding, fit });
for (const toolbar of document.querySelectorAll("[role=toolbar]")) roving(toolbar);

// MARK: The view

stage.addEventListener("view", () => {
  $("zoom").textContent = `${Math.round(stage.zoom * 100)}%`;
  cards?.viewed();
  room?.look(stage.area);
});
for (const [id, factor] of [["zoom-in", 1.25], ["zoom-out", 0.8]]) $(id).addEventListener("click", () => stage.zoomBy(factor));
$("fit").addEventListener("click", fit);

// MARK: The connection

let refusal = null;
const status = new Status({
  again: () => (client.state === "online" ? follow() : client.open()),
  away: () => (accounts ? toMyRooms() : goTo("lobby")),
  awayName: accounts ? "My rooms" : "Go to the lobby",
});

function showConnection() {
  if (!room) return;
  const { id: roomId, isJoined, closed } = room;
  status.show({ connection: client.state, refusal, roomId, isJoined, closed, pending: waiting() });
}

let isDue = false;
/** Many elements may change in one go. */
function showSoon() {
  if (isDue) return;
  isDue = true;
  queueMicrotask(() => {
    isDue = false;
    showConnection();
  });
}

client.on("state", (state, detail) => {
  refusal = state === "refused" ? detail : null;
  if (state === "refused") refused(detail);
  // The connection may be there before the room: what its page kept is read first.
  uploads.isOnline = state === "online";
  if (!room) return;
  if (state !== "online") for (const { userId } of room.people.values()) lifted(userId);
  showConnection();
});
announcer.listenTo(client);

async function refused({ reason, code }) {
  // The server says so little when a session was ended on another device.
  if (accounts && !code && !(await accounts.isStillOpen())) return;
  // Only with another token is there another answer.
  if (isOpen || !code) return;
  await door.ask(reason);
  client.open();
}

// Changes and files are kept by the browser, if it can.
addEventListener("beforeunload", (event) => {
  if (uploads.unkept || ((waiting() || drafts.count) && !keeping.isSafe)) event.preventDefault();
});

/** How many changes and files the server has not. */
function waiting() {
  return room ? room.elements.pending + uploads.pending : 0;
}

// Who closes the page is gone, and who comes back to it is there again.
addEventListener("pagehide", () => client.leave());
addEventListener("pageshow", ({ persisted }) => persisted && client.open());

accounts?.addEventListener("ended", () => {
  following += 1;
  // Changes that wait for a connection wait for the user, too.
  if (client.state !== "online" && waiting()) return;
  leave();
  client.close();
});
accounts?.addEventListener("back", () => {
  client.open();
  follow();
});
accounts?.addEventListener("away", leave);
if (accounts) client.on("added", (added) => accounts.added(added));

// MARK: Names and other rooms

$("name-form").hidden = !isOpen;
$("name").value = own.name;
$("name-form").addEventListener("submit", (event) => {
  event.preventDefault();
  Object.assign(own, rename($("name").value.trim() || own.name, own.tab, true));
  $("people").hidePopover();
  // The name is the user's identity, so another name is another user.
  client.reopen();
  welcome.show();
  announcer.say(`Your name is ${own.name} now.`);
});

const welcome = new Welcome(own, isOpen, (fields) => (
  actions.add({ ...fields, color: ownColor() }, { x: stage.x, y: stage.y - 150 / stage.zoom })));

// What is printed is all that is on the board.
addEventListener("beforeprint", () => room && fit());

function goTo(roomId) {
  $("rooms").hidePopover();
  location.hash = encodeURIComponent(roomId);
}

$("room-form").addEventListener("submit", (event) => {
  event.preventDefault();
  goTo($("room-id").value.trim());
});
$("new-room").addEventListener("click", () => goTo(newRoomId()));

function addressChanged() {
  if (roomOfAddress(HOME) === room?.id) accounts?.stay();
  else follow();
}

addEventListener("hashchange", addressChanged);
// The way back may lead to an address without a hash, too.
addEventListener("popstate", () => location.hash || addressChanged());
function toMyRooms() {
  history.pushState(null, "", "/");
  follow();
}
for (const id of ["to-my-rooms", "closed-rooms"]) $(id).addEventListener("click", toMyRooms);

follow();
// For tests and for the curious.
globalThis.board = { client, stage, get room() { return room; }, get isKept() { return keeping.isSafe; } };
