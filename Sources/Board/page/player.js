// The page that plays a recording on a board: a time line, speeds, and what one may jump to.

import { makeBody } from "./bodies.js";
import { Cursors } from "./cursors.js";
import { Newest } from "./newest.js";
import { fallbackColor, nameOf } from "./people.js";
import { Playback } from "./playback.js";
import { Unreadable, readRecording } from "./recording.js";
import { Stage } from "./stage.js";

/** More of them are no list that anybody reads. */
const EVENTS_MAX = 500;
const STEP = 5_000;

const $ = (id) => document.getElementById(id);
const stage = new Stage($("board"), $("plane"), $("grid"));
const cursors = new Cursors(stage, $("cursors"), $("trails"));
const cards = new Map();
const newest = new Newest();
let playback = null;
let marks = [];

// What is shown

function draw(element, how) {
  if (how === "removed") {
    cards.get(element.key)?.node.remove();
    return cards.delete(element.key);
  }
  const card = cards.get(element.key) ?? made(element);
  const { style } = card.node;
  style.transform = `translate(${element.positionX}px, ${element.positionY}px)`;
  [style.width, style.height] = [`${element.width}px`, `${element.height}px`];
  style.zIndex = Math.round(Math.min(Math.max(element.z ?? 0, -1e6), 1e6));
  style.setProperty("--who", element.color ?? colorOf(element.createdBy));
  card.body.fill(element);
}

function made(element) {
  const node = document.createElement("div");
  node.className = `card ${element.type}`;
  node.setAttribute("role", "listitem");
  const card = { node, body: makeBody(element) };
  node.append(card.body.node);
  cards.set(element.key, card);
  $("plane").append(node);
  return card;
}

function colorOf(userId) {
  return playback.room.people.get(userId)?.color ?? fallbackColor(userId ?? "");
}

function touched({ userId, x, y }) {
  const person = playback.room.people.get(userId);
  if (person) cursors.move(userId, { x, y }, { name: nameOf(person), color: person.color });
}

function showRoom(room, touches) {
  for (const { node } of cards.values()) node.remove();
  cards.clear();
  cursors.clear();
  for (const element of room.elements) draw(element, "added");
  touches.forEach(touched);
  showPeople();
}

function showPeople() {
  const { room } = playback;
  $("room-name").textContent = room.name ?? room.id;
  $("count").textContent = String(room.people.size);
}

// Time

function clock(time) {
  const seconds = Math.floor(time / 1_000);
  const [minutes, rest] = [Math.floor(seconds / 60), String(seconds % 60).padStart(2, "0")];
  return minutes < 60 ? `${minutes}:${rest}` : `${Math.floor(minutes / 60)}:${String(minutes % 60).padStart(2, "0")}:${rest}`;
}

function showTime() {
  const text = `${clock(playback.time)} of ${clock(playback.duration)}`;
  if ($("time").textContent !== text) $("time").textContent = text;
  $("line").value = playback.time;
  $("line").setAttribute("aria-valuetext", text);
}

function frame() {
  if (!playback?.isPlaying) return;
  playback.advance();
  showTime();
  requestAnimationFrame(frame);
}

function go(time) {
  playback.seek(time);
  showTime();
}

/** To the event before this moment or behind it. */
function jump(isForward) {
  const { time } = playback;
  const mark = isForward ? marks.find((one) => one.time > time) : marks.findLast((one) => one.time < time - 500);
  if (mark) go(mark.time);
}

// A file

async function open(file) {
  $("fault").textContent = "";
  try {
    await newest.show(file.arrayBuffer().then((content) => readRecording(new Uint8Array(content))), begin);
  } catch (error) {
    if (!(error instanceof Unreadable)) throw error;
    $("fault").textContent = error.message;
  }
}

function begin(recording) {
  playback?.pause();
  playback = new Playback(recording);
  playback.on("room", showRoom);
  playback.on("touch", touched);
  playback.on("touchend", ({ userId }) => cursors.end(userId));
  playback.on("element", draw);
  playback.on("renamed", showPeople);
  playback.on("person", (person, how) => {
    if (how === "left") cursors.remove(person.userId);
    showPeople();
  });
  playback.on("state", () => {
    $("play").textContent = playback.isPlaying ? "Pause" : "Play";
    frame();
  });
  marks = playback.marks;
  $("line").max = recording.duration;
  playback.speed = Number($("speed").value);
  $("events").replaceChildren(...marks.slice(0, EVENTS_MAX).map(eventRow));
  for (const part of ["controls", "event-list"]) $(part).hidden = false;
  go(recording.lines.find(({ name }) => name === "room:joined")?.time ?? 0);
  if (playback.room) stage.fit([...playback.room.elements]);
}

function eventRow({ time, text }) {
  const row = document.createElement("li");
  const button = document.createElement("button");
  button.textContent = `${clock(time)} ${text}`;
  button.addEventListener("click", () => go(time));
  row.append(button);
  return row;
}

$("file").addEventListener("change", () => $("file").files[0] && open($("file").files[0]));
$("play").addEventListener("click", () => (playback.isPlaying ? playback.pause() : playback.play()));
$("line").addEventListener("input", () => go(Number($("line").value)));
$("speed").addEventListener("change", () => (playback.speed = Number($("speed").value)));
$("before").addEventListener("click", () => jump(false));
$("after").addEventListener("click", () => jump(true));
$("fit").addEventListener("click", () => playback?.room && stage.fit([...playback.room.elements]));
addEventListener("dragover", (event) => event.preventDefault());
addEventListener("drop", (event) => {
  event.preventDefault();
  if (event.dataTransfer.files[0]) open(event.dataTransfer.files[0]);
});
addEventListener("keydown", (event) => {
  if (!playback || event.target.closest("button, input, select")) return;
  if (event.key === " ") $("play").click();
  else if (event.key === "ArrowLeft") go(playback.time - STEP);
  else if (event.key === "ArrowRight") go(playback.time + STEP);
  else return;
  event.preventDefault();
});

// The board opens this page with a recording of the server.
addEventListener("message", ({ source, origin, data }) => {
  if (source === opener && origin === location.origin && data instanceof Blob) open(data);
});
globalThis.opener?.postMessage("ready", location.origin);

// For tests and for the curious.
globalThis.player = { cards, cursors, stage, open, get playback() { return playback; } };
