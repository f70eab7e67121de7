import assert from "node:assert/strict";
import test from "node:test";

import { standing } from "./page/standing.js";

const ONLINE = { connection: "online", roomId: "studio", isJoined: true };

test("it is live when the room is joined, and in no other case", () => {
  assert.deepEqual(standing(ONLINE), { state: "online", label: "Live", trouble: null });
  assert.equal(standing({ ...ONLINE, isJoined: false }).label, "Joining…");
  for (const code of ["CLOSED", "FORBIDDEN", "ROOM_FULL", "NOT_FOUND", "VALIDATION_ERROR", "NEW"]) {
    const { state, trouble } = standing({ ...ONLINE, isJoined: false, closed: { reason: "why", code } });
    assert.equal(state, "closed");
    assert.ok(trouble.title && trouble.text && trouble.again, code);
  }
});

test("what waits for the server is counted", () => {
  assert.equal(standing({ connection: "offline", pending: 1 }).label, "Offline, 1 change kept");
  assert.equal(standing({ connection: "offline", pending: 2 }).label, "Offline, 2 changes kept");
  assert.equal(standing({ ...ONLINE, pending: 200 }).label, "Live, sending 200 changes");
  assert.equal(standing({ connection: "refused", refusal: { reason: "you were sent away" } }).trouble.text, "You were sent away.");
});

test("a name that is too long says so, and is not tried again", () => {
  const { trouble } = standing({ ...ONLINE, isJoined: false, roomId: "ä".repeat(65), closed: { reason: "", code: "VALIDATION_ERROR" } });
  assert.equal(trouble.again, null);
  assert.match(trouble.text, /128 bytes. This one has 130./);
});
