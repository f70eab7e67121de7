// The way of a user with an account to a room: signing in, the profile, the user's rooms, and the room of the address. It
// gives the board the user's tokens, and tells it when the session has ended and when a user is back.

import { Account } from "./account.js";
import { Entrance } from "./entrance.js";
import { leaveWallet } from "./ethereum.js";
import { knowName } from "./identity.js";
import { Invitations, secretIn } from "./invitations.js";
import { Inviting } from "./inviting.js";
import { MyRooms } from "./my-rooms.js";
import { Pages } from "./pages.js";
import { stopAsking } from "./passkeys.js";
import { Refusal, Unreachable } from "./requests.js";
import { Ended, Session } from "./session.js";

const $ = (id) => document.getElementById(id);
/** So often a page that is seen asks whether its session is still open. */
const CHECK_PAUSE = 60_000;
const RETRY_PAUSE = 2_000;

/**
 * Tells `ended` when the session has ended, `back` when the same user is signed in again, and `away` when another page than
 * that of a room is shown.
 */
export class Accounts extends EventTarget {
  /** The user who is signed in and has a profile. */
  user = null;

  #pages = new Pages();
  #session = new Session({ ended: (...what) => this.#ended(...what), waiting: (error) => this.#waiting(error) });
  #entrance;
  #myRooms = new MyRooms(this.#pages, this.#session, { away: () => this.dispatchEvent(new Event("away")) });
  #account;
  #inviting;
  #invitations;
  #announcer;
  #admission = null;
  /** Ends a step of the admission. */
  #interrupt = () => {};
  /** The id of the user whom the board was shown to. */
  #known = null;
  #opening = new AbortController();

  /** `hasCodes`: the server can send one-time codes to telephones; `hasMail`: it can send letters. */
  constructor({ hasCodes, hasMail, announcer }) {
    super();
    this.#entrance = new Entrance(this.#pages, this.#session, { hasCodes, hasMail });
    this.#account = new Account(this.#session, { hasMail });
    this.#inviting = new Inviting(this.#session, announcer);
    this.#invitations = new Invitations(this.#session, announcer);
    this.#announcer = announcer;
    this.#makeButtons();
    this.#watch();
  }

  /** Resolves when a user with a profile is signed in. Whether there is a session already, the server says. */
  admit(reason = location.hash.length > 1 ? "Sign in to open the room." : "") {
    this.#admission ??= this.#admitting(reason).finally(() => (this.#admission = null));
    return this.#admission;
  }

  /** A token for the server. Waits for the user to sign in if need be. */
  async token({ isExpiring = false } = {}) {
    if (isExpiring) this.#session.distrust();
    for (;;) {
      try {
        return await this.#session.token();
      } catch (error) {
        if (!(error instanceof Ended)) throw error;
        await this.admit(error.message);
      }
    }
  }

  /** Whether the session is open. If it has ended, the sign-in is shown. */
  async isStillOpen() {
    await this.#session.check();
    return this.#session.user !== null && !this.#session.isLeaving;
  }

  /** The server refused the token: resolves when there is another. */
  async ask() {
    await this.token({ isExpiring: true });
  }

  /** The user is a member of one more room. */
  added({ roomId, name }) {
    this.#announcer.say(name ? `You were added to the room ${name}.` : "You were added to a room.");
    this.#myRooms.added(roomId);
  }

  /**
   * Gives the room with this id, or of this link, when it opens for the user. Null when the user went elsewhere meanwhile, or names no room:
   * then the page with the user's rooms is shown.
   */
  async opened(roomId) {
    this.#opening.abort();
    const { signal } = (this.#opening = new AbortController());
    // The address counts once the user is back.
    if (!this.user) return null;
    if (!roomId) {
      this.#myRooms.show();
      return null;
    }
    const secret = secretIn(roomId);
    const room = secret
      ? await this.#myRooms.accepted(secret, signal) : await this.#myRooms.opened(roomId, this.user.username, signal);
    if (!room || signal.aborted) return null;
    if (secret) history.replaceState(null, "", `#${encodeURIComponent(room.id)}`);
    return room;
  }

  /** The user is in this room, which `opened` gave. */
  entered(room) {
    for (const { userId, user } of room.participants) knowName(userId, user.username);
    this.#inviting.begin(room);
    this.#invitations.begin(room, this.user.id);
    this.#pages.hide();
  }

  /** The user came back to the room that is open, before another one opened. */
  stay() {
    if (!this.user) return;
    this.#opening.abort();
    this.#pages.hide();
  }

  // Signing in

  async #admitting(reason) {
    this.#pages.show("waiting", { focusHeading: false });
    $("waiting-text").textContent = "";
    for (let isIn = false; !isIn; ) {
      try {
        isIn = await this.#step(reason);
      } catch (error) {
        if (error instanceof Ended) reason = error.message || reason;
        else if (error instanceof Refusal || error instanceof Unreachable) await this.#retry(error);
        else throw error;
      }
    }
    // Another user must not meet what this page still has of the one before: it begins anew, and this promise waits for that.
    if (this.#known !== null && this.#known !== this.user.id) {
      this.dispatchEvent(new Event("away"));
      await new Promise(() => location.reload());
    }
    $("account-open").hidden = false;
    if (this.#known !== null) this.dispatchEvent(new Event("back"));
    this.#known = this.user.id;
  }

  /** Whether the user is in. Throws `Ended` when it must begin anew. */
  async #step(reason) {
    const interruption = new Promise((_, refuse) => (this.#interrupt = (why) => refuse(new Ended(why))));
    // It may come when nothing waits for it.
    interruption.catch(() => {});
    if (!this.#session.user && this.#session.isKept) await this.#session.resume();
    // The browser or the wallet may still ask something when the user came in by another way.
    if (!this.#session.user) {
      await Promise.race([this.#entrance.signIn(reason), interruption]).finally(takeBack);
    }
    this.user = await Promise.race([this.#entrance.complete(), interruption]);
    return true;
  }

  #ended(reason, isWanted) {
    this.user = null;
    takeBack();
    $("account-open").hidden = true;
    // The address leads back to the room, but not a user who did not want to stay.
    if (isWanted) history.replaceState(null, "", "/");
    this.#opening.abort();
    this.dispatchEvent(new Event("ended"));
    this.#interrupt(reason);
    this.admit(reason);
  }

  /** The server does not answer now, and is asked again. */
  #waiting({ message }) {
    $("waiting-text").textContent = message;
  }

  #retry(error) {
    this.#pages.show("waiting");
    this.#waiting(error);
    return new Promise((resolve) => setTimeout(resolve, Math.max(RETRY_PAUSE, 1_000 * (error.wait ?? 0))));
  }

  // What happens around it

  #makeButtons() {
    $("any-room").hidden = true;
    $("own-rooms").hidden = false;
    $("open-only").hidden = true;
    $("account-open").addEventListener("click", () => this.#account.open(this.user));
    $("to-account").addEventListener("click", () => {
      $("rooms").hidePopover();
      this.#account.open(this.user);
    });
  }

  /** Other tabs have the same session, and other devices may end it. */
  #watch() {
    addEventListener("storage", () => {
      if (this.#session.user) this.#session.changedElsewhere();
      else if (this.#session.isKept) this.#interrupt("");
    });
    const check = () => document.hidden || this.#session.check();
    addEventListener("focus", check);
    document.addEventListener("visibilitychange", check);
    setInterval(check, CHECK_PAUSE);
  }
}

/** Takes back what the browser or the wallet asks the user now. */
function takeBack() {
  stopAsking();
  leaveWallet();
}
