import assert from "node:assert/strict";
import test from "node:test";

import { agentInWords, agoInWords, appInWords } from "./page/devices.js";

const WEBKIT = "AppleWebKit/537.36 (KHTML, like Gecko)";
const AGENTS = {
  "Chrome on Linux": `Mozilla/5.0 (X11; Linux x86_64) ${WEBKIT} HeadlessChrome/140.0.0.0 Safari/537.36`,
  "Chrome on Android": `Mozilla/5.0 (Linux; Android 10; K) ${WEBKIT} Chrome/140.0.0.0 Mobile Safari/537.36`,
  "Edge on Windows": `Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${WEBKIT} Chrome/140.0.0.0 Safari/537.36 Edg/140.0`,
  "Firefox on Mac": "Mozilla/5.0 (Macintosh; Intel Mac OS X 10.15; rv:140.0) Gecko/20100101 Firefox/140.0",
  "Safari on iPhone": "Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.0 Mobile/15E148 Safari/604.1",
  "Chrome on iPad": "Mozilla/5.0 (iPad; CPU OS 18_0 like Mac OS X) AppleWebKit/605.1.15 CriOS/140.0 Mobile/15E148 Safari/604.1",
  curl: "curl/8.5.0",
  "Soul on iPhone": "Soul/3 (iPhone; iOS 18)",
  "Soul on Mac": "Soul/3 CFNetwork/1494 Darwin/23.4.0",
  "A device with Linux": "Mozilla/5.0 (X11; Linux x86_64)",
  "An unknown device": "",
};

for (const [words, agent] of Object.entries(AGENTS)) {
  test(`a device is ${words}`, () => assert.equal(agentInWords(agent), words));
}

test("an application has its name, one that is new its own", () => {
  assert.deepEqual(["rooms", "soul", "other"].map(appInWords), ["Rooms", "SOUL", "other"]);
});

test("a time is told from now, and a clock that is ahead changes nothing", () => {
  const now = Date.parse("2026-11-23T12:00:00Z");
  const told = ["2026-11-23T12:00:30Z", "2026-11-23T11:59:01Z", "2026-11-23T11:59:00Z", "2026-11-23T10:00:00Z", "2026-11-20T12:00:00Z"]
    .map((time) => agoInWords(time, now));
  assert.deepEqual(told, ["just now", "just now", "1 minute ago", "2 hours ago", "3 days ago"]);
});
