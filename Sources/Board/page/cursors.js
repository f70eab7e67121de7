// Shows the touches of all users: a disc with a name, and a tail that fades.

import { Crowd } from "./crowd.js";
import { Glide } from "./glide.js";
import { inkOn } from "./people.js";

const TAIL = 420;
const MARGIN = 26;
/** Touches outside of the view that would lie so close at its edge are shown as one. */
const CLUSTER = { width: 130, height: 44 };
const ROWS_MAX = 10_000;
/** With more than so many at once they are painted as a crowd, with plain tails, and with more still there are no tails. */
const SINGLE_MAX = 24;
const TAILS_MAX = 60;

export class Cursors {
  #stage;
  #layer;
  #canvas;
  #ink;
  #cursors = new Map();
  #clusters = new Map();
  #crowd;
  /** What is painted with the frame, of a crowd. */
  #touches = [];
  /** Nothing is drawn on the canvas. */
  #isBlank = false;
  #isRunning = false;
  #hasTails = !matchMedia("(prefers-reduced-motion: reduce)").matches;

  constructor(stage, layer, canvas) {
    this.#stage = stage;
    this.#layer = layer;
    this.#canvas = canvas;
    this.#ink = canvas.getContext("2d");
    this.#crowd = new Crowd(stage, layer);
    stage.addEventListener("view", () => {
      this.#isBlank = false;
      this.#run();
    });
  }

  /** A touch has moved. `isOwn` is for this user's own touch, which follows the mouse without a glide. */
  move(id, { x, y }, { name, color, isOwn = false }) {
    let cursor = this.#cursors.get(id);
    if (!cursor) this.#cursors.set(id, (cursor = { node: null, name, more: 0, color, isOwn, glide: new Glide(), tail: [], isGone: false }));
    if (cursor.isGone) Object.assign(cursor, { glide: new Glide(), tail: [], isGone: false });
    const now = performance.now();
    if (isOwn) cursor.place = { x, y };
    else cursor.glide.add(x, y, now);
    this.#run();
  }

  /** A touch of a crowd, and one that another stands for, needs none. */
  #nodeOf(cursor) {
    if (cursor.node) return cursor.node;
    const node = (cursor.node = document.createElement("div"));
    node.className = cursor.isOwn ? "cursor own" : "cursor";
    node.style.setProperty("--who", cursor.color);
    node.style.setProperty("--on-who", inkOn(cursor.color));
    const label = document.createElement("span");
    label.textContent = labelOf(cursor);
    node.append(document.createElement("i"), label);
    this.#layer.append(node);
    return node;
  }

  /** The touch is over: the disc goes when it has come to its last place. */
  end(id) {
    const cursor = this.#cursors.get(id);
    if (cursor) cursor.isGone = true;
    this.#run();
  }

  remove(id) {
    this.#cursors.get(id)?.node?.remove();
    this.#cursors.delete(id);
    this.#run();
  }

  clear() {
    for (const id of [...this.#cursors.keys()]) this.remove(id);
  }

  /** The place on the board where a user's touch is drawn. */
  place(id) {
    const cursor = this.#cursors.get(id);
    return cursor && !cursor.isGone ? cursor.place : undefined;
  }

  // Frames are only drawn while something moves.

  #run() {
    if (this.#isRunning) return;
    this.#isRunning = true;
    requestAnimationFrame(() => this.#frame());
  }

  #frame() {
    this.#isRunning = false;
    const now = performance.now();
    this.#wipe();
    let isMoving = false;
    this.#clusters.clear();
    this.#touches.length = 0;
    for (const [id, cursor] of this.#cursors) {
      const rests = cursor.glide.isAtRest(now);
      cursor.place = cursor.glide.at(now) ?? cursor.place;
      if (cursor.place) this.#show(cursor, now);
      if (cursor.isGone && rests) cursor.node?.classList.add("gone");
      if (cursor.isGone && rests && !cursor.tail.length) this.remove(id);
      isMoving ||= !rests || cursor.tail.length > 0;
    }
    for (const { first, count } of this.#clusters.values()) this.#label(first, count);
    this.#crowd.paint(this.#touches);
    setHidden(this.#canvas, this.#isBlank);
    if (isMoving) this.#run();
  }

  /** Joins a touch outside of the view to those beside it; gives whether it is the first there. */
  #gather(cursor, x, y) {
    const place = Math.floor(x / CLUSTER.width) * ROWS_MAX + Math.floor(y / CLUSTER.height);
    const cluster = this.#clusters.get(place);
    if (cluster) cluster.count += 1;
    else this.#clusters.set(place, { first: cursor, count: 1 });
    return !cluster;
  }

  #label(cursor, count) {
    if (cursor.more === count - 1) return;
    cursor.more = count - 1;
    if (cursor.node) cursor.node.lastElementChild.textContent = labelOf(cursor);
  }

  #show(cursor, now) {
    const { node, place } = cursor;
    const seen = this.#stage.seen(place.x, place.y);
    const x = Math.min(Math.max(seen.x, MARGIN), this.#stage.width - MARGIN);
    const y = Math.min(Math.max(seen.y, 64 + MARGIN), this.#stage.height - MARGIN);
    const isAway = x !== seen.x || y !== seen.y;
    const isHidden = isAway && !this.#gather(cursor, x, y);
    const isCrowd = !cursor.isOwn && this.#cursors.size > SINGLE_MAX;
    if (node) setHidden(node, isHidden || isCrowd);
    if (isHidden) return dropTail(cursor);
    if (!isAway) this.#label(cursor, 1);
    const isFlipped = x > this.#stage.width - 160;
    if (isCrowd) this.#touches.push({ cursor, x, y, isAway, isFlipped });
    else put(this.#nodeOf(cursor), x, y, isAway, isFlipped, cursor.isGone);
    if (!this.#hasTails || isAway || this.#cursors.size > TAILS_MAX) return dropTail(cursor);
    this.#follow(cursor, now);
  }

  /** The tail goes where the touch has been. */
  #follow(cursor, now) {
    const { tail, place } = cursor;
    const last = tail.at(-1);
    if (!last || last.x !== place.x || last.y !== place.y) tail.push({ x: place.x, y: place.y, time: now });
    while (tail.length && tail[0].time < now - TAIL) tail.shift();
    this.#drawTail(cursor, now);
  }

  #wipe() {
    if (this.#isBlank) return;
    this.#isBlank = true;
    const [canvas, scale] = [this.#canvas, Math.min(devicePixelRatio, 2)];
    const [width, height] = [Math.round(this.#stage.width * scale), Math.round(this.#stage.height * scale)];
    if (canvas.width !== width || canvas.height !== height) Object.assign(canvas, { width, height });
    this.#ink.setTransform(scale, 0, 0, scale, 0, 0);
    this.#ink.clearRect(0, 0, this.#stage.width, this.#stage.height);
  }

  /** A ribbon that is as wide as the disc where the touch is now, and thin and pale where it was. */
  #drawTail({ tail, color }, now) {
    if (tail.length < 2) return;
    const ink = this.#ink;
    this.#isBlank = false;
    if (this.#cursors.size > SINGLE_MAX) return this.#drawLine(tail, color);
    const edges = tail.map((place, i) => this.#edge(tail, i, (1 - (now - place.time) / TAIL) * 8));
    ink.fillStyle = color;
    for (let i = 1; i < edges.length; i += 1) {
      ink.globalAlpha = 0.62 * Math.max(1 - (now - tail[i].time) / TAIL, 0) ** 1.4;
      ink.beginPath();
      ink.moveTo(edges[i - 1].left.x, edges[i - 1].left.y);
      ink.lineTo(edges[i].left.x, edges[i].left.y);
      ink.lineTo(edges[i].right.x, edges[i].right.y);
      ink.lineTo(edges[i - 1].right.x, edges[i - 1].right.y);
      ink.fill();
    }
    ink.globalAlpha = 1;
  }

  #drawLine(tail, color) {
    const ink = this.#ink;
    Object.assign(ink, { strokeStyle: color, lineWidth: 5, lineCap: "round", globalAlpha: 0.35 });
    ink.beginPath();
    for (const { x, y } of tail) {
      const seen = this.#stage.seen(x, y);
      ink.lineTo(seen.x, seen.y);
    }
    ink.stroke();
    ink.globalAlpha = 1;
  }

  /** The two points beside a place of the tail, across its way. */
  #edge(tail, i, width) {
    const here = this.#stage.seen(tail[i].x, tail[i].y);
    const [from, to] = [tail[Math.max(i - 1, 0)], tail[Math.min(i + 1, tail.length - 1)]];
    const [dx, dy] = [to.x - from.x, to.y - from.y];
    const length = Math.hypot(dx, dy) || 1;
    const [ax, ay] = [(-dy / length) * width, (dx / length) * width];
    return { left: { x: here.x + ax, y: here.y + ay }, right: { x: here.x - ax, y: here.y - ay } };
  }
}

const labelOf = ({ name, more }) => (more ? `${name} +${more}` : name);

/** A browser works anew for each value that is set, also for the same. */
function setHidden(node, isHidden) {
  if (node.hidden !== isHidden) node.hidden = isHidden;
}

function dropTail(cursor) {
  if (cursor.tail.length) cursor.tail = [];
}

function put({ classList, style }, x, y, isAway, isFlipped, isGone) {
  if (!isGone) classList.toggle("gone", false);
  classList.toggle("away", isAway);
  classList.toggle("flipped", isFlipped);
  style.transform = `translate(${x}px, ${y}px)`;
}
