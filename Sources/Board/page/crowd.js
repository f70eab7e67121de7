// The touches of a crowd, painted on one canvas: a layer for each of hundreds of touches costs a browser without a graphics card
// more than a frame has. Each disc with its name is drawn once, and then stamped.

import { inkOn } from "./people.js";

const FONT = "600 12px system-ui, -apple-system, 'Segoe UI', Roboto, 'Noto Sans', sans-serif";
/** Around the disc's middle, in pixels of the page. */
const DISC = { radius: 11, rim: 3, air: 6 };
const LABEL = { left: 14, top: 10, height: 22, side: 9, most: 170 };
const STAMPS_MAX = 1_000;

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
    layer.append(this.#canvas);
  }

  /** Paints these touches and no others: `{cursor: {shown, color}, x, y, isAway, isFlipped}`. */
  paint(touches) {
    if (this.#isBlank && !touches.length) return;
    this.#wipe();
    for (const { cursor, x, y, isAway, isFlipped } of touches) {
      const stamp = this.#stamp(cursor.shown, cursor.color, isAway, isFlipped);
      // Whole pixels are copied, parts of pixels would have to be computed.
      this.#ink.drawImage(stamp.image, Math.round(x * this.#scale) - stamp.x, Math.round(y * this.#scale) - stamp.y);
    }
    this.#isBlank = !touches.length;
  }

  #wipe() {
    const [canvas, scale] = [this.#canvas, Math.min(devicePixelRatio, 2)];
    const [width, height] = [Math.round(this.#stage.width * scale), Math.round(this.#stage.height * scale)];
    if (scale !== this.#scale) this.#stamps.clear();
    this.#scale = scale;
    if (canvas.width !== width || canvas.height !== height) Object.assign(canvas, { width, height });
    else this.#ink.clearRect(0, 0, width, height);
  }

  #stamp(text, color, isAway, isFlipped) {
    const key = `${color} ${Number(isAway)}${Number(isFlipped)} ${text}`;
    let stamp = this.#stamps.get(key);
    if (stamp) return stamp;
    if (this.#stamps.size >= STAMPS_MAX) this.#stamps.clear();
    this.#stamps.set(key, (stamp = makeStamp(text, color, isAway, isFlipped, this.#scale)));
    return stamp;
  }
}

/** A disc with a name, and where its middle is in the picture. */
function makeStamp(text, color, isAway, isFlipped, scale) {
  const image = document.createElement("canvas");
  const ink = image.getContext("2d");
  ink.font = FONT;
  const width = Math.min(Math.ceil(ink.measureText(text).width) + 2 * LABEL.side, LABEL.most);
  const edge = DISC.radius + DISC.air;
  const reach = LABEL.left + width + DISC.air;
  const middle = { x: isFlipped ? reach : edge, y: edge };
  Object.assign(image, { width: (edge + reach) * scale, height: (edge + LABEL.top + LABEL.height + DISC.air) * scale });
  ink.scale(scale, scale);
  ink.translate(middle.x, middle.y);
  ink.shadowColor = "rgb(0 0 0 / 30%)";
  ink.shadowBlur = 5 * scale;
  ink.globalAlpha = isAway ? 0.85 : 1;
  drawDisc(ink, color, isAway ? 0.7 : 1);
  ink.globalAlpha = 1;
  drawLabel(ink, text, color, isFlipped ? -LABEL.left - width : LABEL.left, width);
  return { image, x: middle.x * scale, y: middle.y * scale };
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

function drawLabel(ink, text, color, left, width) {
  ink.fillStyle = color;
  ink.beginPath();
  ink.roundRect(left, LABEL.top, width, LABEL.height, 9);
  ink.fill();
  ink.clip();
  ink.font = FONT;
  ink.textBaseline = "middle";
  ink.fillStyle = inkOn(color);
  ink.fillText(text, left + LABEL.side, LABEL.top + LABEL.height / 2 + 0.5);
}
