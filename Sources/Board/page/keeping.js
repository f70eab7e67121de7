// Under which name the browser keeps what is done in a tab, and which tab takes it up again. On a server that lets everybody in, each tab
// is a user of its own. With a token all tabs are one user: each keeps what is its own, and takes up what a tab that is gone has left.

import { Outbox } from "./outbox.js";
import { uniqueId } from "./unique.js";

export class Keeping {
  #outbox = new Outbox();
  #user;
  #room;
  #late;
  /** Of this tab, behind the user's id. Empty where the user is of this tab alone. */
  #mark;
  /** Resolves when other tabs see that this one is there. */
  #isHeld = null;
  /** Other tabs, for whose end this one waits. */
  #awaited = new Set();
  /** Of a room's records, by `markOf`: what a tab that is gone has left, and this one has changed itself. It waits until the server has this one's. */
  #passedOver = new Set();
  #taking = Promise.resolve();

  /**
   * @param {object} options
   *   isShared: other tabs may be the same user; user(): the user, empty while it is not known; room(): the room that is shown;
   *   late(records): a tab that is gone now has left these in that room.
   */
  constructor({ isShared, user, room, late }) {
    // Pages without TLS have no locks. There all tabs share what is kept.
    const isLocked = isShared && Boolean(navigator.locks);
    this.#mark = isLocked ? `#${uniqueId()}` : isShared ? "#" : "";
    if (isLocked) this.#isHeld = hold(this.#mark);
    [this.#user, this.#room, this.#late] = [user, room, late];
  }

  /** Whether all of it would survive the end of the page now. */
  get isSafe() {
    return this.#outbox.isSafe;
  }

  /** Keeps a record of the room that is shown, or forgets it with null. */
  keep(key, record) {
    const user = this.#user();
    if (user && this.#room()) this.#outbox.save(this.#owner(user), this.#room().id, key, record);
  }

  /** Keeps what becomes of a room's changes, also when the room has been left before the server answers. */
  follow(room) {
    let user = this.#user();
    room.on("kept", (key, record) => {
      const shown = this.#room();
      if (shown === room) user = this.#user();
      // In a room that was entered again they are taken up there.
      if (!user || (shown !== room && shown?.id === room.id)) return;
      this.#outbox.save(this.#owner(user), room.id, key, record);
      if (record === null && this.#passedOver.delete(markOf(room.id, key))) this.#awaitOthers(user, room.id);
    });
    // Of a tab that has ended since the room was loaded.
    this.#awaitOthers(user, room.id);
  }

  /** What is kept of a room and no other tab has, as `[key, record]`. */
  async load(roomId) {
    const user = this.#user();
    if (!user) return [];
    const own = this.#owner(user);
    if (this.#isHeld) {
      await this.#isHeld;
      const others = await this.#others(user, roomId);
      await Promise.all(others.map((other) => this.#adopt(other, own, roomId)));
    }
    return this.#outbox.load(own, roomId);
  }

  #owner(user) {
    return user + this.#mark;
  }

  /** The user's other tabs, also those that are gone, of which something of a room is kept. */
  async #others(user, roomId) {
    // The ids of other users may begin so, too.
    const owners = (await this.#outbox.owners(`${user}#`, roomId)).filter((owner) => userOf(owner) === user);
    return owners.filter((owner) => owner !== this.#owner(user));
  }

  /** Makes what another tab has left this one's, or waits for the end of that tab. */
  async #adopt(other, own, roomId) {
    const isGone = await navigator.locks.request(lockOf(other), { ifAvailable: true }, (lock) => lock && this.#take(other, own, roomId));
    if (!isGone) this.#await(other);
  }

  async #awaitOthers(user, roomId) {
    if (!this.#isHeld || !user) return;
    for (const other of await this.#others(user, roomId)) this.#await(other);
  }

  /** When the other tab is gone, what it has left of the room that is shown then is taken, and told as `late`. The rest is for tabs that show its room. */
  #await(other) {
    if (this.#awaited.has(other)) return;
    this.#awaited.add(other);
    navigator.locks.request(lockOf(other), async () => {
      this.#awaited.delete(other);
      const [user, roomId] = [this.#user(), this.#room()?.id];
      if (!roomId || userOf(other) !== user) return;
      const left = await this.#take(other, this.#owner(user), roomId);
      if (this.#user() === user && this.#room()?.id === roomId) this.#late(left);
    });
  }

  /** One after another: two tabs may have left changes of the same. */
  #take(...what) {
    this.#taking = this.#taking.then(() => this.#takeNow(...what));
    return this.#taking;
  }

  async #takeNow(other, own, roomId) {
    const all = await this.#outbox.load(other, roomId);
    // Before it is known what there is of one's own: an answer that comes meanwhile has it looked for once more.
    for (const [key] of all) this.#passedOver.add(markOf(roomId, key));
    const known = new Set((await this.#outbox.load(own, roomId)).map(([key]) => key));
    const left = all.filter(([key]) => !known.has(key));
    for (const [key, record] of left) {
      this.#passedOver.delete(markOf(roomId, key));
      this.#outbox.save(own, roomId, key, record);
      this.#outbox.save(other, roomId, key, null);
    }
    await this.#outbox.written();
    return left;
  }
}

function markOf(roomId, key) {
  return JSON.stringify([roomId, key]);
}

/** An owner is a user's id, and behind it the mark of a tab. */
function userOf(owner) {
  return owner.slice(0, owner.lastIndexOf("#"));
}

function lockOf(owner) {
  return `rooms-tab${owner.slice(owner.lastIndexOf("#"))}`;
}

/** Resolves when this tab has its lock, which it gives back when it is gone. */
function hold(mark) {
  return new Promise((resolve) => {
    navigator.locks.request(lockOf(mark), () => {
      resolve();
      return new Promise(() => {});
    });
  });
}
