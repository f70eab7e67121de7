// Where a user signs in or up: with an e-mail address and a password, with a telephone number and a code, or with a passkey. A
// user signs in with a wallet, too. A user who has forgotten the password sets a new one. Then the user completes the profile,
// without which there are no rooms.

import { agentInWords } from "./devices.js";
import { hasWallet, signWithWallet } from "./ethereum.js";
import { Form, working } from "./forms.js";
import { canUsePasskeys, makePasskey, usePasskey } from "./passkeys.js";
import { request } from "./requests.js";

const $ = (id) => document.getElementById(id);
/** Where Esc leads to, as it closes dialogs. */
const BEFORE = {
  "sign-up": "sign-in", passkey: "sign-up", phone: "sign-in", code: "phone", forgot: "sign-in", reset: "forgot",
};

export class Entrance {
  #pages;
  #session;
  #hasCodes;
  #hasMail;
  #forms = {};
  /** The number that a code was sent to. */
  #phone = "";
  /** Called when a user has signed in, and with the user who has a profile. */
  #signedIn = () => {};
  #completed = () => {};

  /** `hasCodes`: the server can send one-time codes to telephones; `hasMail`: it can send letters. */
  constructor(pages, session, { hasCodes, hasMail }) {
    this.#pages = pages;
    this.#session = session;
    this.#hasCodes = hasCodes;
    this.#hasMail = hasMail;
    this.#makeForms();
    this.#makeButtons();
  }

  /** Resolves when a user has signed in. The reason is shown to the user. */
  signIn(reason) {
    this.#resetForms();
    $("sign-in-reason").textContent = reason;
    $("sign-in-wallet").hidden = !hasWallet();
    this.#pages.show("sign-in");
    return new Promise((resolve) => (this.#signedIn = resolve));
  }

  /** Resolves with the user, once the profile is complete. */
  async complete() {
    const { data: { profileComplete, user } } = await this.#session.request("GET", "/api/auth/verify");
    if (profileComplete) return user;
    this.#forms.profile.reset({ firstName: this.#session.user.name });
    this.#pages.show("profile");
    return new Promise((resolve) => (this.#completed = resolve));
  }

  #makeForms() {
    const begin = (path) => async (fields) => this.#begin((await request("POST", path, { body: fields })).data);
    this.#forms = {
      "sign-in": new Form($("sign-in-form"), { working: "Signing in…", send: begin("/api/auth/sign-in") }),
      "sign-up": new Form($("sign-up-form"), { working: "Making the account…", send: begin("/api/auth/sign-up") }),
      passkey: new Form($("passkey-form"), {
        working: "Waiting for the passkey…",
        send: async ({ name }) => begin("/api/auth/passkey-sign-up")(await this.#newPasskey(name)),
      }),
      phone: new Form($("phone-form"), { working: "Sending a code…", send: ({ phone }) => this.#sendCode(phone) }),
      code: new Form($("code-form"), {
        working: "Signing in…",
        send: ({ code }) => begin("/api/auth/sign-in-by-code")({ phone: this.#phone, code }),
      }),
      forgot: new Form($("forgot-form"), { working: "Sending a code…", send: ({ email }) => this.#sendLetter(email) }),
      reset: new Form($("reset-form"), { working: "Setting the password…", send: begin("/api/auth/reset-password") }),
      profile: new Form($("profile-form"), { working: "Keeping it…", send: (fields) => this.#keepProfile(fields) }),
    };
  }

  #makeButtons() {
    $("to-phone").hidden = !this.#hasCodes;
    $("to-phone").addEventListener("click", () => this.#pages.show("phone"));
    $("to-sign-up").addEventListener("click", () => this.#pages.show("sign-up"));
    $("other-phone").addEventListener("click", () => this.#pages.show("phone"));
    $("to-forgot").hidden = !this.#hasMail;
    $("to-forgot").addEventListener("click", () => {
      this.#forms.forgot.reset({ email: $("sign-in-email").value });
      this.#pages.show("forgot");
    });
    $("other-email").addEventListener("click", () => this.#pages.show("forgot"));
    for (const button of document.querySelectorAll("#pages .back")) {
      button.addEventListener("click", () => this.#pages.show("sign-in"));
    }
    $("pages").addEventListener("keydown", ({ key }) => {
      const before = BEFORE[this.#pages.current];
      if (key === "Escape" && before) this.#pages.show(before);
    });
    const { code, reset, profile } = this.#forms;
    this.#makeAction("code-again", code, "Sending a code…", () => this.#sendCode(this.#phone));
    this.#makeAction("reset-again", reset, "Sending a code…", () => this.#sendLetter($("reset-email").value));
    this.#makeAction("profile-sign-out", profile, "Signing out…", () => this.#session.signOut());
    this.#makePasskeyButtons();
  }

  #makePasskeyButtons() {
    for (const id of ["sign-in-passkey", "to-passkey"]) $(id).hidden = !canUsePasskeys();
    this.#makeAction(
      "sign-in-passkey", this.#forms["sign-in"], "Waiting for the passkey…", () => this.#signInWithPasskey());
    $("to-passkey").addEventListener("click", () => {
      this.#forms.passkey.reset({ name: $("sign-up-name").value });
      this.#pages.show("passkey");
    });
    $("passkey-back").addEventListener("click", () => this.#pages.show("sign-up"));
    this.#makeAction("sign-in-wallet", this.#forms["sign-in"], "Waiting for the wallet…", () => this.#signInWithWallet());
  }

  /** A button below a form that asks the server, with what it says meanwhile. The form shows what fails. */
  #makeAction(id, form, text, action) {
    $(id).addEventListener("click", ({ currentTarget }) => {
      form.clear();
      working(currentTarget, text, action, (message) => form.fail({ message }));
    });
  }

  #resetForms() {
    for (const form of Object.values(this.#forms)) form.reset();
  }

  /** Of several ways in, the first that succeeds counts. The session of another one ends at once. */
  #begin(signIn) {
    if (this.#session.user) return request("POST", "/api/auth/sign-out", { token: signIn.accessToken }).catch(() => {});
    this.#session.begin(signIn);
    this.#resetForms();
    this.#signedIn();
  }

  /** Makes a passkey for an account that is made with it. Gives the fields of the sign-up. */
  async #newPasskey(name) {
    const { data } = await request("POST", "/api/auth/passkey-challenges", { body: { purpose: "sign-up" } });
    return { name, ...(await makePasskey(data, name)), passkeyName: agentInWords(navigator.userAgent) };
  }

  async #signInWithPasskey() {
    const { data } = await request("POST", "/api/auth/passkey-challenges", { body: { purpose: "sign-in" } });
    const body = await usePasskey(data);
    this.#begin((await request("POST", "/api/auth/passkey-sign-in", { body })).data);
  }

  async #signInWithWallet() {
    const { message, signature } = await signWithWallet(async (address) => {
      const body = { purpose: "sign-in", address, origin: location.origin };
      return (await request("POST", "/api/auth/wallet-challenges", { body })).data.message;
    });
    this.#begin((await request("POST", "/api/auth/wallet-sign-in", { body: { message, signature } })).data);
  }

  /** People write numbers with blanks, dots and brackets; the server wants digits alone. */
  async #sendCode(written) {
    const page = this.#pages.current;
    const phone = written.replace(/[\s().\-/]/g, "");
    const { data: { previewCode } } = await request("POST", "/api/auth/codes", { body: { phone } });
    // The user may be elsewhere by now, and even in.
    if (this.#pages.current !== page) return;
    const isAgain = page === "code";
    if (!isAgain) this.#forms.code.reset();
    this.#phone = phone;
    this.#pages.show("code");
    $("code-text").textContent = previewCode
      ? `This server is for developers and sends nothing. The code for ${phone} is ${previewCode}.`
      : `${isAgain ? "Another" : "A"} code is on its way to ${phone}. It can be used for 10 minutes.`;
  }

  /** Whether there is an account with the address, the server tells nobody but who reads its letters. */
  async #sendLetter(email) {
    const page = this.#pages.current;
    await request("POST", "/api/auth/password-codes", { body: { email } });
    if (this.#pages.current !== page) return;
    const isAgain = page === "reset";
    if (!isAgain) this.#forms.reset.reset({ email });
    this.#pages.show("reset");
    $("reset-text").textContent = `If there is an account with the address ${email}, a letter with ${isAgain ? "another" : "a"} code `
      + "is on its way. The code can be used for 10 minutes.";
  }

  async #keepProfile(fields) {
    const { data } = await this.#session.request("POST", "/api/auth/complete-profile", fields);
    this.#completed(data);
  }
}
