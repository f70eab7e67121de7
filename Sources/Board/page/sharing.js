// The room's address, for others: as a link, and as a picture for the cameras of phones. And the board as a file.

import { jsonOf, pngOf, save } from "./export.js";
import { qrCode } from "./qr.js";

const LOOPBACK = ["localhost", "127.0.0.1", "[::1]"];
const COPIED = "Copied";
const COPIED_TIME = 1_500;

/** Copies a text, and says so on the button for a moment. Gives whether it could: pages without TLS may not. */
export async function copy(text, button) {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    return false;
  }
  const label = button.textContent;
  if (label === COPIED) return true;
  button.textContent = COPIED;
  setTimeout(() => (button.textContent = label), COPIED_TIME);
  return true;
}

export class Sharing {
  /** The room that is shown. */
  room = null;

  #announcer;
  #dialog = document.getElementById("share-dialog");
  #link = document.getElementById("link");
  #qr = document.getElementById("qr");
  #origin;

  /** `addresses` are the origins by which other devices of the same network reach this server. */
  constructor(announcer, addresses) {
    this.#announcer = announcer;
    const isLocal = LOOPBACK.includes(location.hostname);
    this.#origin = isLocal ? addresses[0] ?? location.origin : location.origin;
    document.getElementById("loopback").hidden = !isLocal || addresses.length > 0;
    this.#qr.hidden = isLocal && !addresses.length;
    document.getElementById("qr-text").hidden = this.#qr.hidden;
    this.#makeExports();
    document.getElementById("share").addEventListener("click", () => this.#show());
    for (const id of ["copy", "copy-alone"]) {
      document.getElementById(id).addEventListener("click", ({ currentTarget }) => this.#copy(currentTarget));
    }
    // Only pages with TLS have it, and pages on the computer itself.
    const system = document.getElementById("share-system");
    system.hidden = !navigator.share;
    system.addEventListener("click", () => {
      // A user that closes the sheet of the system has shared nothing, which is no fault.
      navigator.share({ title: document.title, url: this.#address }).catch(() => {});
    });
    document.getElementById("second").addEventListener("click", () => {
      open(`/#${encodeURIComponent(this.room?.id ?? "")}`, "_blank", "noopener,popup,width=720,height=640");
    });
  }

  get #address() {
    return `${this.#origin}/#${encodeURIComponent(this.room?.id ?? "")}`;
  }

  #show() {
    this.#link.value = this.#address;
    this.#drawCode();
    if (!this.#dialog.open) this.#dialog.showModal();
    this.#link.select();
  }

  /** Four light modules around it belong to the code. */
  #drawCode() {
    const rows = this.#qr.hidden ? null : qrCode(this.#address);
    if (!rows) return (this.#qr.hidden = true);
    const [module, size] = [4, rows.length + 8];
    Object.assign(this.#qr, { width: size * module, height: size * module });
    const ink = this.#qr.getContext("2d");
    ink.fillStyle = "#fff";
    ink.fillRect(0, 0, size * module, size * module);
    ink.fillStyle = "#000";
    rows.forEach((row, y) => row.forEach((isDark, x) => isDark && ink.fillRect((x + 4) * module, (y + 4) * module, module, module)));
  }

  #makeExports() {
    const listen = (id, act) => document.getElementById(id).addEventListener("click", act);
    listen("export-json", () => save(`${this.#fileName}.json`, jsonOf(this.room)));
    listen("export-png", async () => {
      const picture = await pngOf(this.room);
      if (picture) save(`${this.#fileName}.png`, picture);
      else this.#announcer.warn("There is nothing on the board yet.");
    });
    listen("export-print", () => {
      this.#dialog.close();
      print();
    });
  }

  get #fileName() {
    return this.room.id.replace(/[^\p{L}\p{N}_-]+/gu, "-").slice(0, 60) || "board";
  }

  async #copy(button) {
    if (await copy(this.#address, button)) this.#announcer.say("The address is copied.");
    // It is selected for Ctrl+C.
    else this.#show();
  }
}
