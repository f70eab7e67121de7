// What keys do with the focus on the board itself. Those of cards are in cards.js.

import { listenToFingers } from "./finger-selection.js";

const board = document.getElementById("board");
const STEPS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

/** `fit()` shows everything. */
export function listenToKeys({ stage, selection, actions, adding, fit }) {
  // The help is for fingers where there are hardly any keys.
  const hasFingers = matchMedia("(pointer: coarse)").matches || (navigator.maxTouchPoints > 0 && innerWidth <= 760);
  document.documentElement.classList.toggle("fingers", hasFingers);
  listenToFingers({ board, selection, toggle: (key) => actions.toggle(key) });
  const addNote = () => actions.addNote(stage.touch ?? stage);
  const removeSelected = () => selection.size && actions.act("delete", selection.keys[0]);
  const keys = {
    Enter: addNote,
    n: addNote,
    p: () => adding.media("photo"),
    a: () => adding.media("audio"),
    "+": () => stage.zoomBy(1.25),
    "-": () => stage.zoomBy(0.8),
    0: fit,
    "?": () => document.getElementById("keys").showPopover(),
    Delete: removeSelected,
    Backspace: removeSelected,
    Escape: () => {
      selection.clear();
      stage.lift();
    },
  };

  board.addEventListener("keydown", (event) => {
    const isCommand = event.ctrlKey || event.metaKey;
    if (isCommand && event.key.toLowerCase() === "a" && !event.target.closest("textarea")) {
      event.preventDefault();
      return actions.selectAll();
    }
    // Letters mean nothing elsewhere, nor where they are spoken commands.
    if (event.target !== board || isCommand) return;
    const act = STEPS[event.key] ? () => stage.step(...STEPS[event.key]) : keys[event.key];
    if (!act) return;
    event.preventDefault();
    act();
  });
  board.addEventListener("blur", () => board.matches(":hover") || stage.lift());
}
