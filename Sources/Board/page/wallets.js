// The user's wallets on the account's page: which there are and what they have, one more, the primary one, and one less.

import { Part, blamePassword, remove, removeRow, rowNode, textNode } from "./account-parts.js";
import { hasWallet, leaveWallet, signWithWallet } from "./ethereum.js";
import { Form, working } from "./forms.js";
import { Newest } from "./newest.js";
import { Ended } from "./session.js";

const $ = (id) => document.getElementById(id);

export class Wallets {
  #session;
  #part;
  #newest = new Newest();
  /** What a wallet has signed and the server has not taken yet: the password was wrong. */
  #signed = null;

  constructor(session) {
    this.#session = session;
    const connect = ({ password }) => this.#connect(password);
    this.#part = new Part("wallets", [new Form($("wallets-form"), { working: "Waiting for the wallet…", send: connect })]);
    $("wallets-connect").addEventListener("click", () => {
      this.#say("");
      this.#signed = null;
      this.#part.go("connect");
    });
    $("wallets-cancel").addEventListener("click", leaveWallet);
    // The event may come late: who has signed out meanwhile may be signing in with the wallet.
    $("account-dialog").addEventListener("close", () => session.user && leaveWallet());
  }

  async open() {
    this.#part.reset();
    $("wallets-connect").hidden = !hasWallet();
    $("wallets-needed").hidden = hasWallet();
    $("wallets").replaceChildren();
    this.#say("Looking for your wallets…");
    try {
      if (await this.#list()) this.#say($("wallets").childElementCount ? "" : "Your account has none.");
    } catch (error) {
      if (!(error instanceof Ended)) this.#say("", error.message);
    }
  }

  #say(text, fault = "") {
    $("wallets-text").textContent = text;
    $("wallets-fault").textContent = fault;
  }

  /** Shows them as the server has them, unless it is asked again meanwhile. Gives whether it did. */
  #list() {
    return this.#newest.show(this.#session.request("GET", "/api/auth/wallets"), ({ data }) => (
      $("wallets").replaceChildren(...data.map((wallet) => this.#row(wallet)))));
  }

  #row({ id, address, type, isPrimary, signsIn, balance }) {
    const name = shortened(address);
    const amounts = Object.entries(balance ?? {}).map(([coin, amount]) => `${amount} ${coin}`);
    const facts = [type, ...(signsIn ? ["signs you in"] : []), ...amounts].join(", ");
    const row = rowNode(name, facts);
    row.title = address;
    row.dataset.wallet = id;
    if (isPrimary) row.append(textNode("span", "Primary", "mark"));
    else row.append(this.#button("Make primary", `Make the wallet ${name} the primary one`, (button) => this.#prefer(id, name, button)));
    row.append(this.#button("Disconnect", `Disconnect the wallet ${name}, ${facts}`, (button) => this.#remove(id, name, row, button)));
    return row;
  }

  #button(text, label, act) {
    const button = textNode("button", text);
    button.setAttribute("aria-label", label);
    button.addEventListener("click", () => act(button));
    return button;
  }

  #prefer(id, name, button) {
    this.#say("");
    return working(button, "Changing…", async () => {
      await this.#session.request("PATCH", `/api/auth/wallets/${encodeURIComponent(id)}`, { isPrimary: true });
      await this.#list();
      // The button that was pressed is gone.
      this.#focus(id);
      this.#say(`The primary wallet is ${name}.`);
    }, (message) => this.#say("", message));
  }

  #remove(id, name, row, button) {
    this.#say("");
    return working(button, "Disconnecting…", async () => {
      await remove(this.#session, `/api/auth/wallets/${encodeURIComponent(id)}`);
      removeRow(row, $("wallets-title"));
      // Another one may be primary now.
      const at = document.activeElement.closest("[data-wallet]")?.dataset.wallet;
      await this.#list();
      this.#focus(at);
      this.#say(`The wallet is disconnected: ${name}.`);
    }, (message) => this.#say("", message));
  }

  /** Puts the focus on the row of a wallet. */
  #focus(id) {
    [...$("wallets").children].find((row) => row.dataset.wallet === id)?.querySelector("button").focus();
  }

  /** The server wants the password with what the wallet has signed. When it was wrong, the wallet is not asked again. */
  async #connect(password) {
    this.#signed ??= await signWithWallet((address) => this.#messageFor(address));
    const fields = { ...this.#signed, ...(password && { password }) };
    try {
      const { data } = await this.#session.request("POST", "/api/auth/wallets", fields);
      await this.#list();
      const how = data.signsIn ? "It can sign you in." : "It cannot sign you in.";
      this.#part.go("start", `The wallet is connected: ${shortened(data.address)}. ${how}`);
    } catch (error) {
      if (error.reason !== "WRONG_CREDENTIALS") this.#signed = null;
      blamePassword(error);
    }
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
