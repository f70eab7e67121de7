// What a card holds: the text of a note, a photo, a player.

import { displayName } from "./identity.js";

/** Longest sides of the smaller copies that a server keeps of a photo. */
const COPIES = [128, 320, 640, 1280];
/** A file that was uploaded to a server like this one. */
const UPLOADED = /^https?:\/\/[^/]+\/media\/[a-z0-9]{32}\.[a-z0-9]{2,5}$/;

/** For cards of this type: a node, the node of its `text`, `fill(element)`, and for photos `sharpen(zoom)`. */
export function makeBody({ type }) {
  const text = document.createElement("div");
  text.className = "text";
  text.dir = "auto";
  const by = document.createElement("footer");
  const node = document.createElement("div");
  node.className = "body";
  if (type === "photo") return photoBody(node, text);
  if (type === "audio") return audioBody(node, text, by);
  const fill = ({ createdBy, content }) => {
    setText(text, content ?? "");
    setText(by, createdBy ? displayName(createdBy) : "");
  };
  node.append(text, by);
  return { node, text, fill };
}

function photoBody(node, caption) {
  const image = document.createElement("img");
  let [url, longest, zoom, size] = ["", 0, 1, 0];
  image.draggable = false;
  image.referrerPolicy = "no-referrer";
  image.addEventListener("error", () => {
    // Of a file that is another server's there may be no copies.
    if (size) return show(null);
    node.classList.add("broken");
  });
  image.addEventListener("load", () => node.classList.remove("broken"));
  node.append(image, caption);

  function show(wanted) {
    size = wanted;
    image.src = wanted ? `${url}?size=${wanted}` : url;
  }
  /** The smallest copy that has a pixel for each of the screen's; none smaller than what is there. */
  function sharpen(now = zoom) {
    zoom = now;
    if (!url || size === null || !UPLOADED.test(url)) return;
    const wanted = COPIES.find((side) => side >= longest * zoom * devicePixelRatio) ?? null;
    if (wanted === null || wanted > size) show(wanted);
  }
  function fill(element) {
    longest = Math.max(element.width, element.height);
    if (element.imageUrl && element.imageUrl !== url) {
      url = element.imageUrl;
      size = 0;
      if (!UPLOADED.test(url)) show(null);
    }
    sharpen();
    image.alt = element.content || `A photo${element.createdBy ? ` of ${displayName(element.createdBy)}'s` : ""}`;
    setText(caption, element.content ?? "");
    caption.hidden = !element.content;
  }
  return { node, text: caption, fill, sharpen };
}

function audioBody(node, title, by) {
  const player = document.createElement("audio");
  player.controls = true;
  player.preload = "metadata";
  player.addEventListener("error", () => node.classList.add("broken"));
  node.append(title, player, by);
  const fill = ({ audioUrl, content, createdBy, duration }) => {
    if (audioUrl && player.src !== audioUrl) player.src = audioUrl;
    const length = duration > 0 ? ` (${Math.floor(duration / 60)}:${String(Math.floor(duration % 60)).padStart(2, "0")})` : "";
    setText(title, content || "Recording");
    player.setAttribute("aria-label", `${content || "Recording"}${length}`);
    setText(by, (createdBy ? displayName(createdBy) : "") + length);
  };
  return { node, text: title, fill };
}

/** A browser lays a text out anew also when it is the same. */
function setText(node, text) {
  if (node.textContent !== text) node.textContent = text;
}
