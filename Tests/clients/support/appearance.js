// What people who do not see well, or not at all, meet on a page. Each function gives a list of what is wrong.

globalThis.appearance = (() => {
  const isShown = (node) => node.checkVisibility({ opacityProperty: true, visibilityProperty: true });

  /** Anything that can be used has a name. */
  function nameless() {
    const used = document.querySelectorAll("button, input, textarea, a, [tabindex], [role], dialog, audio, img, output");
    return [...used].filter(isShown).filter((node) => !nameOf(node) && !allowsNone(node)).map((node) => node.outerHTML.slice(0, 160));
  }

  /** Pictures that say nothing have an empty text; what only speaks itself needs no name. */
  function allowsNone(node) {
    return node.getAttribute("alt") === "" || ["log", "status", "alert"].includes(node.getAttribute("role"));
  }

  function nameOf(node) {
    const labels = (node.getAttribute("aria-labelledby") ?? "").split(" ").filter(Boolean);
    const texts = [
      node.getAttribute("aria-label"), ...labels.map((id) => document.getElementById(id)?.textContent),
      ...[...(node.labels ?? [])].map((label) => label.textContent), node.alt, spoken(node),
    ];
    return texts.find((text) => text?.trim());
  }

  function spoken(node) {
    if (node.matches("[aria-hidden=true]")) return "";
    return [...node.childNodes].map((child) => (child.nodeType === 3 ? child.data : child.nodeType === 1 ? spoken(child) : "")).join("");
  }

  /** Text is read on its ground: 4.5 to 1, and 3 to 1 if it is large. */
  function pale() {
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    const faults = [];
    while (walker.nextNode()) {
      const [text, node] = [walker.currentNode.data.trim(), walker.currentNode.parentElement];
      if (!text || !isShown(node) || node.closest("script, noscript, .spoken, option")) continue;
      const { color, fontSize, fontWeight } = getComputedStyle(node);
      const size = parseFloat(fontSize);
      const least = size >= 24 || (size >= 18.66 && fontWeight >= 700) ? 3 : 4.5;
      const ground = groundOf(node);
      const ink = over(parse(color), ground);
      const ratio = contrast(ink, ground);
      if (ratio < least) faults.push(`${ratio.toFixed(2)}: "${text}" ${color} on ${ground}`);
    }
    return faults;
  }

  function groundOf(node) {
    const layers = [];
    for (let at = node; at; at = at.parentElement) layers.push(parse(getComputedStyle(at).backgroundColor));
    return layers.reduceRight((ground, layer) => over(layer, ground), [255, 255, 255, 1]);
  }

  /** Any colour that CSS can write, as the canvas sees it. */
  const ink = new OffscreenCanvas(1, 1).getContext("2d", { willReadFrequently: true });

  function parse(color) {
    ink.clearRect(0, 0, 1, 1);
    ink.fillStyle = color;
    ink.fillRect(0, 0, 1, 1);
    const [r, g, b, a] = ink.getImageData(0, 0, 1, 1).data;
    return [r, g, b, a / 255];
  }

  function over([r, g, b, a], [under, of, ground]) {
    return [r * a + under * (1 - a), g * a + of * (1 - a), b * a + ground * (1 - a), 1];
  }

  function contrast(a, b) {
    const [light, dark] = [luminance(a), luminance(b)].sort((x, y) => y - x);
    return (light + 0.05) / (dark + 0.05);
  }

  function luminance(color) {
    const [r, g, b] = color.slice(0, 3).map((part) => {
      const share = part / 255;
      return share <= 0.03928 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  }

  /** Fingers need room: 24 pixels either way at least. */
  function small() {
    return [...document.querySelectorAll("button, input, [role=listitem]")].filter(isShown).filter((node) => {
      const { width, height } = node.getBoundingClientRect();
      return Math.min(width, height) < 24;
    }).map((node) => node.outerHTML.slice(0, 120));
  }

  /** Nothing hangs over the edge of the window, and no bar lies on another. */
  function crowded() {
    const bars = ["header", "#tools", "#view"].map((selector) => [selector, document.querySelector(selector).getBoundingClientRect()]);
    const parts = [...document.querySelectorAll("header > *, #tools > *, #view > *")].filter(isShown)
      .map((node) => [node.id || node.className, node.getBoundingClientRect()]);
    const outside = [...bars, ...parts].filter(([, box]) => box.left < 0 || box.right > innerWidth || box.bottom > innerHeight);
    const meet = (a, b) => a.left < b.right - 1 && b.left < a.right - 1 && a.top < b.bottom - 1 && b.top < a.bottom - 1;
    const pairs = (all) => all.flatMap(([name, box], i) => all.slice(i + 1).filter(([, other]) => meet(box, other)).map(([other]) => `${name} on ${other}`));
    return [...outside.map(([name]) => `${name} is outside`), ...pairs(bars), ...pairs(parts)];
  }

  return { nameless, pale, small, crowded };
})();
