// Everything by which a user puts something on the board: the buttons, a double click, files that fall on it, and the clipboard.

import { kindOf } from "./uploads.js";

const board = document.getElementById("board");
const isText = ({ target }) => target.closest?.("input, textarea, dialog");
const hasFiles = ({ dataTransfer }) => dataTransfer.types.includes("Files");

export class Adding {
  #parts;

  /** `parts`: stage, actions, media, uploads and announcer of the page; `hasUploads`; `hasRoom()`. */
  constructor(parts) {
    this.#parts = parts;
    const { stage, actions } = parts;
    const add = { note: () => actions.addNote({ x: stage.x, y: stage.y }), photo: () => this.media("photo"), audio: () => this.media("audio") };
    for (const button of document.querySelectorAll("[data-add]")) button.addEventListener("click", () => add[button.dataset.add]());
    stage.addEventListener("place", ({ detail }) => actions.addNote(detail));
    this.#listenToFiles();
    this.#listenToClipboard();
  }

  /** Asks for a photo or a recording. */
  media(type) {
    const { stage, media, uploads, actions } = this.#parts;
    const at = { x: stage.x, y: stage.y };
    media.ask(type, ({ file, content, fields }) => {
      if (file) uploads.add(type, file, at, content);
      else actions.add(fields, at);
    });
  }

  #take(files, at) {
    const { uploads, announcer, hasUploads, hasRoom } = this.#parts;
    if (!hasRoom()) return;
    if (!hasUploads) return announcer.warn("This server accepts no uploads: add photos and recordings by their address.");
    [...files].forEach((file, index) => {
      const type = kindOf(file);
      // Several lie beside each other, four in a row.
      if (type) uploads.add(type, file, { x: at.x + 344 * (index % 4), y: at.y + 244 * Math.floor(index / 4) });
      else announcer.warn(`${file.name} is neither a photo nor a recording.`);
    });
  }

  #listenToFiles() {
    const { stage } = this.#parts;
    // Elsewhere than on the board a dropped file would take the place of the page.
    addEventListener("dragover", (event) => {
      if (!hasFiles(event)) return;
      event.preventDefault();
      board.classList.add("awaiting");
    });
    addEventListener("dragleave", ({ relatedTarget }) => relatedTarget || board.classList.remove("awaiting"));
    addEventListener("drop", (event) => {
      board.classList.remove("awaiting");
      if (!hasFiles(event)) return;
      event.preventDefault();
      this.#take(event.dataTransfer.files, board.contains(event.target) ? stage.at(event) : stage);
    });
  }

  #listenToClipboard() {
    const { stage, actions, hasRoom } = this.#parts;
    addEventListener("paste", (event) => {
      if (!hasRoom() || isText(event)) return;
      if (event.clipboardData.files.length) this.#take(event.clipboardData.files, stage);
      else actions.paste(event.clipboardData);
    });
    for (const name of ["copy", "cut"]) {
      addEventListener(name, (event) => {
        if (!hasRoom() || isText(event) || !getSelection().isCollapsed) return;
        if (actions.copy(event.clipboardData, name === "cut")) event.preventDefault();
      });
    }
  }
}
