// The board as a file: all elements as JSON, or a picture of them as PNG.

import { fieldsOf } from "./history.js";
import { displayName } from "./identity.js";

const MARGIN = 40;
/** No browser makes larger pictures for certain. */
const SIDE_MAX = 8_000;
const LINE = 21;

/** Gives the browser a file to keep. */
export function save(name, blob) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  // The browser has begun by then.
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}

/** A value as a file of JSON. */
export const jsonFile = (value) => new Blob([JSON.stringify(value, null, 2)], { type: "application/json" });

export function jsonOf(room) {
  const elements = [...room.elements].map((element) => ({ ...fieldsOf(element), createdBy: element.createdBy, createdAt: element.createdAt }));
  return jsonFile({ room: room.id, elements });
}

/** A promise of the picture; null if there is nothing to see. */
export async function pngOf(room) {
  const elements = [...room.elements].sort((a, b) => (a.z ?? 0) - (b.z ?? 0));
  if (!elements.length) return null;
  const left = Math.min(...elements.map(({ positionX }) => positionX)) - MARGIN;
  const top = Math.min(...elements.map(({ positionY }) => positionY)) - MARGIN;
  const width = Math.max(...elements.map((one) => one.positionX + one.width)) - left + MARGIN;
  const height = Math.max(...elements.map((one) => one.positionY + one.height)) - top + MARGIN;
  const scale = Math.min(2, SIDE_MAX / Math.max(width, height));
  const canvas = document.createElement("canvas");
  Object.assign(canvas, { width: Math.ceil(width * scale), height: Math.ceil(height * scale) });
  const ink = canvas.getContext("2d");
  ink.scale(scale, scale);
  ink.translate(-left, -top);
  const styles = getComputedStyle(document.documentElement);
  ink.fillStyle = styles.getPropertyValue("--ground");
  ink.fillRect(left, top, width, height);
  for (const element of elements) await draw(ink, element, styles);
  return new Promise((resolve) => canvas.toBlob(resolve, "image/png"));
}

async function draw(ink, element, styles) {
  const { positionX: x, positionY: y, width, height, type, content, createdBy } = element;
  const node = document.querySelector(`.card[data-key="${CSS.escape(element.key)}"]`);
  const image = type === "photo" ? await photo(element.imageUrl) : null;
  ink.save();
  ink.beginPath();
  ink.roundRect(x, y, width, height, 12);
  ink.fillStyle = styles.getPropertyValue("--paper");
  ink.fill();
  ink.fillStyle = element.color ?? node?.style.getPropertyValue("--who") ?? "#888";
  ink.globalAlpha = 0.2;
  ink.fill();
  ink.globalAlpha = 1;
  ink.clip();
  if (image) cover(ink, image, element);
  ink.fillStyle = styles.getPropertyValue("--ink");
  ink.font = "15px system-ui, sans-serif";
  const words = content || (type === "audio" ? "Recording" : type === "photo" && !image ? "Photo" : "");
  if (!image) lines(ink, words, width - 28).forEach((line, i) => ink.fillText(line, x + 14, y + 26 + i * LINE));
  ink.font = "11px system-ui, sans-serif";
  ink.fillStyle = styles.getPropertyValue("--quiet");
  if (!image && createdBy) ink.fillText(displayName(createdBy), x + 14, y + height - 9);
  ink.restore();
}

/** Null for a photo of another server: a picture with it could not be kept. */
function photo(url) {
  return new Promise((resolve) => {
    const image = new Image();
    image.crossOrigin = "anonymous";
    image.referrerPolicy = "no-referrer";
    image.onload = () => resolve(image);
    image.onerror = () => resolve(null);
    image.src = url;
  });
}

function cover(ink, image, { positionX, positionY, width, height }) {
  const scale = Math.max(width / (image.naturalWidth || width), height / (image.naturalHeight || height));
  const [w, h] = [(image.naturalWidth || width) * scale, (image.naturalHeight || height) * scale];
  ink.drawImage(image, positionX + (width - w) / 2, positionY + (height - h) / 2, w, h);
}

/** The lines of a text in this width. */
function lines(ink, text, width) {
  const all = [];
  for (const paragraph of text.split("\n")) {
    let line = "";
    for (const word of paragraph.split(" ")) {
      const longer = line ? `${line} ${word}` : word;
      if (line && ink.measureText(longer).width > width) {
        all.push(line);
        line = word;
      } else {
        line = longer;
      }
    }
    all.push(line);
  }
  return all;
}
