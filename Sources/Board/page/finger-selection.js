// Several cards with fingers: a finger that rests on a card selects it. Then taps select more cards, or no longer; a tap on the
// empty board ends it.

const HOLD = 450;
/** A finger that rests does not hold quite still. */
const SLACK = 8;

/** `toggle(key)` selects a card, or no longer. */
export function listenToFingers({ board, selection, toggle }) {
  let press = null;
  const end = () => {
    clearTimeout(press?.timer);
    press = null;
  };
  const rested = () => {
    press.isOver = true;
    if (press.key) toggle(press.key);
  };

  // Before the card takes the pointer.
  board.addEventListener("pointerdown", (event) => {
    if (event.pointerType === "mouse") return;
    end();
    const { pointerId: id, clientX: x, clientY: y, target, isPrimary } = event;
    const card = target.closest(".card");
    // Two fingers move the board, and a draft is no card of the room.
    if (!isPrimary || card?.classList.contains("draft") || target.closest("button, textarea, audio, input, .grip")) return;
    press = { id, x, y, key: card?.dataset.key, timer: setTimeout(rested, HOLD) };
  }, { capture: true });
  board.addEventListener("pointermove", ({ pointerId, clientX, clientY }) => {
    if (press?.id === pointerId && Math.hypot(clientX - press.x, clientY - press.y) > SLACK) end();
  });
  board.addEventListener("pointerup", ({ pointerId }) => {
    if (press?.id !== pointerId) return;
    const { key, isOver } = press;
    end();
    if (isOver) return;
    if (!key) selection.clear();
    else if (selection.size) toggle(key);
  });
  board.addEventListener("pointercancel", end);
  // A browser would select the text under the finger.
  board.addEventListener("contextmenu", (event) => press && event.preventDefault());
}
