// What one has done and the server has not answered yet, kept by the browser: it survives a reload, another room and the
// end of the browser. Each owner, a user or a tab of one, has a part for each room.

const NAME = "rooms-outbox";
const STORE = "changes";

export class Outbox {
  #database;
  /** What is to be written next, by its key as JSON; null is to be forgotten. */
  #next = new Map();
  /** A promise while something is being written. */
  #writing = null;
  #hasFailed = false;
  /** The open database, from the page's end until the page comes back; otherwise null. */
  #ending = null;

  constructor(factory = globalThis.indexedDB) {
    let open = null;
    this.#database = opened(factory).then((database) => (open = database), () => null);
    globalThis.addEventListener?.("pagehide", () => {
      this.#ending = open;
      this.#flush();
    });
    globalThis.addEventListener?.("pageshow", () => (this.#ending = null));
  }

  /** Whether all of it would survive the end of the page now. */
  get isSafe() {
    return !this.#hasFailed && !this.#writing && this.#next.size === 0;
  }

  /** What is kept of a room, as `[key, record]` in the order of the keys. */
  load(owner, roomId) {
    return this.#read(async (store) => {
      const range = IDBKeyRange.bound([owner, roomId], [owner, roomId, []]);
      const [keys, records] = await Promise.all([done(store.getAllKeys(range)), done(store.getAll(range))]);
      return keys.map(([, , key], index) => [key, records[index]]);
    });
  }

  /** Of whom there is something of a room, among those whose names begin so. */
  owners(beginning, roomId) {
    return this.#read(async (store) => {
      const keys = await done(store.getAllKeys(IDBKeyRange.bound([beginning], [`${beginning}\uffff`])));
      return [...new Set(keys.filter(([, room]) => room === roomId).map(([owner]) => owner))];
    });
  }

  async #read(question) {
    try {
      const database = await this.#database;
      if (!database) throw new Error("there is no database");
      // A room that is left and entered again has also what was done in it last.
      await this.#writing;
      return await question(database.transaction(STORE).objectStore(STORE));
    } catch {
      // The browser keeps nothing, as in some private windows. The page warns before it is closed.
      this.#hasFailed = true;
      return [];
    }
  }

  /** Keeps a record, or forgets it with null. Records of one moment are written together. */
  save(owner, roomId, key, record) {
    this.#next.set(JSON.stringify([owner, roomId, key]), record);
    if (this.#ending) this.#flush();
    else this.#writing ??= this.#write();
  }

  /** Writes at once: a page that ends gets no more events, so it cannot wait for the transaction before. IndexedDB keeps their order. */
  #flush() {
    if (!this.#ending || this.#next.size === 0) return;
    written(this.#ending, [...this.#next]).catch(() => (this.#hasFailed = true));
    this.#next.clear();
  }

  /** Resolves when all is written. */
  async written() {
    await this.#writing;
  }

  async #write() {
    const database = await this.#database;
    while (this.#next.size) {
      const batch = [...this.#next];
      this.#next.clear();
      try {
        await written(database, batch);
      } catch {
        this.#hasFailed = true;
      }
    }
    this.#writing = null;
  }
}

function opened(factory) {
  const request = factory.open(NAME, 1);
  request.onupgradeneeded = () => request.result.createObjectStore(STORE);
  return done(request);
}

/** Asynchronous, so that also a database that was closed meanwhile only fails the promise. */
async function written(database, batch) {
  const transaction = database.transaction(STORE, "readwrite");
  const store = transaction.objectStore(STORE);
  for (const [key, record] of batch) {
    if (record === null) store.delete(JSON.parse(key));
    else store.put(record, JSON.parse(key));
  }
  // Also when the page ends now.
  transaction.commit();
  return new Promise((resolve, reject) => {
    transaction.oncomplete = resolve;
    transaction.onerror = transaction.onabort = () => reject(transaction.error);
  });
}

function done(request) {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
}
