// Who one is on a server that lets everybody in. There the name is the person: two windows with the same name would be
// one person on two devices, and not see each other. So each tab has a mark of its own behind its name, which is not
// shown, and a tab that was duplicated gets a new one. A new tab takes the mark of one that was closed: so whoever opens the
// browser again is the same person, and finds what the server does not have yet.

const FIRST = ["Amber", "Brisk", "Calm", "Clever", "Dapper", "Eager", "Fond", "Gentle", "Jolly", "Keen", "Lucky", "Merry",
  "Nimble", "Plucky", "Quiet", "Sunny", "Swift", "Witty"];
const LAST = ["Badger", "Beaver", "Crane", "Falcon", "Finch", "Fox", "Hare", "Heron", "Lynx", "Marten", "Otter", "Owl",
  "Puffin", "Raven", "Robin", "Seal", "Swan", "Wren"];
const NAME = "rooms-name";
const TAB = "rooms-tab";
/** Marks that tabs of this browser had, with their names. */
const TABS = "rooms-tabs";
const TABS_MAX = 50;
/** So long another tab has time to say that it has a mark, where there are no locks. */
const CLAIM_TIME = 150;

/** `{name, tab, token}` of this tab: what people see, what only the browser sees, and both. */
export async function ownPerson() {
  const tab = (await freeTab([sessionStorage.getItem(TAB), ...marks().keys()])) ?? (await newTab());
  const name = sessionStorage.getItem(NAME) ?? localStorage.getItem(NAME) ?? marks().get(tab) ?? `${pick(FIRST)} ${pick(LAST)}`;
  sessionStorage.setItem(TAB, tab);
  return rename(name, tab);
}

/** For this tab, and with `isChosen` for tabs that are opened later. Gives the person with this name. */
export function rename(name, tab, isChosen = false) {
  sessionStorage.setItem(NAME, name);
  if (isChosen) localStorage.setItem(NAME, name);
  const others = [...marks()].filter(([other]) => other !== tab);
  localStorage.setItem(TABS, JSON.stringify([[tab, name], ...others].slice(0, TABS_MAX)));
  return { name, tab, token: `${name}#${tab}` };
}

/** The names by the marks, the newest mark first. */
function marks() {
  try {
    return new Map(JSON.parse(localStorage.getItem(TABS) ?? "[]").filter(([tab]) => /^[0-9a-f]{6}$/.test(tab)));
  } catch {
    return new Map();
  }
}

async function freeTab(tabs) {
  for (const tab of tabs) if (tab && (await hold(tab))) return tab;
  return null;
}

async function newTab() {
  const tab = Array.from(crypto.getRandomValues(new Uint8Array(3)), (byte) => byte.toString(16).padStart(2, "0")).join("");
  await hold(tab);
  return tab;
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
  // There are no locks on pages without TLS, except on the computer itself.
  if (!navigator.locks) return claim(tab);
  return new Promise((resolve) => {
    navigator.locks.request(`${TAB}-${tab}`, { ifAvailable: true }, (lock) => {
      resolve(lock !== null);
      return lock && new Promise(() => {});
    });
  });
}

/** Asks the other tabs, and from then on answers those that ask for the same mark. */
function claim(tab) {
  const channel = new BroadcastChannel(`${TAB}-${tab}`);
  return new Promise((resolve) => {
    const timer = setTimeout(() => {
      channel.onmessage = ({ data }) => data === "whose?" && channel.postMessage("mine");
      resolve(true);
    }, CLAIM_TIME);
    channel.onmessage = ({ data }) => {
      if (data !== "mine") return;
      clearTimeout(timer);
      channel.close();
      resolve(false);
    };
    channel.postMessage("whose?");
  });
}

function pick(list) {
  return list[Math.floor(Math.random() * list.length)];
}
