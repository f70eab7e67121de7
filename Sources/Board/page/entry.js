// An element as this client has it: what the server has told of it, and what the client has changed and the server does not
// have yet. Each is a plain object, so these are functions.

import { uniqueId } from "./unique.js";

/** What to tell the server next of an element, and which of its fields go with it. */
export function next(entry) {
  if (!entry.server) {
    const sent = { ...entry.local };
    return { event: "element:create", fields: { ...sent, clientId: entry.key }, sent };
  }
  if (entry.isDeleted) return { event: "element:delete", fields: { elementId: entry.server.id }, sent: {} };
  if (entry.writer?.hasNext) {
    const sent = entry.writer.next(uniqueId());
    const { clientId, version, changes } = sent;
    return { event: "element:edit", fields: { elementId: entry.server.id, version, changes, clientId }, sent };
  }
  const sent = { ...entry.local };
  return { event: "element:update", fields: { ...sent, elementId: entry.server.id }, sent };
}

/** The text that goes with an element before the server has all of it; undefined if it has. */
export function unsentText(entry) {
  return entry.writer && !entry.writer.isSettled ? entry.writer.text : entry.local.content;
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
