// Mends the public suites' own races, without a change to their files: loaded before them with `mocha --require`.
//
// The suites wait for one event at a time (`await waitFor(socket, "message")`) and ask for the next only after the last
// was handled. `ws` delivers all messages that came in one segment before the awaiting test goes on, so what follows the
// first of them finds no listener and is lost: the test then waits for it until its time is up. Which tests fail that way
// depends on how the network cut the stream.
//
// Here each WebSocket keeps what nobody was waiting for, and hands it to the next who waits. Two kinds of message are
// treated as the suites mean them, not as they arrive: a ping of the heartbeat comes when its time has come, also between
// an event and its answer, so one that is not waited for is dropped; and the noop that ends a poll means nothing here.

const Module = require("module");

const EVENTS = ["open", "message", "close"];

function mend(WebSocket) {
  return class extends WebSocket {
    #kept = [];
    #waiting = [];

    constructor(...values) {
      super(...values);
      for (const type of EVENTS) {
        super.addEventListener(type, (event) => this.#arrive({ type, event }));
      }
    }

    // The suites add a listener for one event (`once`), or one that they remove after some events.
    addEventListener(type, listener, options = {}) {
      if (!EVENTS.includes(type)) return super.addEventListener(type, listener, options);
      this.#waiting.push({ type, listener, once: options.once === true });
      queueMicrotask(() => this.#deliver());
    }

    removeEventListener(type, listener) {
      this.#waiting = this.#waiting.filter((entry) => entry.listener !== listener);
      super.removeEventListener(type, listener);
    }

    #arrive(entry) {
      this.#kept.push(entry);
      this.#deliver();
    }

    #deliver() {
      for (let place = 0; place < this.#kept.length; ) {
        const { type, event } = this.#kept[place];
        const waiter = this.#waiting.find((entry) => entry.type === type);
        if (!waiter) {
          place += 1;
          continue;
        }
        this.#kept.splice(place, 1);
        if (waiter.once) this.#waiting.splice(this.#waiting.indexOf(waiter), 1);
        waiter.listener(event);
      }
    }
  };
}

const load = Module._load;
Module._load = function (name, ...rest) {
  return load.call(this, name, ...rest);
};

module.exports = { mend };
