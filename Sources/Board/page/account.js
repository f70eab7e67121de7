// The user's account: who one is, the e-mail address, the password, the passkeys, the wallets, the devices on which one is
// signed in, and the way out.

import { Part, blamePassword, remove, removeRow, rowNode, textNode } from "./account-parts.js";
import { agentInWords, agoInWords, appInWords } from "./devices.js";
import { jsonFile, save } from "./export.js";
import { Form, working } from "./forms.js";
import { Newest } from "./newest.js";
import { gather } from "./own-data.js";
import { focusOn } from "./pages.js";
import { canUsePasskeys, makePasskey, stopAsking } from "./passkeys.js";
import { Ended } from "./session.js";
import { Wallets } from "./wallets.js";

const $ = (id) => document.getElementById(id);

export class Account {
  #session;
  #newest = new Newest();
  #address;
  #password;
  #passkeys;
  #wallets;
  #ending;

  /** `hasMail`: the server can send letters. */
  constructor(session, { hasMail }) {
    this.#session = session;
    this.#address = new Address(session, hasMail);
    this.#password = new Password(session, () => this.#list());
    this.#passkeys = new Passkeys(session);
    this.#wallets = new Wallets(session);
    this.#ending = new Ending(session);
    const fail = (message) => ($("account-fault").textContent = message);
    $("account-close").addEventListener("click", () => $("account-dialog").close());
    $("export").addEventListener("click", ({ currentTarget }) => {
      fail("");
      working(currentTarget, "Gathering…", async () => {
        save("rooms-my-data.json", jsonFile(await gather((...asked) => session.request(...asked))));
        $("account-text").textContent = "Your data are in the file rooms-my-data.json.";
      }, fail);
    });
    $("sign-out").addEventListener("click", ({ currentTarget }) => {
      fail("");
      working(currentTarget, "Signing out…", () => session.signOut(), fail);
    });
  }

  /** Opens the page of this user, who has a profile. */
  async open(user) {
    const facts = [["Username", user.username], ["First name", user.firstName]];
    $("account-facts").replaceChildren(...facts.filter(([, value]) => value).flatMap(([name, value]) => [
      textNode("dt", name), textNode("dd", value)]));
    for (const id of ["account-text", "account-fault"]) $(id).textContent = "";
    $("devices").replaceChildren();
    if (!$("account-dialog").open) $("account-dialog").showModal();
    focusOn($("account-title"));
    this.#password.open();
    this.#ending.open();
    await Promise.all([this.#address.open(), this.#passkeys.open(user), this.#wallets.open(), this.#list()]);
  }

  async #list() {
    $("account-text").textContent = "Looking for your devices…";
    try {
      await this.#newest.show(this.#session.request("GET", "/api/auth/sessions"), ({ data }) => {
        $("devices").replaceChildren(...data.map((session) => this.#row(session)));
        $("account-text").textContent = "";
      });
    } catch (error) {
      if (error instanceof Ended) return;
      $("account-text").textContent = "";
      $("account-fault").textContent = error.message;
    }
  }

  #row({ id, app, agent, seenAt, isCurrent }) {
    const name = agentInWords(agent);
    const facts = `${appInWords(app)}, last used ${agoInWords(seenAt)}`;
    const row = rowNode(name, facts);
    if (isCurrent) {
      row.append(textNode("span", "This device", "mark"));
      return row;
    }
    const end = textNode("button", "End");
    end.setAttribute("aria-label", `End the session: ${name}, ${facts}`);
    end.addEventListener("click", () => this.#end(id, name, row, end));
    row.append(end);
    return row;
  }

  #end(id, name, row, button) {
    $("account-fault").textContent = "";
    return working(button, "Ending…", async () => {
      await remove(this.#session, `/api/auth/sessions/${encodeURIComponent(id)}`);
      $("account-text").textContent = `The session has ended: ${name}.`;
      removeRow(row, $("devices-title"));
    }, (message) => ($("account-fault").textContent = message));
  }
}

/** The user's e-mail address. With a code from a letter the user confirms it, or another one. */
class Address {
  #session;
  #hasMail;
  #part;
  #newest = new Newest();
  #email = "";
  /** The address that a code was sent to. */
  #asked = "";

  constructor(session, hasMail) {
    this.#session = session;
    this.#hasMail = hasMail;
    this.#part = new Part("address", [
      new Form($("address-form"), { working: "Sending a code…", send: (fields) => this.#sendCode(fields) }),
      new Form($("address-code-form"), { working: "Confirming it…", send: ({ code }) => this.#confirm(code) }),
    ]);
    const fail = (message) => ($("address-fault").textContent = message);
    $("address-change").addEventListener("click", () => {
      fail("");
      this.#part.go("change");
    });
    $("address-confirm").addEventListener("click", ({ currentTarget }) => {
      fail("");
      working(currentTarget, "Sending a code…", () => this.#sendCode({ email: this.#email }), fail);
    });
  }

  async open() {
    this.#part.reset();
    $("address-fault").textContent = "";
    try {
      await this.#newest.show(this.#session.request("GET", "/api/auth/account"), ({ data }) => this.#show(data));
    } catch (error) {
      if (!(error instanceof Ended)) $("account-fault").textContent = error.message;
    }
  }

  #show({ email, emailVerified }) {
    this.#email = email;
    $("address-part").hidden = !email && !this.#hasMail;
    $("address").textContent = email || "Your account has none.";
    $("address-mark").hidden = !email || !this.#hasMail;
    $("address-mark").textContent = emailVerified ? "Confirmed" : "Not confirmed";
    $("address-confirm").hidden = !email || emailVerified || !this.#hasMail;
    $("address-change").hidden = !this.#hasMail;
    $("address-change").textContent = email ? "Change" : "Add";
    $("address-password-hint").textContent = emailVerified ? "" : "Leave it empty if your account has none.";
    // Password managers keep the password for it.
    $("password-user").value = email;
  }

  /** The server needs the password for a new address. Whether another account has the address, it tells the owner alone. */
  async #sendCode({ email, password }) {
    const fields = { email, ...(password && { password }) };
    await this.#session.request("POST", "/api/auth/email-codes", fields).catch(blamePassword);
    this.#asked = email;
    const sent = email === this.#email
      ? `A letter with a code is on its way to ${email}.`
      : `If no other account has the address ${email}, a letter with a code is on its way.`;
    this.#part.go("code", `${sent} The code can be used for 10 minutes.`);
  }

  async #confirm(code) {
    const { data } = await this.#session.request("POST", "/api/auth/confirm-email", { email: this.#asked, code });
    this.#newest.forget();
    this.#show(data);
    this.#part.go("start", `Your e-mail address is confirmed: ${data.email}.`);
  }
}

/** The user's password. `changed()` is called when there is a new one. */
class Password {
  #part;

  constructor(session, changed) {
    const change = async (fields) => {
      await session.request("POST", "/api/auth/change-password", fields).catch(blamePassword);
      this.#part.go("start", "Your password has changed. All your other devices are signed out.");
      changed();
    };
    this.#part = new Part("password", [new Form($("password-form"), { working: "Changing it…", send: change })]);
    $("password-change").addEventListener("click", () => this.#part.go("change"));
  }

  open() {
    this.#part.reset();
  }
}

/** The end of the user's account. */
class Ending {
  #part;

  constructor(session) {
    const end = ({ password }) => session.endAccount(password ? { password } : {}).catch(blamePassword);
    this.#part = new Part("ending", [new Form($("ending-form"), { working: "Ending it…", send: end })]);
    $("ending-begin").addEventListener("click", () => this.#part.go("end"));
  }

  open() {
    this.#part.reset();
  }
}

/** The user's passkeys. */
class Passkeys {
  #session;
  #part;
  #newest = new Newest();
  #username = "";
  /** A passkey that this device has made and the server has not taken yet: the password was wrong. */
  #made = null;

  constructor(session) {
    this.#session = session;
    const add = ({ password }) => this.#add(password);
    this.#part = new Part("passkeys", [new Form($("passkeys-form"), { working: "Waiting for the passkey…", send: add })]);
    $("passkeys-add").hidden = !canUsePasskeys();
    $("passkeys-add").addEventListener("click", () => {
      $("passkeys-fault").textContent = "";
      this.#made = null;
      this.#part.go("add");
    });
    $("passkeys-cancel").addEventListener("click", stopAsking);
    $("account-dialog").addEventListener("close", stopAsking);
  }

  async open({ username }) {
    this.#username = username;
    this.#part.reset();
    $("passkeys-fault").textContent = "";
    $("passkeys").replaceChildren();
    $("passkeys-text").textContent = "Looking for your passkeys…";
    try {
      if (await this.#list()) $("passkeys-text").textContent = $("passkeys").childElementCount ? "" : "Your account has none.";
    } catch (error) {
      if (error instanceof Ended) return;
      $("passkeys-text").textContent = "";
      $("passkeys-fault").textContent = error.message;
    }
  }

  /** Shows them as the server has them, unless it is asked again meanwhile. Gives whether it did. */
  #list() {
    return this.#newest.show(this.#session.request("GET", "/api/auth/passkeys"), ({ data }) => (
      $("passkeys").replaceChildren(...data.map((passkey) => this.#row(passkey)))));
  }

  #row({ id, name, createdAt, usedAt }) {
    const facts = `Made ${agoInWords(createdAt)}, last used ${agoInWords(usedAt)}`;
    const row = rowNode(name, facts);
    const button = textNode("button", "Remove");
    button.setAttribute("aria-label", `Remove the passkey: ${name}, ${facts}`);
    button.addEventListener("click", () => this.#remove(id, name, row, button));
    row.append(button);
    return row;
  }

  #remove(id, name, row, button) {
    for (const part of ["text", "fault"]) $(`passkeys-${part}`).textContent = "";
    return working(button, "Removing…", async () => {
      await remove(this.#session, `/api/auth/passkeys/${encodeURIComponent(id)}`);
      $("passkeys-text").textContent = `The passkey is removed: ${name}.`;
      removeRow(row, $("passkeys-title"));
    }, (message) => ($("passkeys-fault").textContent = message));
  }

  /** The server wants the password with the passkey. When it was wrong, the next attempt needs no other passkey. */
  async #add(password) {
    this.#made ??= await this.#make();
    const fields = { ...this.#made, ...(password && { password }) };
    try {
      const { data } = await this.#session.request("POST", "/api/auth/passkeys", fields);
      await this.#list();
      this.#part.go("start", `The passkey is added: ${data.name}.`);
    } catch (error) {
      if (error.reason !== "WRONG_CREDENTIALS") this.#made = null;
      blamePassword(error);
    }
  }

  async #make() {
    const { data } = await this.#session.request("POST", "/api/auth/passkeys/challenges", {});
    return { ...(await makePasskey(data, this.#username)), name: agentInWords(navigator.userAgent) };
  }
}
