// The session of a user with an account of the server. All tabs of a browser share it: the refresh token is kept for all of
// them, and each tab has an access token of its own in memory. It needs no page: a test gives it storage, locks and time.

import { Refusal, Unreachable, request } from "./requests.js";

const KEPT = "rooms-session";
const LOCK = "rooms-session";
/** So long before its end a token is replaced. The server asks sockets for a new one a minute before. */
const MARGIN = 120_000;
const RETRY_MIN = 1_000;
const RETRY_MAX = 30_000;

const ENDED = "Your session has ended. Sign in again to go on.";
const LEFT = "You have signed out.";
const GONE = "Your account has ended.";
const LEFT_ELSEWHERE = "You have signed out in another window.";

/** There is no session, or it has ended. The message says why. */
export class Ended extends Error {}

export class Session {
  /** `{id, name, email}` of the user who is signed in; null without a session. */
  user = null;

  #storage;
  #locks;
  #ask;
  #now;
  #pause;
  #on;
  #token = null;
  #endsAt = 0;
  #renewal = null;
  /** While the user signs out or ends the account: a promise that is fulfilled when the server has answered. */
  #leaving = null;
  #timer = null;

  /**
   * @param {object} options
   *   storage, locks, ask, now, pause: localStorage, navigator.locks, request, Date.now and a wait in milliseconds;
   *   ended(reason, isWanted): the session has ended, because the user wanted it or not; waiting(error): the server does not answer now, and is asked again.
   */
  constructor({
    storage = globalThis.localStorage, locks = globalThis.navigator?.locks, ask = request, now = () => Date.now(),
    pause = (time) => new Promise((resolve) => setTimeout(resolve, time)), ended = () => {}, waiting = () => {},
  } = {}) {
    this.#storage = storage;
    this.#locks = locks;
    this.#ask = ask;
    this.#now = now;
    this.#pause = pause;
    this.#on = { ended, waiting };
  }

  // Beginning and ending

  /** Whether this browser has a session. The server may have ended it. */
  get isKept() {
    return this.#kept !== null;
  }

  /** Whether the user is signing out, in this tab or another one. */
  get isLeaving() {
    return this.#kept?.isLeaving === true;
  }

  #setLeaving(isLeaving) {
    const kept = this.#kept;
    if (kept) this.#storage.setItem(KEPT, JSON.stringify({ ...kept, isLeaving }));
  }

  /** Begins with the answer to a sign-in. */
  begin(signIn) {
    this.user = signIn.user;
    this.#take(signIn);
  }

  /** Takes up the session that this browser has. Throws `Ended` without a good one. */
  async resume() {
    this.user = this.#kept?.user ?? null;
    await this.token();
  }

  /** Ends it on the server and in all tabs. Throws if the server does not answer: then nothing has ended. */
  signOut() {
    return this.#leave(LEFT, async () => {
      const token = await this.#tokenNow();
      this.#setLeaving(true);
      await this.#ask("POST", "/api/auth/sign-out", { token }).catch((error) => {
        if (error.status !== 401) throw error;
      });
    });
  }

  /** Ends the account, and with it the session. Throws if the server refuses: then nothing has ended. */
  endAccount(body) {
    return this.#leave(GONE, () => {
      this.#setLeaving(true);
      return this.#request({ method: "POST", path: "/api/auth/end-account", body, isLeaving: true });
    });
  }

  /** The server ends the sockets of all tabs, and refuses what they ask, before it answers. */
  #leave(reason, ask) {
    const leaving = this.#asking(reason, ask);
    this.#leaving = leaving.catch(() => {}).finally(() => (this.#leaving = null));
    return leaving;
  }

  async #asking(reason, ask) {
    try {
      await ask();
    } finally {
      // What is kept may be another user's by now.
      this.#setLeaving(false);
    }
    this.#end(reason, { isWanted: true });
  }

  /** Another tab changed what is kept. */
  changedElsewhere() {
    // While this tab signs out, the server's answer ends the session and says why.
    if (this.user && !this.#leaving && !this.#isItsOwn) this.#end(LEFT_ELSEWHERE);
  }

  /** Whether what is kept is of this tab's user. */
  get #isItsOwn() {
    return this.user !== null && this.#kept?.user.id === this.user.id;
  }

  /** Whether the user has signed out, or is signing out, in another tab. */
  get #hasLeftElsewhere() {
    return this.user !== null && (!this.#isItsOwn || (this.isLeaving && !this.#leaving));
  }

  #end(reason, { isWanted = false } = {}) {
    if (!this.user) return;
    // Another user may have signed in, in another tab.
    if (this.#isItsOwn) this.#storage.removeItem(KEPT);
    clearTimeout(this.#timer);
    this.user = this.#token = null;
    this.#on.ended(reason, isWanted);
  }

  // Tokens

  /** A token that is good for a while. Asks the server again until it answers; throws `Ended` when the session has ended. */
  async token() {
    for (let tries = 0; ; tries += 1) {
      try {
        return await this.#tokenNow();
      } catch (error) {
        if (!(error instanceof Unreachable || error instanceof Refusal)) throw error;
        this.#on.waiting(error);
        await this.#pause(Math.max(Math.min(RETRY_MIN * 2 ** tries, RETRY_MAX), 1_000 * (error.wait ?? 0)));
      }
    }
  }

  /** The server does not take this token any more: the next is a new one. */
  distrust(token = this.#token) {
    if (this.#token === token) this.#token = null;
  }

  async #tokenNow() {
    if (!this.user) throw new Ended(ENDED);
    if (!this.#token || this.#now() >= this.#endsAt - MARGIN) {
      this.#renewal ??= this.#renewing().finally(() => (this.#renewal = null));
      await this.#renewal;
    }
    return this.#token;
  }

  async #renewing() {
    try {
      await this.#alone(() => this.#renew());
    } catch (error) {
      if (!(error instanceof Ended) && error.status !== 401) throw error;
      // The answer may be faster than the news of what another tab has changed.
      const reason = this.#hasLeftElsewhere ? LEFT_ELSEWHERE : ENDED;
      this.#end(reason);
      throw new Ended(reason);
    }
  }

  /** A refresh token is of use once: one tab at a time uses the newest. */
  async #renew() {
    for (;;) {
      if (!this.#isItsOwn) throw new Ended(ENDED);
      const { refreshToken } = this.#kept;
      try {
        return this.#take((await this.#ask("POST", "/api/auth/refresh", { body: { refreshToken } })).data);
      } catch (error) {
        // Where there are no locks another tab may have been faster. It has kept its newer token.
        if (error.status !== 401 || !this.#kept || this.#kept.refreshToken === refreshToken) throw error;
      }
    }
  }

  /** There are no locks on pages without TLS. The server gives two tabs that refresh at once the same token. */
  #alone(action) {
    return this.#locks ? this.#locks.request(LOCK, action) : action();
  }

  #take({ accessToken, expiresIn, refreshToken, user }) {
    // The user may have signed out meanwhile.
    if (this.user?.id !== user.id) throw new Ended(ENDED);
    this.user = user;
    this.#storage.setItem(KEPT, JSON.stringify({ refreshToken, user: { id: user.id } }));
    this.#token = accessToken;
    this.#endsAt = this.#now() + 1_000 * expiresIn;
    clearTimeout(this.#timer);
    // What fails now is tried again when a token is needed.
    this.#timer = setTimeout(() => this.#tokenNow().catch(() => {}), Math.max(1_000 * expiresIn - MARGIN, 0));
    this.#timer.unref?.();
  }

  get #kept() {
    try {
      const kept = JSON.parse(this.#storage.getItem(KEPT));
      return kept?.refreshToken && kept.user?.id ? kept : null;
    } catch {
      return null;
    }
  }

  // Requests

  /** Sends a request of the user. Throws `Refusal`, `Unreachable`, or `Ended` when the session has ended. */
  request(method, path, body, headers) {
    return this.#request({ method, path, body, headers });
  }

  async #request({ method, path, body, headers, isLeaving = false }) {
    for (let isAgain = false; ; isAgain = true) {
      const token = await this.#tokenNow();
      try {
        return await this.#ask(method, path, { body, token, headers });
      } catch (error) {
        if (!error.isOfToken) throw error;
        // The session may have ended because its user leaves. The answer to that tells.
        if (!isLeaving) await this.#leaving;
        if (isAgain) {
          this.#end(ENDED);
          throw new Ended(ENDED);
        }
        // Another tab may have begun a new session: the refresh tells whether there is one.
        this.distrust(token);
      }
    }
  }

  /** Asks the server whether the session is still open. Only its end counts. */
  async check() {
    if (!this.user || this.isLeaving) return;
    try {
      await this.request("GET", "/api/auth/verify");
    } catch {
      // An end was told already, and what else failed passes.
    }
  }
}
