// The room that the page's address names.

/** `otherwise` is the room of an address that names none. */
export function roomOfAddress(otherwise) {
  return decoded(location.hash.slice(1)) || new URLSearchParams(location.search).get("room") || otherwise;
}

/** The text that a part of an address stands for; one that is no such part stands for itself. */
function decoded(part) {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/** A random id, in letters that are not mistaken for one another. */
export function newRoomId() {
  const letters = crypto.getRandomValues(new Uint8Array(10));
  return `room-${Array.from(letters, (byte) => "abcdefghjkmnpqrstuvwxyz23456789"[byte % 31]).join("")}`;
}
