// Unique ids.

/** 128 random bits; `crypto.randomUUID` is only there on secure pages. */
export function uniqueId() {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("");
}
