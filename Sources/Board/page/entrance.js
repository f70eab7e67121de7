// Where a user signs in or up: with an e-mail address and a password, or with a telephone number and a code. Then the user
// completes the profile, without which there are no rooms.

import { Form, working } from "./forms.js";
import { request } from "./requests.js";

const $ = (id) => document.getElementById(id);

export class Entrance {
  #pages;
  #session;
  #hasCodes;
  #forms = {};
  /** The number that a code was sent to. */
  #phone = "";
  /** Called when a user has signed in, and with the user who has a profile. */
  #signedIn = () => {};
  #completed = () => {};

  /** `hasCodes`: the server can send one-time codes. */
  constructor(pages, session, { hasCodes }) {
    this.#pages = pages;
    this.#session = session;
    this.#hasCodes = hasCodes;
    this.#makeForms();
    this.#makeButtons();
  }

  /** Resolves when a user has signed in. The reason is shown to the user. */
  signIn(reason) {
    for (const name of ["sign-in", "sign-up", "phone", "code"]) this.#forms[name].reset();
    $("sign-in-reason").textContent = reason;
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
      phone: new Form($("phone-form"), { working: "Sending a code…", send: ({ phone }) => this.#sendCode(phone) }),
      code: new Form($("code-form"), {
        working: "Signing in…",
        send: ({ code }) => begin("/api/auth/sign-in-by-code")({ phone: this.#phone, code: code.replace(/\s/g, "") })
          .catch((error) => {
            throw error.status === 401 ? Object.assign(error, { field: "code" }) : error;
          }),
      }),
      profile: new Form($("profile-form"), { working: "Keeping it…", send: (fields) => this.#keepProfile(fields) }),
    };
  }

  #makeButtons() {
    $("to-phone").hidden = !this.#hasCodes;
    $("to-phone").addEventListener("click", () => this.#pages.show("phone"));
    $("to-sign-up").addEventListener("click", () => this.#pages.show("sign-up"));
    $("other-phone").addEventListener("click", () => this.#pages.show("phone"));
    for (const button of document.querySelectorAll("#pages .back")) {
      button.addEventListener("click", () => this.#pages.show("sign-in"));
    }
    // Esc leads back, as it closes dialogs.
    $("pages").addEventListener("keydown", ({ key }) => {
      const before = { "sign-up": "sign-in", phone: "sign-in", code: "phone" }[this.#pages.current];
      if (key === "Escape" && before) this.#pages.show(before);
    });
    const failed = (message) => this.#forms.code.fail({ message });
    $("code-again").addEventListener("click", ({ currentTarget }) => {
      this.#forms.code.clear();
      working(currentTarget, "Sending a code…", () => this.#sendCode(this.#phone), failed);
    });
    $("profile-sign-out").addEventListener("click", ({ currentTarget }) => {
      const fail = (message) => this.#forms.profile.fail({ message });
      working(currentTarget, "Signing out…", () => this.#session.signOut(), fail);
    });
  }

  #begin(signIn) {
    this.#session.begin(signIn);
    for (const name of ["sign-in", "sign-up", "code"]) this.#forms[name].reset();
    this.#signedIn();
  }

  /** People write numbers with blanks, dots and brackets; the server wants digits alone. */
  async #sendCode(written) {
    const phone = written.replace(/[\s().\-/]/g, "");
    const { data: { previewCode } } = await request("POST", "/api/auth/codes", { body: { phone } });
    this.#phone = phone;
    $("code-text").textContent = previewCode
      ? `This server is for developers and sends nothing. The code for ${phone} is ${previewCode}.`
      : `${this.#pages.current === "code" ? "Another" : "A"} code is on its way to ${phone}. It can be used for 10 minutes.`;
    if (this.#pages.current === "phone") this.#forms.code.reset();
    this.#pages.show("code");
  }

  async #keepProfile(fields) {
    const { data } = await this.#session.request("POST", "/api/auth/complete-profile", fields);
    this.#completed(data);
  }
}
