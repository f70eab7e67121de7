// The dialog that puts a photo or a recording on the board: a file or a recording made here, where the server takes files,
// or by an address.

import { Newest } from "./newest.js";
import { canRecord, Recorder } from "./recorder.js";

const WORDS = {
  photo: {
    title: "Put a photo on the board", url: "The photo's address", orUrl: "Or the address of one", file: "A photo of yours",
    accept: "image/jpeg,image/png,image/webp,image/heic,.heic", caption: "A description, also for screen readers",
  },
  audio: {
    title: "Put a recording on the board", url: "The recording's address", orUrl: "Or the address of one", file: "A recording of yours",
    accept: "audio/*,.m4a,.aac,.ogg,.opus", caption: "A description of the recording",
  },
};
const PHOTO_WIDTH = 320;
/** A photo that has not loaded by then is taken for one that does not. */
const LOAD_MAX = 20_000;

export class MediaDialog {
  #dialog = document.getElementById("media-dialog");
  #form = document.getElementById("media-form");
  #url = document.getElementById("url");
  #file = document.getElementById("file");
  #caption = document.getElementById("caption");
  #fault = document.getElementById("media-fault");
  #record = document.getElementById("record");
  #preview = document.getElementById("recorded");
  #hasUploads;
  #recorder = new Recorder();
  #newest = new Newest();
  #newestRecording = new Newest();
  /** A promise of what was recorded here. */
  #recording = null;
  #done = null;
  #type = "photo";

  /** `hasUploads`: whether the server takes files. */
  constructor({ hasUploads }) {
    this.#hasUploads = hasUploads;
    document.getElementById("upload").hidden = !hasUploads;
    document.getElementById("media-cancel").addEventListener("click", () => this.#dialog.close());
    this.#record.addEventListener("click", () => this.#toggleRecording());
    // The event may come late: the user may have opened the dialog again.
    this.#dialog.addEventListener("close", () => this.#dialog.open || this.#forget());
    this.#form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.#submit();
    });
  }

  /** Asks for a photo or a recording; `done` gets `{file, content}`, or `{fields}`, what an element needs but for its place. */
  ask(type, done) {
    const words = WORDS[type];
    this.#type = type;
    this.#done = done;
    this.#forget();
    this.#form.reset();
    this.#fault.textContent = "";
    document.getElementById("media-title").textContent = words.title;
    document.getElementById("url-label").textContent = this.#hasUploads ? words.orUrl : words.url;
    document.getElementById("file-label").textContent = words.file;
    document.getElementById("caption-label").textContent = words.caption;
    document.getElementById("recording").hidden = type !== "audio" || !canRecord();
    this.#file.accept = words.accept;
    this.#dialog.showModal();
    (this.#hasUploads ? this.#file : this.#url).focus();
  }

  async #submit() {
    this.#fault.textContent = "";
    if (this.#recorder.isOn) this.#endRecording();
    try {
      await this.#newest.show(this.#given(), (result) => {
        this.#dialog.close();
        this.#done(result);
      });
    } catch (error) {
      this.#fault.textContent = error.message;
    }
  }

  async #given() {
    const content = this.#caption.value.trim();
    const file = this.#file.files[0] ?? (await this.#recording);
    if (file) return { file, content };
    const fields = await measure(this.#type, this.#address());
    return { fields: { ...fields, ...(content && { content }) } };
  }

  #address() {
    const text = this.#url.value.trim();
    if (!text && this.#hasUploads) throw new Error("Choose a file, or give an address.");
    let url;
    try {
      url = new URL(text);
    } catch {
      throw new Error("This is not an address. An address begins with https://");
    }
    if (!["http:", "https:"].includes(url.protocol)) throw new Error("The address must begin with https://");
    return url.href;
  }

  // Recording

  async #toggleRecording() {
    this.#fault.textContent = "";
    if (this.#recorder.isOn) return this.#endRecording();
    this.#forgetRecording();
    try {
      if (!await this.#recorder.start((seconds) => this.#tellTime(seconds), () => this.#endRecording())) return;
      this.#tellTime(0);
      this.#record.setAttribute("aria-pressed", "true");
    } catch (error) {
      this.#failRecording(error);
    }
  }

  #tellTime(seconds) {
    const [minutes, rest] = [Math.floor(seconds / 60), Math.floor(seconds % 60)];
    this.#record.textContent = `Stop (${minutes}:${String(rest).padStart(2, "0")})`;
  }

  async #endRecording() {
    this.#recording = this.#recorder.stop();
    this.#file.value = "";
    this.#record.textContent = "Record again";
    this.#record.setAttribute("aria-pressed", "false");
    try {
      await this.#newestRecording.show(this.#recording, (recorded) => {
        this.#preview.src = URL.createObjectURL(recorded);
        this.#preview.hidden = false;
      });
    } catch (error) {
      this.#failRecording(error);
    }
  }

  #failRecording(error) {
    this.#forgetRecording();
    this.#fault.textContent = error.message;
  }

  /** Forgets what the user has begun in the dialog. */
  #forget() {
    this.#newest.forget();
    this.#forgetRecording();
  }

  #forgetRecording() {
    this.#newestRecording.forget();
    this.#recorder.cancel();
    this.#recording = null;
    this.#record.textContent = "Record with the microphone";
    this.#record.setAttribute("aria-pressed", "false");
    if (this.#preview.src) URL.revokeObjectURL(this.#preview.src);
    this.#preview.removeAttribute("src");
    this.#preview.hidden = true;
  }
}

/** The fields of an element for what lies at an address. */
async function measure(type, url) {
  if (type === "audio") return { type, audioUrl: url, width: 300, height: 116 };
  const size = await sizeOf(url);
  return { type, imageUrl: url, width: PHOTO_WIDTH, height: Math.round((PHOTO_WIDTH * size.height) / size.width) };
}

function sizeOf(url) {
  return new Promise((resolve, reject) => {
    const image = new Image();
    image.referrerPolicy = "no-referrer";
    image.onload = () => resolve({ width: image.naturalWidth || 4, height: image.naturalHeight || 3 });
    image.onerror = () => reject(new Error("There is no photo at this address."));
    setTimeout(() => reject(new Error("The photo at this address does not load.")), LOAD_MAX);
    image.src = url;
  });
}
