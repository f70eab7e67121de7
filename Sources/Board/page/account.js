// The user's account: who one is, the e-mail address, the password, the passkeys, the wallets, the devices on which one is
// signed in, and the way out.

import { List, Part, blamePassword, rowNode, textNode } from "./account-parts.js";
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
  #devices;
  #address;
  #password;
  #passkeys;
  #wallets;
  #ending;

  /** `hasMail`: the server can send letters. */
  constructor(session, { hasMail }) {
    this.#devices = new List(session, "devices", { rowOf: (device) => this.#row(device), path: "/api/auth/sessions", says: "account" });
    this.#address = new Address(session, hasMail);
    this.#password = new Password(session, () => this.#devices.show());
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
    if (!$("account-dialog").open) $("account-dialog").showModal();
    focusOn($("account-title"));
    this.#password.open();
    this.#ending.open();
    await Promise.all([this.#address.open(), this.#passkeys.open(user), this.#wallets.open(), this.#devices.open()]);
  }

  #row({ id, app, agent, seenAt, isCurrent }) {
    const name = agentInWords(agent);
    const facts = `${appInWords(app)}, last used ${agoInWords(seenAt)}`;
    const row = rowNode(id, name, facts);
    if (isCurrent) {
      row.append(textNode("span", "This device", "mark"));
      return row;
    }
    const end = textNode("button", "End");
    end.setAttribute("aria-label", `End the session: ${name}, ${facts}`);
    end.addEventListener("click", () => this.#end(id, name, end));
    row.append(end);
    return row;
  }

  #end(id, name, button) {
    this.#devices.fail("");
    return working(button, "Ending…", async () => {
      await this.#devices.remove(id);
      this.#devices.say(`The session has ended: ${name}.`);
    }, (message) => this.#devices.fail(message));
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
    const goOn = this.#part.wayOn();
    const fields = { email, ...(password && { password }) };
    await this.#session.request("POST", "/api/auth/email-codes", fields).catch(blamePassword);
    const sent = email === this.#email
      ? `A letter with a code is on its way to ${email}.`
      : `If no other account has the address ${email}, a letter with a code is on its way.`;
    if (goOn("code", `${sent} The code can be used for 10 minutes.`)) this.#asked = email;
  }

  async #confirm(code) {
    const goOn = this.#part.wayOn();
    const { data } = await this.#session.request("POST", "/api/auth/confirm-email", { email: this.#asked, code });
    this.#newest.forget();
    this.#show(data);
    goOn("start", `Your e-mail address is confirmed: ${data.email}.`);
  }
}

/** The user's password. `changed()` is called when there is a new one. */
class Password {
  #part;

  constructor(session, changed) {
    const change = async (fields) => {
      const goOn = this.#part.wayOn();
      await session.request("POST", "/api/auth/change-password", fields).catch(blamePassword);
      goOn("start", "Your password has changed. All your other devices are signed out.");
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
  #list;
  #username = "";
  /** A passkey that this device has made and the server has not taken yet: the password was wrong. */
  #made = null;

  constructor(session) {
    this.#session = session;
    const add = ({ password }) => this.#add(password);
    this.#list = new List(session, "passkeys", { rowOf: (passkey) => this.#row(passkey), none: "Your account has none." });
    this.#part = new Part("passkeys", [new Form($("passkeys-form"), { working: "Waiting for the passkey…", send: add })]);
    $("passkeys-add").hidden = !canUsePasskeys();
    $("passkeys-add").addEventListener("click", () => {
      this.#list.fail("");
      this.#made = null;
      this.#part.go("add");
    });
    $("passkeys-cancel").addEventListener("click", stopAsking);
    // The event may come late: the user may have opened the dialog again, or have signed out and be signing in.
    $("account-dialog").addEventListener("close", () => session.user && !$("account-dialog").open && stopAsking());
  }

  open({ username }) {
    this.#username = username;
    stopAsking();
    this.#part.reset();
    return this.#list.open();
  }

  #row({ id, name, createdAt, usedAt }) {
    const facts = `Made ${agoInWords(createdAt)}, last used ${agoInWords(usedAt)}`;
    const row = rowNode(id, name, facts);
    const button = textNode("button", "Remove");
    button.setAttribute("aria-label", `Remove the passkey: ${name}, ${facts}`);
    button.addEventListener("click", () => this.#remove(id, name, button));
    row.append(button);
    return row;
  }

  #remove(id, name, button) {
    this.#list.fail("");
    return working(button, "Removing…", async () => {
      await this.#list.remove(id);
      this.#list.say(`The passkey is removed: ${name}.`);
    }, (message) => this.#list.fail(message));
  }

  /** The server wants the password with the passkey. When it was wrong, the next attempt needs no other passkey. */
  async #add(password) {
    const goOn = this.#part.wayOn();
    this.#made ??= await this.#make();
    const fields = { ...this.#made, ...(password && { password }) };
    const { data } = await this.#session.request("POST", "/api/auth/passkeys", fields).catch((error) => {
      if (error.reason !== "WRONG_CREDENTIALS") this.#made = null;
      blamePassword(error);
    });
    await this.#list.show();
    goOn("start", `The passkey is added: ${data.name}.`);
  }

  async #make() {
    const { data } = await this.#session.request("POST", "/api/auth/passkeys/challenges", {});
    return { ...(await makePasskey(data, this.#username)), name: agentInWords(navigator.userAgent) };
  }
}
