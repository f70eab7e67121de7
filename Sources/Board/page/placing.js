// Where a new card goes: as near as possible to a place, and not on another card; and how large cards are. It needs no page.

const STEP = 24;
const GAP = 16;
const RINGS_MAX = 60;
const LEAST = { note: [90, 60], photo: [60, 40], audio: [180, 84] };
/** A note grows with its text up to so much. */
const NOTE_HEIGHT_MAX = 1_200;

/**
 * The upper left corner of a free place for something of this size, with its middle near `at`.
 * `others` are rectangles like elements have.
 */
export function freePlace({ width, height }, at, others) {
  const start = { positionX: Math.round(at.x - width / 2), positionY: Math.round(at.y - height / 2) };
  const near = others.filter((other) => {
    const reach = STEP * RINGS_MAX;
    return Math.abs(other.positionX - start.positionX) < reach + other.width && Math.abs(other.positionY - start.positionY) < reach + other.height;
  });
  for (let ring = 0; ring <= RINGS_MAX; ring += 1) {
    for (const [dx, dy] of around(ring)) {
      const place = { positionX: start.positionX + dx * STEP, positionY: start.positionY + dy * STEP };
      if (!near.some((other) => overlaps({ ...place, width, height }, other))) return place;
    }
  }
  return start;
}

/** The steps of a ring, to the right first. */
function* around(ring) {
  if (ring === 0) return yield [0, 0];
  for (let i = 0; i <= ring; i += 1) {
    yield [ring, i];
    if (i) yield [ring, -i];
  }
  for (let i = ring - 1; i >= -ring; i -= 1) {
    yield [i, ring];
    yield [i, -ring];
  }
  for (let i = ring - 1; i > -ring; i -= 1) yield [-ring, i];
}

function overlaps(a, b) {
  return a.positionX < b.positionX + b.width + GAP && b.positionX < a.positionX + a.width + GAP &&
    a.positionY < b.positionY + b.height + GAP && b.positionY < a.positionY + a.height + GAP;
}

/** The size that a user gives an element, as it can have it. */
export function resized({ type, width, height }, toWidth, toHeight) {
  const [least, lowest] = LEAST[type];
  let [w, h] = [Math.max(toWidth, least), Math.max(toHeight, lowest)];
  // A photo keeps its shape.
  if (type === "photo") {
    const factor = Math.max(w / width, h / height);
    [w, h] = [width * factor, height * factor];
  }
  return { width: Math.round(w), height: Math.round(h) };
}

/** How high a note is that shows all of the text in a field; 0 when it does. Below the text is the name of its author. */
export function neededHeight({ scrollHeight, clientHeight }) {
  return scrollHeight > clientHeight ? Math.min(scrollHeight + 26, NOTE_HEIGHT_MAX) : 0;
}
