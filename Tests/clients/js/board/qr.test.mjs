import assert from "node:assert/strict";
import test from "node:test";

import { qrCode } from "./page/qr.js";

/** As other encoders make it, too. */
const EXPECTED = [
  "1111111010011010001111111",
  "1000001010100010001000001",
  "1011101001000100101011101",
  "1011101011100100101011101",
  "1011101000101101001011101",
  "1000001000110100101000001",
  "1111111010101010101111111",
  "0000000010011011000000000",
  "1011011100101001001001011",
  "0100100000010010000000010",
  "1101111010011010001010000",
  "1111000101001101101101100",
  "0101111110101101101110111",
  "0001110001111111001010001",
  "0110001100010010100000110",
  "1010110000010010101001001",
  "0001011101001011111111111",
  "0000000010100000100010001",
  "1111111011000110101011111",
  "1000001010010110100010000",
  "1011101000100110111110010",
  "1011101010100001001110111",
  "1011101011000010011011110",
  "1000001001111111011010100",
  "1111111010010001000111111",
];

test("an address is a code of version 2", () => {
  const rows = qrCode("http://10.0.0.2:8080/").map((row) => row.map(Number).join(""));
  assert.deepEqual(rows, EXPECTED);
});

test("longer texts make larger codes, up to 213 bytes", () => {
  const sizes = [14, 26, 42, 62, 84, 106, 122, 152, 180, 213].map((length) => qrCode("x".repeat(length)).length);
  assert.deepEqual(sizes, [21, 25, 29, 33, 37, 41, 45, 49, 53, 57]);
  assert.equal(qrCode("x".repeat(214)), null);
});

test("every code has its three squares, and a dark module beside the lower one", () => {
  for (const text of ["a", "ä".repeat(40), "x".repeat(150)]) {
    const rows = qrCode(text);
    const size = rows.length;
    for (const [x, y] of [[0, 0], [size - 7, 0], [0, size - 7]]) {
      assert.ok(rows[y].slice(x, x + 7).every(Boolean) && rows[y + 3][x + 3] && !rows[y + 1][x + 1]);
    }
    assert.equal(rows[size - 8][8], true);
  }
});
