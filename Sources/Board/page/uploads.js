// Files on their way to the server: one after another, each with a card of its own on the board until it is there. Without
// a connection they wait, also over the end of the page; what fails says why in words.

import { uniqueId } from "./unique.js";

const KINDS = {
  photo: { noun: "photo", formats: "JPEG, PNG, WebP or HEIC", width: 320, height: 220 },
  audio: { noun: "recording", formats: "MP3, M4A, AAC, WAV or Ogg", width: 300, height: 116 },
};
const EXTENSIONS = { heic: "photo", heif: "photo", m4a: "audio", aac: "audio", oga: "audio", ogg: "audio", opus: "audio" };
const RETRY_MIN = 1_000;
const RETRY_MAX = 30_000;
/** The browser keeps no more than so many bytes of files, and so many files, of a room. */
const KEPT_BYTES_MAX = 100e6;
const KEPT_MAX = 50;
/** Under these keys files are kept, among changes and drafts. */
export const FILE_KEY = "file-";

/** `photo`, `audio`, or undefined. Not every browser knows every type. */
export function kindOf(file) {
  const [family] = file.type.split("/");
  return { image: "photo", audio: "audio" }[family] ?? EXTENSIONS[file.name?.split(".").at(-1).toLowerCase()];
}

export class Uploads {
  #limits;
  #token;
  #plane;
  #on;
  #isOnline = false;
  #waiting = [];
  #current = null;
  #retry = null;

  /**
   * @param {object} options
   *   limits: the most bytes of each kind, as `{photo, audio}`; token(): what to show the server; plane: where cards go;
   *   arrived(fields, key): it is there, and these are its element's fields, and its key, the same however often it is sent;
   *   kept(key, record): what to keep of a file, null when it is settled; changed(): `pending` is another;
   *   say(text): tells it to those who do not see it.
   */
  constructor({ limits, token, plane, arrived, changed, say, kept = () => {} }) {
    this.#limits = limits;
    this.#token = token;
    this.#plane = plane;
    this.#on = { arrived, changed, say, kept };
  }

  /** Files that are not on the server yet, but for those that it refused. */
  get pending() {
    return this.#all.length;
  }

  /** How many of them would be lost with the page. */
  get unkept() {
    return this.#all.filter(({ isKept }) => !isKept).length;
  }

  get #all() {
    return this.#current ? [this.#current, ...this.#waiting] : this.#waiting;
  }

  /** Sends a file; its element's middle will be at this place. */
  add(type, file, { x, y }, content = "") {
    const kind = KINDS[type];
    const upload = this.#show(`${FILE_KEY}${uniqueId()}`, { type, file, content, at: { x, y } });
    this.#on.say(`The ${kind.noun} ${file.name} is being sent.`);
    const most = this.#limits[type];
    if (file.size > most) return this.#refused(upload, tooLarge(kind, most));
    this.#keep(upload);
    this.#waiting.push(upload);
    this.#go();
  }

  /** Takes up files that were kept, as `[key, record]`. */
  restore(records) {
    for (const [key, record] of records) {
      if (this.#all.some((upload) => upload.key === key)) continue;
      this.#waiting.push(Object.assign(this.#show(key, record), { isKept: true }));
    }
    this.#go();
  }

  #show(key, { type, file, content, at }) {
    const upload = { key, type, file, content, at, tries: 0, isKept: false, card: new UploadCard(KINDS[type], file, at) };
    upload.card.onRemove = () => this.#remove(upload);
    this.#plane.append(upload.card.node);
    return upload;
  }

  #keep(upload) {
    const kept = this.#all.filter(({ isKept }) => isKept);
    const bytes = kept.reduce((sum, { file }) => sum + file.size, upload.file.size);
    upload.isKept = kept.length < KEPT_MAX && bytes <= KEPT_BYTES_MAX;
    const { type, file, content, at } = upload;
    if (upload.isKept) this.#on.kept(upload.key, { type, file, content, at });
  }

  #forget(upload) {
    if (upload.isKept) this.#on.kept(upload.key, null);
    upload.isKept = false;
  }

  /** Whether there is a connection. */
  set isOnline(isOnline) {
    this.#isOnline = isOnline;
    clearTimeout(this.#retry);
    this.#retry = null;
    for (const upload of this.#waiting) upload.tries = 0;
    this.#go();
  }

  /** The room is another: those that are kept go on when it is this one again. */
  clear() {
    for (const upload of this.#waiting.splice(0)) upload.card.remove();
    const current = this.#current;
    this.#current = null;
    current?.request?.abort();
    current?.card.remove();
    for (const node of this.#plane.querySelectorAll(".upload")) node.remove();
    this.#on.changed();
  }

  // One after another

  async #go() {
    this.#on.changed();
    for (const { card } of this.#waiting) card.tell(this.#isOnline ? "Waiting for its turn" : "Waiting for a connection");
    if (this.#current || !this.#isOnline || this.#retry !== null || !this.#waiting.length) return;
    const upload = (this.#current = this.#waiting.shift());
    upload.card.tell("Sending…", 0);
    const answer = await this.#send(upload);
    // It was taken away meanwhile.
    if (this.#current !== upload) return;
    this.#current = null;
    this.#took(upload, answer);
    this.#go();
  }

  async #send(upload) {
    const token = await this.#token();
    // The session may have ended meanwhile, and the files with it.
    if (this.#current !== upload) return null;
    const body = new FormData();
    body.append(upload.type, upload.file, upload.file.name || upload.type);
    return new Promise((resolve) => {
      const request = (upload.request = new XMLHttpRequest());
      request.open("POST", `/api/upload/${upload.type}`);
      if (token) request.setRequestHeader("Authorization", `Bearer ${encodeToken(token)}`);
      request.upload.onprogress = ({ loaded, total }) => upload.card.tell(
        loaded < total ? `Sending… ${Math.floor((100 * loaded) / total)} %` : "The server checks it…", loaded / total);
      request.onloadend = () => resolve(request);
      request.send(body);
    });
  }

  #took(upload, request) {
    const { status } = request;
    const { data, error } = parsed(request.responseText);
    if (status >= 200 && status < 300 && data) {
      upload.card.remove();
      // Both are written at once: it is a file, or an element.
      this.#on.arrived(fieldsOf(upload, data), `new-${upload.key}`);
      return this.#forget(upload);
    }
    // No connection, too much to do, or about to stop: that passes.
    if (status === 0 || status === 429 || status === 503) return this.#again(upload, request.getResponseHeader("Retry-After"));
    const kind = KINDS[upload.type];
    if (status === 413) return this.#refused(upload, tooLarge(kind, this.#limits[upload.type]));
    if (status === 415) return this.#refused(upload, `The server cannot read this ${kind.noun}. It reads ${kind.formats}.`);
    this.#refused(upload, error ?? `The server refused it (${status}).`);
  }

  #again(upload, retryAfter) {
    this.#waiting.unshift(upload);
    const pause = Math.min(RETRY_MIN * 2 ** upload.tries, RETRY_MAX);
    upload.tries += 1;
    clearTimeout(this.#retry);
    this.#retry = setTimeout(() => {
      this.#retry = null;
      this.#go();
    }, Math.max(pause, 1_000 * (Number(retryAfter) || 0)));
  }

  #refused(upload, reason) {
    this.#forget(upload);
    upload.card.fail(reason);
    this.#on.say(reason);
    this.#on.changed();
  }

  #remove(upload) {
    this.#forget(upload);
    this.#waiting = this.#waiting.filter((other) => other !== upload);
    if (this.#current === upload) {
      this.#current = null;
      upload.request?.abort();
    }
    upload.card.remove();
    this.#go();
  }
}

function tooLarge({ noun }, most) {
  return `This ${noun} is too large: at most ${Math.floor(most / 1e6)} MB are allowed.`;
}

function parsed(text) {
  try {
    return JSON.parse(text) ?? {};
  } catch {
    return {};
  }
}

/** A header is made of bytes. Where names are tokens, a token may have other letters than those of Latin. */
function encodeToken(token) {
  return String.fromCharCode(...new TextEncoder().encode(token));
}

/** The fields of an element for what the server has now, around its place. */
function fieldsOf({ type, at, content }, { imageUrl, audioUrl, width, height, duration }) {
  const size = { width: KINDS[type].width, height: KINDS[type].height };
  if (type === "photo" && width > 0 && height > 0) size.height = Math.round((size.width * height) / width);
  const url = new URL(imageUrl ?? audioUrl, location.href).href;
  return {
    type, ...size, positionX: Math.round(at.x - size.width / 2), positionY: Math.round(at.y - size.height / 2),
    ...(type === "photo" ? { imageUrl: url } : { audioUrl: url, ...(duration > 0 && { duration }) }),
    ...(content && { content }),
  };
}

/** What stands on the board for a file that is on its way. */
class UploadCard {
  onRemove = () => {};
  node = document.createElement("div");
  #progress = document.createElement("progress");
  #state = document.createElement("p");
  #preview = null;

  constructor({ noun, width, height }, file, { x, y }) {
    this.node.className = "card upload";
    this.node.setAttribute("role", "listitem");
    this.node.setAttribute("aria-label", `Upload of a ${noun}: ${file.name}`);
    this.node.style.transform = `translate(${Math.round(x - width / 2)}px, ${Math.round(y - height / 2)}px)`;
    this.node.style.width = `${width}px`;
    this.node.style.minHeight = `${height}px`;
    const title = document.createElement("b");
    title.textContent = file.name;
    const remove = document.createElement("button");
    remove.textContent = "Remove";
    remove.addEventListener("click", () => this.onRemove());
    this.#progress.setAttribute("aria-label", "Progress of the upload");
    if (noun === "photo") this.node.append(this.#shown(file));
    this.node.append(title, this.#progress, this.#state, remove);
  }

  #shown(file) {
    const image = document.createElement("img");
    this.#preview = URL.createObjectURL(file);
    image.alt = "";
    image.draggable = false;
    // Not every browser can show what the server can read.
    image.addEventListener("error", () => image.remove());
    image.src = this.#preview;
    return image;
  }

  tell(text, share = null) {
    this.#state.textContent = text;
    if (share === null) this.#progress.removeAttribute("value");
    else this.#progress.value = share;
  }

  fail(reason) {
    this.#progress.remove();
    this.#state.textContent = reason;
    this.#state.className = "fault";
  }

  remove() {
    if (this.#preview) URL.revokeObjectURL(this.#preview);
    this.node.remove();
  }
}
