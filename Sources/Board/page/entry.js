// An element as this client has it: what the server has told of it, and what the client has changed and the server does not
// have yet. Each is a plain object, so these are functions.

import { after, guess, hasMore } from "./text-difference.js";
import { transform } from "./text-edit.js";
import { TextWriter } from "./text-writer.js";
import { uniqueId } from "./unique.js";

/** What to tell the server next of an element, and which of its fields go with it. */
export function next(entry) {
  if (!entry.server) {
    const sent = { ...entry.local };
    // Sent again, it is the same note. What was written since is a change of it.
    if (entry.wasSent && "content" in sent) sent.content = entry.made ?? "";
    return { event: "element:create", fields: { ...sent, clientId: entry.key }, sent };
  }
  // Of that version the user has seen all that goes.
  if (entry.isDeleted) return { event: "element:delete", fields: { elementId: entry.server.id, version: entry.server.version }, sent: {} };
  if (entry.writer?.hasNext) {
    const sent = entry.writer.next(uniqueId());
    const { clientId, version, changes } = sent;
    return { event: "element:edit", fields: { elementId: entry.server.id, version, changes, clientId }, sent };
  }
  const sent = { ...entry.local };
  return { event: "element:update", fields: { ...sent, elementId: entry.server.id }, sent };
}

/** The name under which something was sent that has no answer yet. Sent again under another name, it would be made twice. */
export function owner({ server, writer, wasSent, by = null }) {
  const isOwed = server ? writer?.sent && writer.sent.isIn === undefined : wasSent;
  return isOwed ? by : null;
}

/** What was sent of an element is answered: of its fields only what was changed since is still to be sent. */
export function settle({ local }, sent, element, event) {
  for (const name in sent) {
    // A creation that was sent twice is answered with what the first one made.
    const isThere = event === "element:update" || same(element[name], local[name]);
    if (isThere && local[name] === sent[name]) delete local[name];
  }
}

/** The text that goes with an element before the server has all of it; undefined if it has. */
export function unsentText(entry) {
  return entry.writer && !entry.writer.isSettled ? entry.writer.text : entry.local.content;
}

/** Whether others have written in a deleted element what the user who deleted it has not seen. */
export function isWrittenIn({ isDeleted, seen = [""], server }) {
  return Boolean(isDeleted && server) && seen.every((text) => hasMore(server.content ?? "", text));
}

/** The texts of an element that its user knows: the one that is shown, and those that the server may have without what others write. */
export function known({ writer, made = "", server, local }) {
  return writer?.known ?? [local.content ?? server?.content ?? "", server?.content ?? made];
}

/** Takes what was written here while the element was being made, as a change of the text that is shown. */
export function takeWritten(entry, sent) {
  const { content = "" } = entry.server;
  // Sent twice, it is what the first one made, and others may have written in it.
  const base = same(content, sent.content) ? content : entry.made ?? "";
  const written = entry.local.content;
  delete entry.local.content;
  const changes = after(guess(base, content), guess(base, written), base);
  return entry.writer ? transform(guess(content, entry.writer.text), changes)[1] : changes;
}

/** An element that was made here goes on with what is known of it by its id, and with what was changed in that. */
export function takeOver(entry, { server, local = {}, writer = null, isDeleted = false, seen }) {
  Object.assign(entry, { server, writer });
  Object.assign(entry.local, local);
  if (isDeleted) Object.assign(entry, { isDeleted, seen });
}

/** What to keep of it outside of the page. */
export function recordOf({ server, local, writer, made, isDeleted = false, seen, wasSent = false, by }) {
  return { server, local: { ...local }, writer: writer?.record, made, isDeleted, seen, wasSent, by };
}

/** Takes up what was kept of an element. Gives what is to be written in a text that is here already. */
export function takeUp(entry, { local, writer, made, isDeleted, seen, wasSent, by }) {
  entry.local = { ...local, ...entry.local };
  Object.assign(entry, { isDeleted: Boolean(isDeleted || entry.isDeleted), seen: entry.seen ?? (seen && [seen].flat()), wasSent, made, isKept: true, isRestored: true });
  if (!entry.writer) entry.by = by;
  return writer && goOn(entry, TextWriter.restored(writer));
}

/** A text that was being written goes on, in what the server has now. */
function goOn(entry, writer) {
  const { content = "", version } = entry.server;
  if (!entry.writer) {
    if (!writer.isOf(content, version)) writer.reset(content, version);
    entry.writer = writer;
    return null;
  }
  // The user has gone on before the browser had told what it keeps.
  writer.rebase(content, version);
  const [here, kept] = [guess(content, entry.writer.text), guess(content, writer.text)];
  return transform(here, kept)[1];
}

export function isDirty(entry) {
  return hasNext(entry) || entry.writer?.isSettled === false;
}

/** Whether there is something to tell the server now. */
export function hasNext(entry) {
  return entry.isDeleted || !entry.server || Object.keys(entry.local).length > 0 || entry.writer?.hasNext === true;
}

export function view(entry) {
  const text = entry.writer && (entry.writer.text !== "" || entry.server.content !== undefined) ? { content: entry.writer.text } : {};
  return { ...entry.server, ...entry.local, ...text, key: entry.key, isPending: isDirty(entry) };
}

export function same(a, b) {
  return (a ?? null) === (b ?? null);
}
