// In one place: how it stands with the connection and the room, in a word for the bar, and in a sentence with the way back
// when something is wrong. It needs no page.

const WORDS = { connecting: "Connecting…", offline: "Offline", refused: "Not connected", closed: "Not connected" };
const NAME_BYTES_MAX = 128;
/** So few changes are on their way in any case. */
const USUAL = 8;

/**
 * @param {object} what
 *   connection: the client's state; refusal: `{reason}` of a refused one; roomId; isJoined; closed: `{reason, code}` of a room that
 *   is not open; pending: how many changes the server does not have
 * @returns {{state: string, label: string, trouble: ?{title: string, text: string, again: string}}}
 */
export function standing({ connection, refusal = null, roomId = "", isJoined = false, closed = null, pending = 0 }) {
  const kept = pending ? `, ${pending} ${pending === 1 ? "change" : "changes"} kept` : "";
  if (connection === "refused") {
    const trouble = { title: "You are not connected", text: sentence(refusal?.reason), again: "Connect again" };
    return { state: "refused", label: WORDS.refused + kept, trouble };
  }
  if (connection !== "online") return { state: connection, label: WORDS[connection] + kept, trouble: closed && troubleOf(roomId, closed) };
  if (closed) return { state: "closed", label: `Not in the room${kept}`, trouble: troubleOf(roomId, closed) };
  if (!isJoined) return { state: "connecting", label: `Joining…${kept}`, trouble: null };
  return { state: "online", label: pending > USUAL ? `Live, sending ${pending} changes` : "Live", trouble: null };
}

function troubleOf(roomId, { reason, code }) {
  const bytes = new TextEncoder().encode(roomId).length;
  if (bytes > NAME_BYTES_MAX) {
    const text = `A room’s name can have ${NAME_BYTES_MAX} bytes. This one has ${bytes}.`;
    return { title: "This room’s name is too long", text, again: null };
  }
  switch (code) {
    case "CLOSED":
      return { title: "You are out of this room", text: sentence(reason), again: "Join again" };
    case "FORBIDDEN":
      return { title: "This room is not open to you", text: sentence(reason), again: "Try again" };
    case "ROOM_FULL":
      return { title: "This room is full", text: "You join as soon as somebody leaves.", again: "Try now" };
    case "NOT_FOUND":
      return { title: "This room does not exist", text: sentence(reason), again: "Try again" };
    default:
      return { title: "You cannot join this room", text: sentence(reason), again: "Try again" };
  }
}

function sentence(text = "") {
  const whole = text.trim();
  if (!whole) return "";
  const first = whole[0].toUpperCase() + whole.slice(1);
  return /[.!?…]$/.test(first) ? first : `${first}.`;
}
