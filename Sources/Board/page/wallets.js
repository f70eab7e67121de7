// The user's wallets on the account's page: which there are and what they have, one more, the primary one, and one less.

import { List, Part, blamePassword, rowNode, textNode } from "./account-parts.js";
import { hasWallet, leaveWallet, signWithWallet } from "./ethereum.js";
import { Form, working } from "./forms.js";

const $ = (id) => document.getElementById(id);

export class Wallets {
  #session;
  #part;
  #list;
  /** What a wallet has signed and the server has not taken yet: the password was wrong. */
  #signed = null;

  constructor(session) {
    this.#session = session;
    const connect = ({ password }) => this.#connect(password);
    this.#list = new List(session, "wallets", { rowOf: (wallet) => this.#row(wallet), none: "Your account has none." });
    this.#part = new Part("wallets", [new Form($("wallets-form"), { working: "Waiting for the wallet…", send: connect })]);
    $("wallets-connect").addEventListener("click", () => {
      this.#list.fail("");
      this.#signed = null;
      this.#part.go("connect");
    });
    $("wallets-cancel").addEventListener("click", leaveWallet);
    // The event may come late: the user may have opened the dialog again, or have signed out and be signing in.
    $("account-dialog").addEventListener("close", () => session.user && !$("account-dialog").open && leaveWallet());
  }

  open() {
    leaveWallet();
    this.#part.reset();
    $("wallets-connect").hidden = !hasWallet();
    $("wallets-needed").hidden = hasWallet();
    return this.#list.open();
  }

  #row({ id, address, type, isPrimary, signsIn, balance }) {
    const name = shortened(address);
    const amounts = Object.entries(balance ?? {}).map(([coin, amount]) => `${amount} ${coin}`);
    const facts = [type, ...(signsIn ? ["signs you in"] : []), ...amounts].join(", ");
    const row = rowNode(id, name, facts);
    row.title = address;
    if (isPrimary) row.append(textNode("span", "Primary", "mark"));
    else row.append(this.#button("Make primary", `Make the wallet ${name} the primary one`, (button) => this.#prefer(id, name, button)));
    row.append(this.#button("Disconnect", `Disconnect the wallet ${name}, ${facts}`, (button) => this.#remove(id, name, button)));
    return row;
  }

  #button(text, label, act) {
    const button = textNode("button", text);
    button.setAttribute("aria-label", label);
    button.addEventListener("click", () => act(button));
    return button;
  }

  #prefer(id, name, button) {
    this.#list.fail("");
    return working(button, "Changing…", async () => {
      await this.#session.request("PATCH", `/api/auth/wallets/${encodeURIComponent(id)}`, { isPrimary: true });
      await this.#list.show();
      this.#list.say(`The primary wallet is ${name}.`);
    }, (message) => this.#list.fail(message));
  }

  #remove(id, name, button) {
    this.#list.fail("");
    return working(button, "Disconnecting…", async () => {
      await this.#list.remove(id);
      this.#list.say(`The wallet is disconnected: ${name}.`);
    }, (message) => this.#list.fail(message));
  }

  /** The server wants the password with what the wallet has signed. When it was wrong, the wallet is not asked again. */
  async #connect(password) {
    const goOn = this.#part.wayOn();
    this.#signed ??= await signWithWallet((address) => this.#messageFor(address));
    const fields = { ...this.#signed, ...(password && { password }) };
    const { data } = await this.#session.request("POST", "/api/auth/wallets", fields).catch((error) => {
      if (error.reason !== "WRONG_CREDENTIALS") this.#signed = null;
      blamePassword(error);
    });
    await this.#list.show();
    const how = data.signsIn ? "It can sign you in." : "It cannot sign you in.";
    goOn("start", `The wallet is connected: ${shortened(data.address)}. ${how}`);
  }

  async #messageFor(address) {
    const asked = { address, origin: location.origin };
    return (await this.#session.request("POST", "/api/auth/wallets/challenges", asked)).data.message;
  }
}

/** `0x1234…abcd`: people compare the two ends. */
function shortened(address) {
  return `${address.slice(0, 6)}…${address.slice(-4)}`;
}
