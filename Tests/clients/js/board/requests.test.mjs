import assert from "node:assert/strict";
import test from "node:test";

import { Refusal, Unreachable, request, waitInWords } from "./page/requests.js";

function answer(status, content, headers = {}) {
  globalThis.fetch = async (path, options) => {
    answer.asked = { path, ...options };
    return new Response(status === 204 ? null : typeof content === "string" ? content : JSON.stringify(content), { status, headers });
  };
}

test("a request shows its token and gives the answer", async () => {
  answer(200, { data: [1], nextCursor: "c" });
  assert.deepEqual(await request("GET", "/api/rooms", { token: "t" }), { data: [1], nextCursor: "c" });
  assert.deepEqual(answer.asked.headers, { Authorization: "Bearer t" });
  answer(204);
  assert.deepEqual(await request("POST", "/x", { body: { a: 1 } }), { data: undefined, nextCursor: undefined });
  assert.deepEqual([answer.asked.body, answer.asked.headers], ['{"a":1}', { "Content-Type": "application/json" }]);
});

const REFUSALS = [
  [422, { error: "password must have at least 8 characters.", details: { field: "password" } }, {},
    "Must have at least 8 characters.", "password"],
  [409, { error: "This e-mail address belongs to an account already.", details: { field: "email" } }, {},
    "This e-mail address belongs to an account already.", "email"],
  [401, { error: "The code is wrong.", details: { reason: "WRONG_CODE" } }, {}, "The code is wrong.", undefined],
  [429, { error: "Too many." }, { "Retry-After": "30" }, "Too many attempts. Try again in 30 seconds.", undefined],
  [429, {}, {}, "Too many attempts. Try again in 1 second.", undefined],
  [502, "<html>Bad gateway</html>", {}, "The server could not answer (502). Try again in a moment.", undefined],
  [503, "null", {}, "The server could not answer (503). Try again in a moment.", undefined],
];

for (const [status, content, headers, sentence, field] of REFUSALS) {
  test(`a refusal says: ${sentence} (${status})`, async () => {
    answer(status, content, headers);
    await assert.rejects(request("POST", "/x"), (error) => {
      assert.ok(error instanceof Refusal);
      assert.deepEqual([error.status, error.message, error.field], [status, sentence, field]);
      return true;
    });
  });
}

test("no answer is told apart from a refusal", async () => {
  globalThis.fetch = async () => {
    throw new TypeError("Failed to fetch");
  };
  await assert.rejects(request("GET", "/x"), Unreachable);
});

test("a wait is never told shorter than it is", () => {
  const told = [1, 1.2, 59, 99, 100, 3_600, 5_999, 7_201].map(waitInWords);
  assert.deepEqual(told, [
    "1 second", "2 seconds", "59 seconds", "99 seconds", "2 minutes", "60 minutes", "100 minutes", "3 hours"]);
});
