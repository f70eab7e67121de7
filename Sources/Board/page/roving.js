// A toolbar is one stop of the Tab key; the arrow keys go from button to button in it.

const STEPS = { ArrowLeft: -1, ArrowUp: -1, ArrowRight: 1, ArrowDown: 1 };

export function roving(toolbar) {
  const shown = () => [...toolbar.querySelectorAll("button")].filter((button) => button.checkVisibility());
  const choose = (chosen) => {
    for (const button of toolbar.querySelectorAll("button")) button.tabIndex = button === chosen ? 0 : -1;
  };
  choose(shown()[0] ?? toolbar.querySelector("button"));
  toolbar.addEventListener("focusin", ({ target }) => choose(target.closest("button")));
  toolbar.addEventListener("keydown", (event) => {
    const buttons = shown();
    const at = buttons.indexOf(document.activeElement);
    const step = STEPS[event.key];
    const next = event.key === "Home" ? 0 : event.key === "End" ? buttons.length - 1 : (at + step + buttons.length) % buttons.length;
    if (at < 0 || !(next >= 0)) return;
    event.preventDefault();
    event.stopPropagation();
    buttons[next].focus();
  });
}
