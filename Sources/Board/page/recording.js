// Reads recordings of rooms: docs/RECORDING.md has their form. It needs no page.

const HEAD_BYTES = 20;
/** `[1f, 8b, 8, 4]` of gzip, and the length and name of the extra field; between them may be anything. */
const MARKS = [[0, 0x1f], [1, 0x8b], [2, 8], [3, 4], [10, 8], [11, 0], [12, 0x52], [13, 0x52], [14, 4], [15, 0]];
/** A page holds a recording as text: a larger one would take all of its memory. */
const TEXT_MAX = 512 << 20;

/** The file is no recording, or is damaged. The message says which. */
export class Unreadable extends Error {}

/**
 * Gives `{roomId, startedAt, lines, duration, isCutOff}`: lines of `{time, name, argument}` in their order, the whole blocks of a
 * file that was cut off.
 *
 * @param {Uint8Array} bytes
 */
export async function readRecording(bytes) {
  const lines = [];
  let [at, length] = [0, 0];
  while (bytes.length - at >= HEAD_BYTES) {
    const size = blockSize(bytes, at);
    if (size === null) throw new Unreadable(at ? `The file is damaged at byte ${at}.` : "This is no recording of a room.");
    if (at + size > bytes.length) break;
    const text = await unpacked(bytes.subarray(at, at + size), at);
    length += text.length;
    if (length > TEXT_MAX) throw new Unreadable("The recording is too large for a page.");
    for (const line of text.split("\n")) if (line) lines.push(parsed(line, at));
    at += size;
  }
  const head = lines[0]?.argument;
  if (lines[0]?.name !== "recording" || head.version !== 1) throw new Unreadable("This is no recording of a room, or one of a later version.");
  return { roomId: head.roomId, startedAt: head.startedAt, lines, duration: lines.at(-1).time, isCutOff: at < bytes.length };
}

function blockSize(bytes, at) {
  if (MARKS.some(([place, value]) => bytes[at + place] !== value)) return null;
  const size = new DataView(bytes.buffer, bytes.byteOffset + at + 16, 4).getUint32(0, true);
  return size > HEAD_BYTES ? size : null;
}

async function unpacked(block, at) {
  try {
    return await new Response(new Blob([block]).stream().pipeThrough(new DecompressionStream("gzip"))).text();
  } catch {
    throw new Unreadable(`The file is damaged at byte ${at}.`);
  }
}

function parsed(line, at) {
  try {
    const [time, name, argument] = JSON.parse(line);
    return { time, name, argument };
  } catch {
    throw new Unreadable(`The file is damaged at byte ${at}.`);
  }
}
