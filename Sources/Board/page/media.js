// The dialog that puts a photo or a recording on the board: by its address, or as a file where the server takes files.

const WORDS = {
  photo: { title: "Put a photo on the board", url: "The photo's address", file: "A photo of yours", accept: "image/*" },
  audio: { title: "Put a recording on the board", url: "The recording's address", file: "A recording of yours", accept: "audio/*" },
};
const PHOTO_WIDTH = 320;

export class MediaDialog {
  #dialog = document.getElementById("media-dialog");
  #form = document.getElementById("media-form");
  #url = document.getElementById("url");
  #file = document.getElementById("file");
  #caption = document.getElementById("caption");
  #fault = document.getElementById("media-fault");
  #uploads;
  #token;
  #done = null;
  #type = "photo";

  /** `uploads`: whether the server takes files; `token()`: what to show it then. */
  constructor({ uploads, token }) {
    this.#uploads = uploads;
    this.#token = token;
    document.getElementById("upload").hidden = !uploads;
    document.getElementById("media-cancel").addEventListener("click", () => this.#dialog.close());
    this.#form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.#submit();
    });
  }

  /** Asks for a photo or a recording; `done(fields)` gets what an element of it needs but for its place. */
  ask(type, done) {
    const words = WORDS[type];
    this.#type = type;
    this.#done = done;
    this.#form.reset();
    this.#fault.textContent = "";
    document.getElementById("media-title").textContent = words.title;
    document.getElementById("url-label").textContent = words.url;
    document.getElementById("file-label").textContent = words.file;
    this.#file.accept = words.accept;
    this.#url.required = !this.#uploads;
    this.#dialog.showModal();
    this.#url.focus();
  }

  async #submit() {
    this.#fault.textContent = "";
    try {
      const [file] = this.#file.files;
      const fields = await (file ? this.fieldsOf(this.#type, file) : measure(this.#type, this.#address()));
      if (this.#caption.value.trim()) fields.content = this.#caption.value.trim();
      this.#dialog.close();
      this.#done(fields);
    } catch (error) {
      this.#fault.textContent = error.message;
    }
  }

  #address() {
    let url;
    try {
      url = new URL(this.#url.value.trim());
    } catch {
      throw new Error("This is no address. It begins with https://");
    }
    if (!["http:", "https:"].includes(url.protocol)) throw new Error("An address of a photo or a recording begins with https://");
    return url.href;
  }

  /** Sends a file to the server, and gives what an element of it needs but for its place. */
  async fieldsOf(type, file) {
    const body = new FormData();
    body.append(type, file);
    const token = await this.#token();
    const answer = await fetch(`/api/upload/${type}`, {
      method: "POST", body, headers: token ? { Authorization: `Bearer ${token}` } : {},
    });
    const { data, error } = await answer.json().catch(() => ({}));
    if (!answer.ok || !data) throw new Error(error ?? `The server did not take the file (${answer.status}).`);
    return measure(type, new URL(data.imageUrl ?? data.audioUrl, location.href).href, data);
  }
}

/** The fields of an element for what lies at an address. */
async function measure(type, url, { width, height, duration } = {}) {
  if (type === "audio") {
    return { type, audioUrl: url, width: 300, height: 116, ...(duration > 0 && { duration }) };
  }
  const size = width && height ? { width, height } : await sizeOf(url);
  return { type, imageUrl: url, width: PHOTO_WIDTH, height: Math.round((PHOTO_WIDTH * size.height) / size.width) };
}

function sizeOf(url) {
  return new Promise((resolve, reject) => {
    const image = new Image();
    image.referrerPolicy = "no-referrer";
    image.onload = () => resolve({ width: image.naturalWidth || 4, height: image.naturalHeight || 3 });
    image.onerror = () => reject(new Error("There is no photo at this address."));
    image.src = url;
  });
}
