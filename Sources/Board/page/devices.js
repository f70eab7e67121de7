// Sessions in words: which browser on which system, and when it was used last.

/** The first that fits counts: most browsers claim to be others as well. */
const BROWSERS = [
  ["Edge", /\bEdg(e|A|iOS)?\//], ["Opera", /\b(OPR|Opera)\b/], ["Samsung Internet", /SamsungBrowser/],
  ["Firefox", /\b(Firefox|FxiOS)\//], ["Chrome", /\b(\w*Chrome|CriOS|Chromium)\//], ["Safari", /Safari\//],
];
const SYSTEMS = [
  ["iPhone", /iPhone/], ["iPad", /iPad/], ["Android", /Android/], ["ChromeOS", /CrOS/], ["Windows", /Windows/],
  ["Mac", /Mac OS X|Macintosh|Darwin/], ["Linux", /Linux/],
];
const APPS = { rooms: "Rooms", soul: "SOUL", subspace: "Subspace" };
const UNITS = [["day", 86_400], ["hour", 3_600], ["minute", 60]];

/** `Chrome on Linux`, or the name of a program. */
export function agentInWords(agent) {
  const named = (list) => list.find(([, pattern]) => pattern.test(agent))?.[0];
  const [browser, system] = [named(BROWSERS), named(SYSTEMS)];
  if (browser) return system ? `${browser} on ${system}` : browser;
  const program = agent.split(/[/\s]/)[0];
  if (program && program !== "Mozilla") return system ? `${program} on ${system}` : program;
  return system ? `A device with ${system}` : "An unknown device";
}

/** The application that signed in. */
export function appInWords(app) {
  return APPS[app] ?? app;
}

/** `just now`, `5 minutes ago`. The clocks of the server and of this device may differ a little. */
export function agoInWords(time, now = Date.now()) {
  const seconds = (now - Date.parse(time)) / 1_000;
  for (const [unit, length] of UNITS) {
    const count = Math.floor(seconds / length);
    if (count >= 1) return `${count} ${unit}${count === 1 ? "" : "s"} ago`;
  }
  return "just now";
}
