// This client's side of a text that several write at once: the text as the server told it last, one edit on its way to the
// server, and what was written since. What others write changes all of them (docs/PROTOCOL.md). The base is always the server's
// text, so all clients reach the same text whatever happens on the way.

import { after, difference, guess } from "./text-difference.js";
import { apply, changesNothing, compose, includes, invert, nothing, transform, withoutRepetition } from "./text-edit.js";

/** An edit with more parts is sent as the difference of the texts: the server takes 512. */
const PARTS_MAX = 256;

export class TextWriter {
  /** The text that the user sees. */
  text;
  /**
   * `{clientId, version, changes}`: as it was sent, and as it is sent again. `isAnswered`: it need not be sent again now.
   * `isIn`: the version whose text has it, as its ack says.
   */
  sent = null;

  #version;
  #base;
  /** The edit on its way, as a change of the base; and what was written since, as a change of the text after that. */
  #outgoing = null;
  #waiting = null;
  /** The server's text where it is not known whether the edit on its way is in it. */
  #ahead = null;
  /**
   * What takes the edit on its way out of the base, if it was told and is not acked: a server that is killed has stored what it
   * has acked, and maybe not what it has told.
   */
  #takesBack = null;

  /** Whether the edit on its way may be one that is not known here: it was sent as the page ended. */
  #mayRepeat = false;

  constructor(text, version) {
    this.text = this.#base = text;
    this.#version = version;
  }

  // Over the end of the page

  /** What to keep until the server has it, to go on with `restored`. */
  get record() {
    const { text, sent } = this;
    const [base, version, outgoing, waiting, takesBack] = [this.#base, this.#version, this.#outgoing, this.#waiting, this.#takesBack];
    return { base, version, text, sent: sent && { ...sent }, outgoing, waiting, takesBack };
  }

  static restored({ base, version, text, sent, outgoing, waiting, takesBack = null }) {
    const writer = new TextWriter(base, version);
    Object.assign(writer, { text, sent: sent && { ...sent, isAnswered: false } });
    [writer.#outgoing, writer.#waiting, writer.#takesBack, writer.#mayRepeat] = [outgoing, waiting, takesBack, true];
    return writer;
  }

  /** The text that is shown, and those that the server may have without what others write. */
  get known() {
    return [this.text, this.#base, this.#outgoing ? apply(this.#base, this.#outgoing) : this.#base];
  }

  /** Whether the server has all that was written here. */
  get isSettled() {
    return !this.sent && !this.#waiting;
  }

  /** Whether there is something to send now. */
  get hasNext() {
    return this.sent ? !this.sent.isAnswered : this.#waiting !== null;
  }

  get version() {
    return this.#version;
  }

  /** Whether this is the text that the server told last. */
  isOf(text, version) {
    return version === this.#version && text === this.#base;
  }

  // Here

  write(changes) {
    const text = apply(this.text, changes);
    if (text === null || changesNothing(changes)) return;
    this.text = text;
    this.#waiting = this.#waiting ? compose(this.#waiting, changes) : changes;
  }

  /** The edit to send now. */
  next(clientId) {
    if (this.sent) return this.sent;
    let changes = this.#waiting;
    if (changes.length > PARTS_MAX) changes = difference(this.#base, this.text);
    [this.#outgoing, this.#waiting] = [changes, null];
    this.sent = { clientId, version: this.#version, changes, isAnswered: false };
    this.#mayRepeat = false;
    return this.sent;
  }

  /** There is a new connection: the edit on its way may not have arrived. */
  reconnected() {
    if (this.sent) this.sent.isAnswered = false;
  }

  // What the server tells. All of these give the change of the text that the user sees.

  /** Someone has changed the text, in the log's order. Null when a version is missing. */
  edited(changes, version, clientId) {
    const { text: before, version: known } = this.#told;
    if (version <= known) return nothing(this.text.length);
    const text = version === known + 1 ? apply(before, changes) : null;
    if (text === null) return null;
    if (this.#isOnItsWay(clientId)) return this.#confirmed(text, version, this.sent.isAnswered ? null : invert(before, changes));
    return this.#ahead ? this.#wait(text, version) : this.#follow(changes, text, version);
  }

  /** The whole element, in the log's order. The edit on its way may be in it, if the server has restarted. */
  updated(text, version, clientId) {
    const { text: before, version: known } = this.#told;
    if (version <= known) return nothing(this.text.length);
    if (this.#isOnItsWay(clientId)) return this.#confirmed(text, version, this.sent.isAnswered ? null : difference(text, before));
    if (!this.#outgoing) return this.#moveTo(text, version);
    // Its answer came before.
    if (this.sent.isIn <= version) return this.#confirmed(text, version);
    const isSame = !this.#ahead && text === this.#base;
    return isSame ? this.#follow(nothing(text.length), text, version) : this.#wait(text, version);
  }

  /** The state of the room: what happened before is not known. */
  reset(text, version) {
    this.#untell();
    if (!this.sent) return this.rebase(text, version, this.#mayRepeat ? undefined : false);
    return this.sent.isIn <= version ? this.#confirmed(text, version) : this.#wait(text, version);
  }

  /** All that was written here becomes a new edit of this text. `isMade`: false when that does not have it already. */
  rebase(text, version, isMade) {
    // The edit on its way may be in it. Then others may have written on right behind it, too.
    if (isMade !== false && this.#outgoing && includes(difference(this.#base, text), this.#outgoing)) {
      [this.#base, this.#outgoing] = [apply(this.#base, this.#outgoing), null];
    }
    const parts = [this.#outgoing, this.#waiting].filter(Boolean);
    const written = parts.length === 2 ? compose(...parts) : parts[0] ?? null;
    this.#waiting = written && isMade !== false ? withoutRepetition(written, difference(this.#base, text)) : written;
    this.sent = this.#outgoing = this.#ahead = this.#takesBack = null;
    this.#mayRepeat = false;
    // What is left of an insertion goes on behind the part of it that is there.
    const isBehind = written !== null && apply(this.#base, written) !== apply(this.#base, this.#waiting);
    return this.#moveTo(text, version, isBehind);
  }

  /** The edit is in the text of that version. Without `text` that is what this client has made of the version it named. */
  accepted(sent, version, text) {
    if (this.sent !== sent) return nothing(this.text.length);
    if (!this.#outgoing) return this.#settle();
    sent.isAnswered = true;
    sent.isIn = version;
    if (!this.#ahead) return nothing(this.text.length);
    const answered = text ?? apply(this.#ahead.text, sent.changes);
    if (version <= this.#ahead.version || answered === null) return this.#confirmed(this.#ahead.text, this.#ahead.version);
    return this.#confirmed(answered, version);
  }

  /**
   * The server cannot merge the edit: all that was written here becomes a new edit of its current text. `isMade`: false when the
   * server knows that the text does not have the edit.
   */
  conflicted(sent, version, text, isMade) {
    if (this.sent !== sent) return nothing(this.text.length);
    // What was told after the server has sent its text is newer.
    const newest = this.#told.version > version ? this.#told : { version, text };
    return this.rebase(newest.text, newest.version, isMade);
  }

  /** The server does not take the edit at all. It is taken back. */
  refused(sent) {
    if (this.sent !== sent) return nothing(this.text.length);
    if (!this.#outgoing) return this.#settle();
    const [changes, newest] = [invert(this.#base, this.#outgoing), this.#told];
    this.sent = this.#outgoing = this.#ahead = null;
    return compose(this.#follow(changes, this.#base, this.#version), this.#moveTo(newest.text, newest.version));
  }

  // Moving on

  /** What the server has told last. */
  get #told() {
    return this.#ahead ?? { version: this.#version, text: this.#base };
  }

  /** It is not known whether the edit on its way is in this text: its answer tells. */
  #wait(text, version) {
    this.#ahead = { version, text };
    return nothing(this.text.length);
  }

  /** The base becomes another text by these changes. */
  #follow(changes, text, version) {
    [this.#base, this.#version] = [text, version];
    if (this.#takesBack) [, this.#takesBack] = transform(changes, this.#takesBack);
    if (this.#outgoing) [changes, this.#outgoing] = transform(changes, this.#outgoing);
    if (this.#waiting) {
      [changes, this.#waiting] = transform(changes, this.#waiting);
      if (changesNothing(this.#waiting)) this.#waiting = null;
    }
    this.text = apply(this.text, changes) ?? this.text;
    return changes;
  }

  /** The base becomes another text, and what has changed it is not known. No edit is on its way. */
  #moveTo(text, version, isBehind = false) {
    const since = guess(this.#base, text);
    if (this.#takesBack) [, this.#takesBack] = transform(since, this.#takesBack);
    const waiting = this.#waiting && after(since, this.#waiting, this.#base, isBehind);
    [this.#base, this.#version] = [text, version];
    this.#waiting = waiting && changesNothing(waiting) ? null : waiting;
    return this.#show(waiting ? apply(text, waiting) : text);
  }

  #isOnItsWay(clientId) {
    return clientId !== undefined && clientId === this.sent?.clientId && this.#outgoing !== null;
  }

  /** The edit on its way is in this text. `takesBack` takes it out, if it is not known to be stored. */
  #confirmed(text, version, takesBack = null) {
    this.#base = apply(this.#base, this.#outgoing);
    if (!takesBack) this.sent = null;
    this.#outgoing = this.#ahead = this.#takesBack = null;
    const changes = this.#moveTo(text, version);
    this.#takesBack = takesBack;
    return changes;
  }

  /** What was told before has its answer now. */
  #settle() {
    this.sent = this.#takesBack = null;
    return nothing(this.text.length);
  }

  /** The server may not have the edit any more that it has told. */
  #untell() {
    if (!this.#takesBack) return;
    this.#outgoing = invert(this.#base, this.#takesBack);
    this.#base = apply(this.#base, this.#takesBack);
    this.#takesBack = null;
  }

  #show(text) {
    const changes = difference(this.text, text);
    this.text = text;
    return changes;
  }
}
