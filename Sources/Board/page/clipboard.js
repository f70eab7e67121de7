// Cards on the clipboard: as such for boards, and as text for everything else. It needs no page.

const TYPE = "application/x-rooms-cards";
const CARDS_MAX = 200;
const TEXT_MAX = 5_000;
const NAMES = {
  type: "string", positionX: "number", positionY: "number", width: "number", height: "number", content: "string", imageUrl: "string",
  audioUrl: "string", duration: "number", z: "number", color: "string",
};

export function writeCards(data, cards) {
  data.setData(TYPE, JSON.stringify(cards));
  data.setData("text/plain", cards.map(({ content, imageUrl, audioUrl }) => content || imageUrl || audioUrl || "").join("\n\n"));
}

/** The copied cards; null if there are none. Any page may have written them. */
export function cardsOf(data) {
  let cards;
  try {
    cards = JSON.parse(data.getData(TYPE));
  } catch {
    return null;
  }
  if (!Array.isArray(cards) || !cards.length) return null;
  const known = cards.slice(0, CARDS_MAX).map((card) => (
    Object.fromEntries(Object.entries(card ?? {}).filter(([name, value]) => typeof value === NAMES[name]))));
  const isWhole = ({ type, positionX, positionY, width, height }) => (
    ["note", "photo", "audio"].includes(type) && [positionX, positionY, width, height].every(Number.isFinite));
  return known.every(isWhole) ? known : null;
}

export function textOf(data) {
  return [...data.getData("text/plain").trim()].slice(0, TEXT_MAX).join("");
}
