// The room's address, for others.

const LOOPBACK = ["localhost", "127.0.0.1", "[::1]"];
const COPIED_TIME = 1_500;

export class Sharing {
  roomId = "";

  #announcer;
  #dialog = document.getElementById("share-dialog");
  #link = document.getElementById("link");

  constructor(announcer) {
    this.#announcer = announcer;
    document.getElementById("loopback").hidden = !LOOPBACK.includes(location.hostname);
    document.getElementById("share").addEventListener("click", () => this.#show());
    for (const id of ["copy", "copy-alone"]) {
      document.getElementById(id).addEventListener("click", ({ currentTarget }) => this.#copy(currentTarget));
    }
    // Only pages with TLS have it, and pages on the computer itself.
    const system = document.getElementById("share-system");
    system.hidden = !navigator.share;
    system.addEventListener("click", () => {
      // Whoever closes the sheet of the system has shared nothing, which is no fault.
      navigator.share({ title: document.title, url: this.#address }).catch(() => {});
    });
    document.getElementById("second").addEventListener("click", () => {
      open(this.#address, "_blank", "noopener,popup,width=720,height=640");
    });
  }

  get #address() {
    return `${location.origin}/#${encodeURIComponent(this.roomId)}`;
  }

  #show() {
    this.#link.value = this.#address;
    if (!this.#dialog.open) this.#dialog.showModal();
    this.#link.select();
  }

  async #copy(button) {
    try {
      await navigator.clipboard.writeText(this.#address);
    } catch {
      // Pages without TLS may not: the address is selected for Ctrl+C.
      return this.#show();
    }
    this.#announcer.say("The address is copied.");
    const label = button.textContent;
    button.textContent = "Copied";
    setTimeout(() => (button.textContent = label), COPIED_TIME);
  }
}
