// QR codes of short texts, such as addresses: bytes, error correction M, versions 1 to 10. It needs no page.

/** Of each version with error correction M: bytes for correction in a block, and the numbers of data bytes of its blocks. */
const BLOCKS = [
  null, [10, [16]], [16, [28]], [26, [44]], [18, [32, 32]], [24, [43, 43]], [16, [27, 27, 27, 27]], [18, [31, 31, 31, 31]],
  [22, [38, 38, 39, 39]], [22, [36, 36, 36, 37, 37]], [26, [43, 43, 43, 43, 44]],
];
/** Middles of the small squares by which a camera finds the rows. */
const ALIGNMENTS = [null, [], [6, 18], [6, 22], [6, 26], [6, 30], [6, 34], [6, 22, 38], [6, 24, 42], [6, 26, 46], [6, 28, 50]];
const MASKS = [
  (x, y) => (x + y) % 2, (x, y) => y % 2, (x) => x % 3, (x, y) => (x + y) % 3, (x, y) => (Math.floor(x / 3) + Math.floor(y / 2)) % 2,
  (x, y) => ((x * y) % 2) + ((x * y) % 3), (x, y) => (((x * y) % 2) + ((x * y) % 3)) % 2, (x, y) => (((x + y) % 2) + ((x * y) % 3)) % 2,
];

/** Rows of booleans, true for dark; null if the text is too long for version 10. */
export function qrCode(text) {
  const bytes = [...new TextEncoder().encode(text)];
  const version = BLOCKS.findIndex((blocks, number) => blocks && bytes.length <= capacity(number));
  if (version < 0) return null;
  const words = interleaved(version, dataWords(bytes, version));
  const candidates = MASKS.map((_, mask) => drawn(version, words, mask));
  return candidates.reduce((best, rows) => (penalty(rows) < penalty(best) ? rows : best));
}

// The data

function total(version) {
  return BLOCKS[version][1].reduce((sum, count) => sum + count, 0);
}

function capacity(version) {
  return total(version) - (version < 10 ? 2 : 3);
}

function dataWords(bytes, version) {
  const lengthBits = version < 10 ? 8 : 16;
  const bits = [0, 1, 0, 0, ...bitsOf(bytes.length, lengthBits), ...bytes.flatMap((byte) => bitsOf(byte, 8))];
  const most = 8 * total(version);
  bits.push(...Array(Math.min(4, most - bits.length)).fill(0));
  while (bits.length % 8) bits.push(0);
  const words = [];
  for (let i = 0; i < bits.length; i += 8) words.push(parseInt(bits.slice(i, i + 8).join(""), 2));
  for (let pad = 0xec; words.length < total(version); pad ^= 0xfd) words.push(pad);
  return words;
}

function bitsOf(value, count) {
  return Array.from({ length: count }, (_, i) => (value >> (count - 1 - i)) & 1);
}

function interleaved(version, words) {
  const [correction, counts] = BLOCKS[version];
  let start = 0;
  const blocks = counts.map((count) => words.slice(start, (start += count)));
  const checks = blocks.map((block) => remainder(block, correction));
  const across = (lists) => Array.from({ length: Math.max(...lists.map((list) => list.length)) }, (_, i) => (
    lists.filter((list) => i < list.length).map((list) => list[i]))).flat();
  return [...across(blocks), ...across(checks)];
}

// Reed-Solomon codes: polynomials over the field of 256 elements

const EXP = [1];
for (let i = 1; i < 255; i += 1) EXP[i] = EXP[i - 1] < 128 ? EXP[i - 1] * 2 : (EXP[i - 1] * 2) ^ 0x11d;
const LOG = [];
EXP.forEach((value, i) => (LOG[value] = i));

function times(a, b) {
  return a && b ? EXP[(LOG[a] + LOG[b]) % 255] : 0;
}

/** What is left of the data, as a polynomial, divided by the generator of so many check bytes. */
function remainder(data, count) {
  let generator = [1];
  for (let i = 0; i < count; i += 1) {
    generator = [...generator, 0].map((value, j) => value ^ times(generator[j - 1] ?? 0, EXP[i]));
  }
  const rest = [...data, ...Array(count).fill(0)];
  for (let i = 0; i < data.length; i += 1) {
    const factor = rest[i];
    generator.forEach((value, j) => (rest[i + j] ^= times(value, factor)));
  }
  return rest.slice(data.length);
}

// The picture

function drawn(version, words, mask) {
  const size = 17 + 4 * version;
  const rows = Array.from({ length: size }, () => Array(size).fill(null));
  const set = (x, y, isDark) => x >= 0 && y >= 0 && x < size && y < size && (rows[y][x] = Boolean(isDark));
  for (const [x, y] of [[3, 3], [size - 4, 3], [3, size - 4]]) square(set, x, y, 4);
  const places = ALIGNMENTS[version];
  for (const x of places) for (const y of places) if (rows[y][x] === null) square(set, x, y, 2);
  for (let i = 8; i < size - 8; i += 1) {
    if (rows[6][i] === null) set(i, 6, i % 2 === 0);
    if (rows[i][6] === null) set(6, i, i % 2 === 0);
  }
  set(8, size - 8, true);
  format(set, size, mask);
  if (version >= 7) versionBits(set, size, version);
  fill(rows, size, words, mask);
  return rows;
}

/** Rings around a middle: dark, light, dark, and light outside of the large ones. */
function square(set, x, y, radius) {
  for (let dy = -radius; dy <= radius; dy += 1) {
    for (let dx = -radius; dx <= radius; dx += 1) {
      const ring = Math.max(Math.abs(dx), Math.abs(dy));
      set(x + dx, y + dy, radius === 4 ? ring !== 2 && ring !== 4 : ring !== 1);
    }
  }
}

function withCheck(value, bits, generator, generatorBits) {
  let rest = value << generatorBits;
  for (let i = bits - 1; i >= 0; i -= 1) if ((rest >> (i + generatorBits)) & 1) rest ^= generator << i;
  return (value << generatorBits) | rest;
}

function format(set, size, mask) {
  // Error correction M has the number 0.
  const bits = withCheck(mask, 5, 0x537, 10) ^ 0x5412;
  const bit = (i) => (bits >> i) & 1;
  for (let i = 0; i <= 5; i += 1) set(8, i, bit(i));
  set(8, 7, bit(6));
  set(8, 8, bit(7));
  set(7, 8, bit(8));
  for (let i = 9; i < 15; i += 1) set(14 - i, 8, bit(i));
  for (let i = 0; i < 8; i += 1) set(size - 1 - i, 8, bit(i));
  for (let i = 8; i < 15; i += 1) set(8, size - 15 + i, bit(i));
}

function versionBits(set, size, version) {
  const bits = withCheck(version, 6, 0x1f25, 12);
  for (let i = 0; i < 18; i += 1) {
    const [a, b] = [size - 11 + (i % 3), Math.floor(i / 3)];
    set(a, b, (bits >> i) & 1);
    set(b, a, (bits >> i) & 1);
  }
}

/** Columns of two from the right, up and down in turn; the column of the dotted line is left out. */
function fill(rows, size, words, mask) {
  let next = 0;
  let isUp = true;
  for (let right = size - 1; right > 0; right -= 2) {
    if (right === 6) right = 5;
    for (let i = 0; i < size; i += 1) {
      const y = isUp ? size - 1 - i : i;
      for (const x of [right, right - 1]) {
        if (rows[y][x] !== null) continue;
        const bit = ((words[next >> 3] ?? 0) >> (7 - (next & 7))) & 1;
        rows[y][x] = Boolean(bit) !== (MASKS[mask](x, y) === 0);
        next += 1;
      }
    }
    isUp = !isUp;
  }
}

/** How hard a camera finds it: long runs, blocks, patterns like the large squares, and too much of one colour. */
function penalty(rows) {
  const size = rows.length;
  const columns = rows.map((_, x) => rows.map((row) => row[x]));
  let sum = 0;
  for (const line of [...rows, ...columns]) {
    const text = line.map((isDark) => (isDark ? "1" : "0")).join("");
    for (const [run] of text.matchAll(/0{5,}|1{5,}/g)) sum += run.length - 2;
    for (const pattern of ["10111010000", "00001011101"]) {
      for (let at = text.indexOf(pattern); at >= 0; at = text.indexOf(pattern, at + 1)) sum += 40;
    }
  }
  let dark = 0;
  for (let y = 0; y < size; y += 1) {
    for (let x = 0; x < size; x += 1) {
      dark += rows[y][x];
      const isBlock = x && y && rows[y][x] === rows[y - 1][x] && rows[y][x] === rows[y][x - 1] && rows[y][x] === rows[y - 1][x - 1];
      if (isBlock) sum += 3;
    }
  }
  return sum + 10 * Math.floor(Math.abs(dark / (size * size) - 0.5) * 20);
}
