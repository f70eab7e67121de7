// The elements of one room, as its log tells them, with the changes of this client on top until the server has them.
//
// Every element that is shown has a `key`, which stays the same from the moment it is made here until it is gone, also
// when the server gives it an id in between. Changes of one element go out one at a time: what changes while one is on
// its way goes with the next. So a drag makes as many updates as the line takes, and after a time offline what goes out
// is one creation, update or deletion for each element.

import { isDirty, isWrittenIn, known, owner, recordOf, settle, takeOver, takeUp, takeWritten, unsentText, view } from "./entry.js";
import { Sender } from "./sender.js";
import { difference } from "./text-difference.js";
import { apply, changesNothing } from "./text-edit.js";
import { TextWriter } from "./text-writer.js";
import { uniqueId } from "./unique.js";

const GONE_MAX = 1_000;

export class Elements {
  #entries = new Map();
  #keys = new Map();
  /** Ids that were deleted of late: an answer that comes after it brings nothing back. */
  #gone = new Set();
  /** Own elements that came before the answer which says what they are called here. */
  #unclaimed = new Map();
  #sender;
  #on;
  #self;

  /**
   * @param {object} room
   *   ask(event, fields): a promise of the ack; self(): one's own user id; name(), isStandIn(): see `Sender`;
   *   changed(element, how, {by, text}), with how `added`, `changed` or `removed`; by: `self`, `others`, or `server`, which
   *   refused it; text: what was written and goes with a removed element, undefined if the server had all of it;
   *   refused(error, event, element, text): a change is undone; text: what was written, if it goes with it;
   *   kept(key, record): what to keep of an element's changes until the server has answered, null when it has;
   *   text(key, changes, userId): a user has changed a text, in the form of docs/PROTOCOL.md, of what is shown here.
   */
  constructor({ ask, self, name = () => null, isStandIn = () => false, changed, refused, kept = () => {}, text = () => {} }) {
    this.#self = self;
    this.#on = { changed: (element, how, why = { by: "others" }) => changed(element, how, why), refused, kept, text };
    this.#sender = new Sender({
      ask, name, isStandIn, entries: () => [...this.#entries.values()], isThere: (entry) => this.#entries.get(entry.key) === entry,
      sending: (entry) => this.#keep(entry),
      accepted: (...what) => this.#accepted(...what), denied: (...what) => this.#denied(...what), done: (entry) => this.#done(entry),
    });
  }

  // What is there

  get(key) {
    const entry = this.#entries.get(key);
    return entry && !entry.isDeleted ? view(entry) : undefined;
  }

  *[Symbol.iterator]() {
    for (const entry of this.#entries.values()) if (!entry.isDeleted) yield view(entry);
  }

  /** The element's key, for an id of the server's. */
  keyOf(id) {
    return this.#keys.get(id);
  }

  /** How many elements have changes that the server has not answered. */
  get pending() {
    return [...this.#entries.values()].filter(isDirty).length;
  }

  // What the server tells

  /** The whole state. What was made here and is not there yet stays. */
  reset(list) {
    const ids = new Set(list.map(({ id }) => id));
    for (const entry of [...this.#entries.values()]) {
      if (entry.server && !ids.has(entry.server.id)) this.#remove(entry);
    }
    this.#unclaimed.clear();
    // A server that was killed may have told deletions that it had not stored.
    for (const id of ids) this.#gone.delete(id);
    for (const element of list) {
      const entry = this.#entry(element.id);
      if (!entry) this.created(element);
      else if (entry.writer || JSON.stringify(entry.server) !== JSON.stringify(element)) this.#replace(entry, element);
    }
  }

  /** A server that was killed may have lost versions that were not stored. */
  #replace(entry, element) {
    const { content = "", version } = element;
    const [before, changes] = [entry.server.content ?? "", entry.writer?.reset(content, version)];
    entry.server = element;
    this.#wrote(entry, changes ?? difference(before, content));
  }

  created(element) {
    if (this.#keys.has(element.id)) return this.updated(element);
    if (this.#gone.has(element.id)) return;
    if (element.createdBy === this.#self() && this.#isCreating()) return this.#unclaimed.set(element.id, element);
    const entry = { key: element.id, server: element, local: {} };
    this.#entries.set(entry.key, entry);
    this.#keys.set(element.id, entry.key);
    this.#on.changed(view(entry), "added");
  }

  updated(element) {
    if (this.#unclaimed.has(element.id)) return this.#unclaimed.set(element.id, element);
    const entry = this.#entry(element.id);
    if (!entry) return;
    const { content = "", version, updatedBy, clientId } = element;
    const changes = entry.writer?.updated(content, version, clientId);
    if (element.version <= entry.server.version) return changes && this.#wrote(entry, changes, updatedBy);
    const before = entry.server.content ?? "";
    entry.server = element;
    if (!entry.isDeleted) this.#on.changed(view(entry), "changed");
    if (changes || before !== content) this.#wrote(entry, changes ?? difference(before, content), updatedBy);
  }

  /** A text was changed: `changes` are those of its text in the version before. */
  edited({ elementId, version, changes, userId, clientId, updatedAt }) {
    const unclaimed = this.#unclaimed.get(elementId);
    const entry = unclaimed ? { server: unclaimed } : this.#entry(elementId);
    if (!entry) return;
    const seen = entry.writer?.edited(changes, version, clientId);
    const isNext = version === entry.server.version + 1;
    if (isNext) {
      const content = apply(entry.server.content ?? "", changes) ?? entry.server.content;
      entry.server = { ...entry.server, content, version, updatedAt, updatedBy: userId };
    }
    if (unclaimed) return this.#unclaimed.set(elementId, entry.server);
    if (entry.writer || isNext) this.#wrote(entry, entry.writer ? seen : changes, userId);
  }

  /** The text that is shown has changed, or the server has more of it. */
  #wrote(entry, changes, userId) {
    if (isWrittenIn(entry)) this.#spare(entry);
    if (!entry.isDeleted) {
      if (changes && !changesNothing(changes)) this.#on.text(entry.key, changes, userId);
      this.#on.changed(view(entry), "changed");
    }
    // What the server has all of needs no writer.
    if (entry.writer?.isSettled && entry.writer.version === entry.server.version) entry.writer = null;
    this.#keep(entry);
    this.#sender.push(entry);
  }

  /** Nobody loses a word: what others have written since is not deleted unseen. */
  #spare(entry) {
    entry.isDeleted = false;
    this.#on.changed(view(entry), "added");
    this.#on.refused({ code: "WRITTEN", message: "Somebody wrote in this meanwhile, so it is not deleted." }, "element:delete", view(entry));
  }

  deleted({ elementId }) {
    this.#gone.add(elementId);
    if (this.#gone.size > GONE_MAX) this.#gone.delete(this.#gone.values().next().value);
    this.#unclaimed.delete(elementId);
    const entry = this.#entry(elementId);
    if (entry) this.#remove(entry);
  }

  #entry(id) {
    return this.#entries.get(this.#keys.get(id));
  }

  /** Whether the server may have made something of which it is not known yet what it is called here. */
  #isCreating() {
    return [...this.#entries.values()].some((entry) => !entry.server && entry.wasSent);
  }

  #remove(entry, by = "others") {
    this.#entries.delete(entry.key);
    if (entry.server) this.#keys.delete(entry.server.id);
    this.#sender.removed(entry);
    this.#keep(entry);
    if (!entry.isDeleted) this.#on.changed(view(entry), "removed", { by, text: unsentText(entry) });
  }

  // What is kept

  /** Takes up changes that were kept, as `[key, record]`, before or after the room is joined. */
  restore(records) {
    for (const [key, record] of records) {
      const { server } = record;
      const there = server && this.#entry(server.id);
      if (there ? there.isRestored : this.#entries.has(key)) continue;
      const entry = there ?? { key, server, local: {} };
      const changes = takeUp(entry, record);
      if (changes) this.#write(entry, changes);
      this.#entries.set(entry.key, entry);
      if (server) this.#keys.set(server.id, entry.key);
      if (entry.key !== key) this.#on.kept(key, null);
      this.#keep(entry);
      if (entry.isDeleted && there) this.#on.changed(view(entry), "removed", { by: "self" });
      if (!entry.isDeleted) this.#on.changed(view(entry), there ? "changed" : "added", { by: "self" });
      if (isWrittenIn(entry)) this.#spare(entry);
      this.#sender.push(entry);
    }
  }

  #keep(entry) {
    const isKept = this.#entries.get(entry.key) === entry && isDirty(entry);
    if (!isKept && !entry.isKept) return;
    entry.isKept = isKept;
    // What another tab has left of it may be taken up later.
    if (!isKept) entry.isRestored = false;
    this.#on.kept(entry.key, isKept ? recordOf(entry) : null);
  }

  // What is done here

  /** Makes an element at once; the server hears of it as soon as there is a connection, and makes one for each key. Gives the key. */
  create(fields, key = `new-${uniqueId()}`) {
    if (this.#entries.has(key)) return key;
    const entry = { key, server: null, local: { ...fields } };
    this.#entries.set(key, entry);
    this.#keep(entry);
    this.#on.changed(view(entry), "added", { by: "self" });
    this.#sender.push(entry);
    return key;
  }

  update(key, fields) {
    const entry = this.#entries.get(key);
    if (!entry || entry.isDeleted) return;
    const { content, ...others } = fields;
    // The server merges what several write, once it has the element.
    if (entry.server && typeof content === "string") this.#write(entry, difference(view(entry).content ?? "", content));
    else if (content !== undefined) entry.local.content = content;
    Object.assign(entry.local, others);
    this.#keep(entry);
    this.#on.changed(view(entry), "changed", { by: "self" });
    this.#sender.push(entry);
  }

  /** Changes a text: an array of lengths to keep, negative lengths to remove, and texts to insert. */
  write(key, changes) {
    const entry = this.#entries.get(key);
    if (!entry || entry.isDeleted) return;
    if (entry.server) this.#write(entry, changes);
    else entry.local.content = apply(entry.local.content ?? "", changes) ?? entry.local.content;
    this.#keep(entry);
    this.#on.changed(view(entry), "changed", { by: "self" });
    this.#sender.push(entry);
  }

  #write(entry, changes) {
    entry.writer ??= new TextWriter(entry.server.content ?? "", entry.server.version);
    entry.writer.write(changes);
    this.#on.text(entry.key, changes, this.#self());
  }

  delete(key) {
    const entry = this.#entries.get(key);
    if (!entry || entry.isDeleted) return;
    this.#on.changed(view(entry), "removed", { by: "self" });
    [entry.seen, entry.isDeleted] = [known(entry), true];
    // What the server never heard of needs no deletion. What it has told is not shown while an edit is on its way after a reset.
    if (!entry.server && !entry.wasSent) return this.#remove(entry);
    if (entry.writer && entry.writer.version !== entry.server.version && isWrittenIn(entry)) return this.#spare(entry);
    this.#keep(entry);
    this.#sender.push(entry);
  }

  // On its way to the server

  /** There is a connection, and the room is joined: whatever has no answer goes out, again if need be. */
  open() {
    this.#sender.open();
  }

  close() {
    this.#sender.close();
  }

  /** Sends only what was sent before, on later connections too. Resolves when that has its answer; then it is closed. */
  rest() {
    return this.#sender.rest();
  }

  /** The names under which something is to be sent again: see `owner`. */
  get owners() {
    return [...this.#entries.values()].map(owner).filter(Boolean);
  }

  /** Those names cannot come back: this one sends it again, though it may be made twice then. */
  adopt() {
    for (const entry of this.#entries.values()) entry.by = null;
  }

  #accepted(entry, event, sent, { element, version }) {
    if (event === "element:delete") return this.#remove(entry);
    if (event === "element:edit") {
      // An edit that was merged, or made before, is answered with the whole element.
      const changes = entry.writer?.accepted(sent, version ?? element?.version, element && (element.content ?? ""));
      if (element?.version > entry.server.version) entry.server = element;
      return this.#wrote(entry, changes);
    }
    if (event === "element:create") {
      // What others do to it may be told before the answer comes.
      const twin = this.#entry(element.id);
      takeOver(entry, twin ?? { server: this.#unclaimed.get(element.id) ?? null });
      this.#unclaimed.delete(element.id);
      if (twin) this.#remove(twin, "self");
      if (this.#gone.has(element.id)) return this.#remove(entry);
      this.#keys.set(element.id, entry.key);
    }
    const before = entry.server?.content ?? "";
    if (!(entry.server?.version >= element.version)) entry.server = element;
    if (event === "element:update" && !entry.writer) this.#wrote(entry, difference(before, entry.server.content ?? ""));
    settle(entry, sent, element, event);
    if (event === "element:create" && typeof entry.local.content === "string") this.#write(entry, takeWritten(entry, sent));
    if (isWrittenIn(entry)) this.#spare(entry);
    if (!entry.isDeleted) this.#on.changed(view(entry), "changed");
  }

  #denied(entry, event, error, sent) {
    const [shown, text] = [view(entry), unsentText(entry)];
    const { writer } = entry;
    if (error.code === "CONFLICT" && error.details?.element) {
      const { element, isMade } = error.details;
      const changes = event === "element:edit" ? writer?.conflicted(sent, element.version, element.content ?? "", isMade) : null;
      if (element.version > entry.server.version) entry.server = element;
      return this.#wrote(entry, changes);
    }
    if (event === "element:edit" && error.code !== "NOT_FOUND") {
      this.#wrote(entry, writer?.refused(sent));
      return this.#on.refused(error, event, shown, text);
    }
    if (!entry.server || error.code === "NOT_FOUND") {
      this.#remove(entry, entry.server ? "others" : "server");
      if (event === "element:delete" || error.code === "NOT_FOUND") return;
      this.#on.refused(error, event, shown);
    } else {
      // The server's word stands.
      entry.local = {};
      const wasDeleted = entry.isDeleted;
      entry.isDeleted = false;
      if (wasDeleted) this.#on.changed(view(entry), "added");
      this.#keep(entry);
      this.#on.changed(view(entry), "changed");
      this.#on.refused(error, event, shown, text);
    }
  }

  #done(entry) {
    this.#keep(entry);
    // No creation is on its way: what is left was made by another device of the same person.
    if (this.#isCreating()) return;
    const rest = [...this.#unclaimed.values()];
    this.#unclaimed.clear();
    for (const element of rest) this.created(element);
  }
}
