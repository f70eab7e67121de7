import assert from "node:assert/strict";
import test from "node:test";

import { Refusal, Unreachable } from "./page/requests.js";
import { Ended, Session } from "./page/session.js";

const USER = { id: "u1", name: "Ann", email: "ann@example.com" };
const MINUTE = 60_000;

/** What a browser gives all tabs of a page. */
class Browser {
  items = new Map();
  #queue = Promise.resolve();

  getItem(key) {
    return this.items.get(key) ?? null;
  }

  setItem(key, value) {
    this.items.set(key, value);
  }

  removeItem(key) {
    this.items.delete(key);
  }

  locks = {
    request: (name, action) => {
      const run = this.#queue.then(action);
      this.#queue = run.catch(() => {});
      return run;
    },
  };
}

/** A server that takes each refresh token once, and ends the session with the second use. */
class Server {
  count = 0;
  refreshes = 0;
  hasEnded = false;
  user = USER;
  asked = [];
  /** What the next requests meet in place of an answer. */
  faults = [];

  signIn() {
    this.count += 1;
    return { accessToken: `a${this.count}`, refreshToken: `r${this.count}`, expiresIn: 900, user: this.user };
  }

  ask = async (method, path, { body, token, headers } = {}) => {
    this.asked.push({ method, path, token, ...(headers && { headers }) });
    await null;
    const fault = this.faults.shift();
    if (fault) throw fault;
    if (path !== "/api/auth/refresh") {
      if (this.hasEnded || token !== `a${this.count}`) throw refusal(401, "SESSION_ENDED");
      return { data: { path } };
    }
    this.refreshes += 1;
    if (body.refreshToken !== `r${this.count}`) this.hasEnded = true;
    if (this.hasEnded) throw refusal(401, "SESSION_ENDED");
    return { data: this.signIn() };
  };
}

function refusal(status, reason, wait = 0) {
  return new Refusal(status, { error: "No.", details: { reason } }, wait);
}

function open({ server = new Server(), browser = new Browser(), ...options } = {}) {
  const clock = { now: 0 };
  const told = { ended: [], waits: [] };
  const make = () => new Session({
    storage: browser, locks: browser.locks, ask: server.ask, now: () => clock.now,
    pause: async (time) => told.waits.push(time), ended: (...what) => told.ended.push(what), ...options,
  });
  return { server, browser, clock, told, make };
}

test("a session that its user ends is not asked for meanwhile, in no tab", async () => {
  const [asked, kept] = [[], new Map()];
  const storage = {
    getItem: (name) => kept.get(name) ?? null, setItem: (name, value) => kept.set(name, value),
    removeItem: (name) => kept.delete(name),
  };
  const ask = async (method, path) => {
    asked.push(path);
    // The server ends the sockets before it answers, and the pages ask why.
    if (path === "/api/auth/sign-out") await Promise.all([session.check(), tab.check()]);
    return { data: {} };
  };
  const said = [];
  const session = new Session({ storage, locks: null, ask });
  const tab = new Session({ storage, locks: null, ask, ended: (reason) => said.push(reason) });
  for (const one of [session, tab]) {
    one.user = { id: "ann" };
    one.begin({ accessToken: "a", expiresIn: 900, refreshToken: "r", user: { id: "ann" } });
  }
  await session.signOut();
  tab.changedElsewhere();
  assert.deepEqual(asked, ["/api/auth/sign-out"]);
  assert.deepEqual([session.user, tab.user, kept.size], [null, null, 0]);
  assert.deepEqual(said, ["You have signed out in another window."]);
});

test("a token is used until two minutes before its end, then refreshed once for all who ask", async () => {
  const { server, clock, make } = open();
  const session = make();
  session.begin(server.signIn());
  clock.now = 12 * MINUTE;
  assert.equal(await session.token(), "a1");
  clock.now = 13 * MINUTE;
  assert.deepEqual(await Promise.all([session.token(), session.token(), session.token()]), ["a2", "a2", "a2"]);
  assert.equal(server.refreshes, 1);
});

test("a server that asks for a new token gets one before the end of the old", async () => {
  const { server, make } = open();
  const session = make();
  session.begin(server.signIn());
  session.distrust();
  assert.equal(await session.token(), "a2");
});

test("the access token is not kept, and the refresh token is", async () => {
  const { server, browser, make } = open();
  make().begin(server.signIn());
  assert.deepEqual([...browser.items.values()].map((text) => JSON.parse(text)), [{ refreshToken: "r1", user: { id: "u1" } }]);
});

test("a page that is loaded again takes the session up", async () => {
  const { server, make } = open();
  make().begin(server.signIn());
  const session = make();
  assert.ok(session.isKept);
  await session.resume();
  assert.equal(session.user.email, "ann@example.com");
  assert.equal(await session.token(), "a2");
});

test("tabs that refresh at once use each other's newest token", async () => {
  const { server, clock, told, make } = open();
  const tabs = [make(), make(), make()];
  tabs[0].begin(server.signIn());
  for (const tab of tabs.slice(1)) await tab.resume();
  for (let round = 1; round <= 5; round += 1) {
    clock.now += 14 * MINUTE;
    await Promise.all(tabs.map((tab) => tab.token()));
  }
  assert.equal(server.refreshes, 2 + 3 * 5);
  assert.deepEqual(told.ended, []);
});

test("without locks a tab whose token was used by another tries the newer one", async () => {
  const { server, browser, told, make } = open({ locks: undefined });
  const [one, two] = [make(), make()];
  one.begin(server.signIn());
  await two.resume();
  one.distrust();
  // The other tab has just refreshed when the answer to this one comes.
  server.faults = [refusal(401, "SESSION_ENDED")];
  const asked = one.token();
  browser.setItem("rooms-session", JSON.stringify({ ...server.signIn(), user: { id: "u1" } }));
  assert.equal(await asked, `a${server.count}`);
  assert.deepEqual(told.ended, []);
});

test("a server that does not answer is asked again, and after the time that it names", async () => {
  const { server, told, make } = open();
  make().begin(server.signIn());
  const session = make();
  server.faults = [new Unreachable(), new Unreachable(), refusal(429, undefined, 20), refusal(503)];
  await session.resume();
  assert.deepEqual(told.waits, [1_000, 2_000, 20_000, 8_000]);
  assert.deepEqual(told.ended, []);
});

test("a request of the user fails at once when there is no connection, and the session goes on", async () => {
  const { server, clock, told, make } = open();
  const session = make();
  session.begin(server.signIn());
  clock.now = 14 * MINUTE;
  server.faults = [new Unreachable()];
  await assert.rejects(session.request("GET", "/api/rooms"), Unreachable);
  assert.deepEqual(await session.request("GET", "/api/rooms"), { data: { path: "/api/rooms" } });
  assert.deepEqual([told.ended, told.waits], [[], []]);
});

test("a request whose token is refused is sent again with a new one, once", async () => {
  const { server, told, make } = open();
  const session = make();
  session.begin(server.signIn());
  server.faults = [refusal(401, "TOKEN_EXPIRED")];
  await session.request("POST", "/api/rooms", {}, { "Idempotency-Key": "k" });
  assert.deepEqual(server.asked.map(({ path, token }) => [path, token]), [
    ["/api/rooms", "a1"], ["/api/auth/refresh", undefined], ["/api/rooms", "a2"]]);
  assert.deepEqual(server.asked.at(-1).headers, { "Idempotency-Key": "k" });
  assert.deepEqual(told.ended, []);
});

test("a session that was ended elsewhere is told once, with a sentence, and is not kept", async () => {
  const { server, browser, told, make } = open();
  const session = make();
  session.begin(server.signIn());
  server.hasEnded = true;
  await Promise.all([session.check(), session.check()]);
  assert.deepEqual(told.ended, [["Your session has ended. Sign in again to go on.", false]]);
  assert.equal(browser.items.size, 0);
  assert.equal(session.user, null);
  await assert.rejects(session.token(), Ended);
});

test("a sign-out ends the session here, on the server and in other tabs", async () => {
  const { server, told, make } = open();
  const [one, two] = [make(), make()];
  one.begin(server.signIn());
  await two.resume();
  one.distrust();
  await one.signOut();
  assert.equal(server.asked.at(-1).path, "/api/auth/sign-out");
  two.changedElsewhere();
  assert.deepEqual(told.ended, [["You have signed out.", true], ["You have signed out in another window.", false]]);
});

test("who signs out is told so, also when another tab has taken away what is kept before the answer", async () => {
  const { server, browser, told, make } = open();
  const session = make();
  session.begin(server.signIn());
  const { ask } = server;
  server.ask = async (...request) => {
    const answer = await ask(...request);
    browser.items.clear();
    session.changedElsewhere();
    return answer;
  };
  await session.signOut();
  assert.deepEqual(told.ended, [["You have signed out.", true]]);
});

for (const [what, change] of [
  ["has signed out", (browser) => browser.items.clear()],
  ["is signing out", (browser) => {
    const [[key, kept]] = browser.items;
    browser.items.set(key, JSON.stringify({ ...JSON.parse(kept), isLeaving: true }));
  }],
]) {
  test(`a refusal that comes before the news that another tab ${what} tells of the other tab`, async () => {
    const { server, browser, told, make } = open();
    const { ask } = server;
    server.ask = async (method, path, fields) => {
      if (path === "/api/auth/refresh") change(browser);
      return ask(method, path, fields);
    };
    const session = make();
    session.begin(server.signIn());
    server.hasEnded = true;
    await session.check();
    assert.deepEqual(told.ended, [["You have signed out in another window.", false]]);
    session.changedElsewhere();
    assert.equal(told.ended.length, 1);
  });
}

/** A session whose page asks for something else while its user leaves, and that request. */
function leaving(server, told) {
  const { ask } = server;
  const other = {};
  server.ask = async (method, path, fields) => {
    const answer = ask(method, path, fields);
    if (!/sign-out|end-account/.test(path)) return answer;
    await answer.then(() => (server.hasEnded = true), () => {});
    other.asked = session.request("GET", "/api/auth/account");
    other.asked.catch(() => {});
    // The refusal of that comes first.
    await new Promise((resolve) => setTimeout(resolve, 5));
    return answer;
  };
  const { make } = open({ server, ended: (...what) => told.push(what) });
  const session = make();
  session.begin(server.signIn());
  return { session, other };
}

test("a request that the server refuses while the user leaves changes nothing about what is told", async () => {
  for (const [leave, sentence] of [
    [(session) => session.signOut(), "You have signed out."],
    [(session) => session.endAccount({}), "Your account has ended."],
  ]) {
    const [server, told] = [new Server(), []];
    const { session, other } = leaving(server, told);
    await leave(session);
    await assert.rejects(other.asked, Ended);
    assert.equal(server.refreshes, 0);
    assert.deepEqual(told, [[sentence, true]]);
  }
});

test("a request that is refused while the user tries to leave in vain is sent again", async () => {
  const [server, told] = [new Server(), []];
  server.faults = [new Unreachable(), refusal(401, "TOKEN_EXPIRED")];
  const { session, other } = leaving(server, told);
  await assert.rejects(session.signOut(), Unreachable);
  assert.deepEqual(await other.asked, { data: { path: "/api/auth/account" } });
  assert.deepEqual([server.refreshes, told], [1, []]);
});

test("an account whose session has ended elsewhere does not end", async () => {
  const { server, told, make } = open();
  const session = make();
  session.begin(server.signIn());
  server.hasEnded = true;
  await assert.rejects(session.endAccount({}), Ended);
  assert.deepEqual(told.ended, [["Your session has ended. Sign in again to go on.", false]]);
});

test("a sign-out that the server does not hear ends nothing", async () => {
  const { server, told, make } = open();
  const session = make();
  session.begin(server.signIn());
  server.faults = [new Unreachable()];
  await assert.rejects(session.signOut(), Unreachable);
  assert.deepEqual(told.ended, []);
  assert.equal(await session.token(), "a1");
});

test("another user who signs in, in another tab, keeps the own session", async () => {
  const { server, browser, told, make } = open();
  const [one, two] = [make(), make()];
  one.begin(server.signIn());
  server.user = { id: "u2", name: "Bob", email: "" };
  two.begin(server.signIn());
  one.changedElsewhere();
  assert.equal(told.ended.length, 1);
  assert.equal(JSON.parse(browser.getItem("rooms-session")).user.id, "u2");
  assert.equal(await two.token(), "a2");
});

test("what is kept may be damaged: then there is no session", async () => {
  const { browser, make } = open();
  for (const text of ["", "{", "null", "1", "{}", '{"refreshToken":"r"}']) {
    browser.setItem("rooms-session", text);
    assert.equal(make().isKept, false);
    await assert.rejects(make().resume(), Ended);
  }
});
