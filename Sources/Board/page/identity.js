// Who one is on a server that lets everybody in. There the name is the person: two windows with the same name would be
// one person on two devices, and not see each other. So each tab has a mark of its own behind its name, which is not
// shown, and a tab that was duplicated gets a new one.

const FIRST = ["Amber", "Brisk", "Calm", "Clever", "Dapper", "Eager", "Fond", "Gentle", "Jolly", "Keen", "Lucky", "Merry",
  "Nimble", "Plucky", "Quiet", "Sunny", "Swift", "Witty"];
const LAST = ["Badger", "Beaver", "Crane", "Falcon", "Finch", "Fox", "Hare", "Heron", "Lynx", "Marten", "Otter", "Owl",
  "Puffin", "Raven", "Robin", "Seal", "Swan", "Wren"];
const NAME = "rooms-name";
const TAB = "rooms-tab";

/** `{name, token}` of this tab. */
export async function ownPerson() {
  const name = sessionStorage.getItem(NAME) ?? localStorage.getItem(NAME) ?? `${pick(FIRST)} ${pick(LAST)}`;
  sessionStorage.setItem(NAME, name);
  let tab = sessionStorage.getItem(TAB);
  if (!tab || !(await hold(tab))) {
    tab = Array.from(crypto.getRandomValues(new Uint8Array(3)), (byte) => byte.toString(16).padStart(2, "0")).join("");
    sessionStorage.setItem(TAB, tab);
    await hold(tab);
  }
  return { name, token: `${name}#${tab}` };
}

/** For this tab, and for tabs that are opened later. */
export function rename(name) {
  sessionStorage.setItem(NAME, name);
  localStorage.setItem(NAME, name);
}

/** Names of people whose ids say nothing. */
const names = new Map();

export function knowName(userId, username) {
  names.set(userId, username);
}

/** The name of a person as people know it, for a username or an id. */
export function displayName(username) {
  return names.get(username) ?? username.replace(/#[0-9a-f]{6}$/, "");
}

/** Whether this tab alone has the mark. It is held until the tab is closed. */
function hold(tab) {
  // There are no locks on pages without TLS: there a mark is kept over a reload alone.
  if (!navigator.locks) return performance.getEntriesByType("navigation")[0]?.type === "reload";
  return new Promise((resolve) => {
    navigator.locks.request(`${TAB}-${tab}`, { ifAvailable: true }, (lock) => {
      resolve(lock !== null);
      return lock && new Promise(() => {});
    });
  });
}

function pick(list) {
  return list[Math.floor(Math.random() * list.length)];
}
