// Where everybody touches: a disc with a name, and behind it a tail that fades.

import { Glide } from "./glide.js";
import { inkOn } from "./people.js";

const TAIL = 420;
const MARGIN = 26;

export class Cursors {
  #stage;
  #layer;
  #canvas;
  #ink;
  #cursors = new Map();
  #isRunning = false;
  #hasTails = !matchMedia("(prefers-reduced-motion: reduce)").matches;

  constructor(stage, layer, canvas) {
    this.#stage = stage;
    this.#layer = layer;
    this.#canvas = canvas;
    this.#ink = canvas.getContext("2d");
    stage.addEventListener("view", () => this.#run());
  }

  /** Somebody touches here; `isOwn` is for this person, who is shown where the mouse is, without a glide. */
  move(id, { x, y }, { name, color, isOwn = false }) {
    let cursor = this.#cursors.get(id);
    if (!cursor) this.#cursors.set(id, (cursor = this.#make(name, color, isOwn)));
    if (cursor.isGone) Object.assign(cursor, { glide: new Glide(), tail: [], isGone: false });
    const now = performance.now();
    if (isOwn) cursor.place = { x, y };
    else cursor.glide.add(x, y, now);
    this.#run();
  }

  #make(name, color, isOwn) {
    const node = document.createElement("div");
    node.className = isOwn ? "cursor own" : "cursor";
    node.style.setProperty("--who", color);
    node.style.setProperty("--on-who", inkOn(color));
    const label = document.createElement("span");
    label.textContent = name;
    node.append(document.createElement("i"), label);
    this.#layer.append(node);
    return { node, color, glide: new Glide(), tail: [], isGone: false };
  }

  /** The touch is over: the disc goes when it has come to its last place. */
  end(id) {
    const cursor = this.#cursors.get(id);
    if (cursor) cursor.isGone = true;
    this.#run();
  }

  remove(id) {
    this.#cursors.get(id)?.node.remove();
    this.#cursors.delete(id);
    this.#run();
  }

  clear() {
    for (const id of [...this.#cursors.keys()]) this.remove(id);
  }

  /** Where somebody is seen to touch, on the board. */
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
    for (const [id, cursor] of this.#cursors) {
      const rests = cursor.glide.isAtRest(now);
      cursor.place = cursor.glide.at(now) ?? cursor.place;
      if (cursor.place) this.#show(cursor, now);
      if (cursor.isGone && rests) cursor.node.classList.add("gone");
      if (cursor.isGone && rests && !cursor.tail.length) this.remove(id);
      isMoving ||= !rests || cursor.tail.length > 0;
    }
    if (isMoving) this.#run();
  }

  #show(cursor, now) {
    const { node, place, tail } = cursor;
    if (!cursor.isGone) node.classList.remove("gone");
    const seen = this.#stage.seen(place.x, place.y);
    const x = Math.min(Math.max(seen.x, MARGIN), this.#stage.width - MARGIN);
    const y = Math.min(Math.max(seen.y, 64 + MARGIN), this.#stage.height - MARGIN);
    node.classList.toggle("away", x !== seen.x || y !== seen.y);
    node.classList.toggle("flipped", x > this.#stage.width - 160);
    node.style.transform = `translate(${x}px, ${y}px)`;
    if (!this.#hasTails) return;
    const last = tail.at(-1);
    if (!last || last.x !== place.x || last.y !== place.y) tail.push({ x: place.x, y: place.y, time: now });
    while (tail.length && tail[0].time < now - TAIL) tail.shift();
    this.#drawTail(cursor, now);
  }

  #wipe() {
    const [canvas, scale] = [this.#canvas, Math.min(devicePixelRatio, 2)];
    const [width, height] = [Math.round(this.#stage.width * scale), Math.round(this.#stage.height * scale)];
    if (canvas.width !== width || canvas.height !== height) Object.assign(canvas, { width, height });
    this.#ink.setTransform(scale, 0, 0, scale, 0, 0);
    this.#ink.clearRect(0, 0, this.#stage.width, this.#stage.height);
  }

  #drawTail({ tail, color }, now) {
    const ink = this.#ink;
    ink.strokeStyle = color;
    ink.lineCap = "round";
    for (let i = 1; i < tail.length; i += 1) {
      const youth = 1 - (now - tail[i].time) / TAIL;
      const [from, to] = [this.#stage.seen(tail[i - 1].x, tail[i - 1].y), this.#stage.seen(tail[i].x, tail[i].y)];
      ink.globalAlpha = 0.5 * youth ** 1.5;
      ink.lineWidth = 1 + 11 * youth;
      ink.beginPath();
      ink.moveTo(from.x, from.y);
      ink.lineTo(to.x, to.y);
      ink.stroke();
    }
    ink.globalAlpha = 1;
  }
}
