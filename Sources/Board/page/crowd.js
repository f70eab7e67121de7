// The touches of a crowd, painted on one canvas: a layer for each of hundreds of touches costs a browser without a graphics card
// more than a frame has. Each disc, name and number is drawn once, and then stamped.

import { inkOn } from "./people.js";

const FONT = "600 12px system-ui, -apple-system, 'Segoe UI', Roboto, 'Noto Sans', sans-serif";
/** Around the disc's middle, in pixels of the page. */
const DISC = { radius: 11, rim: 3, air: 6 };
const LABEL = { left: 14, top: 10, height: 22, side: 9, most: 170 };
const STAMPS_MAX = 1_000;
/** Of the touches that one at the edge stands for. */
const COUNT_COLOR = "#333333";

export class Crowd {
  #stage;
  #canvas = document.createElement("canvas");
  #ink = this.#canvas.getContext("2d");
  #stamps = new Map();
  #isBlank = true;
  #scale = 1;

  constructor(stage, layer) {
    this.#stage = stage;
    this.#canvas.className = "crowd";
    this.#canvas.hidden = true;
    layer.append(this.#canvas);
  }

  /** Paints these touches and no others: `{cursor: {name, more, color}, x, y, isAway, isFlipped}`. */
  paint(touches) {
    if (this.#isBlank && !touches.length) return;
    this.#wipe();
    for (const { cursor: { name, more, color }, x, y, isAway, isFlipped } of touches) {
      const side = isFlipped ? -1 : 1;
      const label = this.#label(name, color);
      this.#put(this.#disc(color, isAway), x, y);
      this.#put(label, x + side * (LABEL.left + label.width / 2), y + LABEL.top + LABEL.height / 2);
      if (!more) continue;
      const count = this.#label(`+${more}`, COUNT_COLOR);
      this.#put(count, x + side * (LABEL.left + label.width + count.width / 2), y + LABEL.top + LABEL.height / 2);
    }
    this.#isBlank = !touches.length;
    // A layer that is empty would be put over the others all the same.
    if (this.#canvas.hidden !== this.#isBlank) this.#canvas.hidden = this.#isBlank;
  }

  /** Stamps with the middle there. Whole pixels are copied, parts of pixels would have to be computed. */
  #put({ image }, x, y) {
    this.#ink.drawImage(image, Math.round(x * this.#scale - image.width / 2), Math.round(y * this.#scale - image.height / 2));
  }

  #wipe() {
    const [canvas, scale] = [this.#canvas, Math.min(devicePixelRatio, 2)];
    const [width, height] = [Math.round(this.#stage.width * scale), Math.round(this.#stage.height * scale)];
    if (scale !== this.#scale) this.#stamps.clear();
    this.#scale = scale;
    if (canvas.width !== width || canvas.height !== height) Object.assign(canvas, { width, height });
    else this.#ink.clearRect(0, 0, width, height);
  }

  #disc(color, isAway) {
    return this.#stamp(`${color} ${isAway}`, () => discStamp(color, isAway, this.#scale));
  }

  #label(text, color) {
    return this.#stamp(`${color} ${text}`, () => labelStamp(text, color, this.#scale));
  }

  #stamp(key, make) {
    let stamp = this.#stamps.get(key);
    if (stamp) return stamp;
    if (this.#stamps.size >= STAMPS_MAX) this.#stamps.clear();
    this.#stamps.set(key, (stamp = make()));
    return stamp;
  }
}

function discStamp(color, isAway, scale) {
  const side = 2 * (DISC.radius + DISC.air);
  const { ink, done } = sheet(side, side, scale);
  ink.shadowColor = "rgb(0 0 0 / 30%)";
  ink.shadowBlur = 5 * scale;
  ink.globalAlpha = isAway ? 0.85 : 1;
  drawDisc(ink, color, isAway ? 0.7 : 1);
  return { image: done() };
}

function labelStamp(text, color, scale) {
  const width = Math.min(Math.ceil(widthOf(text)) + 2 * LABEL.side, LABEL.most);
  const { ink, done } = sheet(width, LABEL.height, scale);
  drawLabel(ink, text, color, width);
  return { image: done(), width };
}

/** An empty sheet whose origin is its middle. What was drawn is a picture that does not change: a browser copies it without asking. */
function sheet(width, height, scale) {
  const canvas = new OffscreenCanvas(width * scale, height * scale);
  const ink = canvas.getContext("2d");
  ink.scale(scale, scale);
  ink.translate(width / 2, height / 2);
  return { ink, done: () => canvas.transferToImageBitmap() };
}

const ruler = document.createElement("canvas").getContext("2d");

function widthOf(text) {
  ruler.font = FONT;
  return ruler.measureText(text).width;
}

function drawDisc(ink, color, size) {
  for (const [fill, radius] of [["#fff", DISC.radius], [color, DISC.radius - DISC.rim]]) {
    ink.beginPath();
    ink.arc(0, 0, radius * size, 0, 2 * Math.PI);
    ink.fillStyle = fill;
    ink.fill();
    ink.shadowBlur = 0;
  }
}

function drawLabel(ink, text, color, width) {
  ink.fillStyle = color;
  ink.beginPath();
  ink.roundRect(-width / 2, -LABEL.height / 2, width, LABEL.height, 9);
  ink.fill();
  ink.clip();
  ink.font = FONT;
  ink.textBaseline = "middle";
  ink.fillStyle = inkOn(color);
  ink.fillText(text, LABEL.side - width / 2, 0.5);
}
