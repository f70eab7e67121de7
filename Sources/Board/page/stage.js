// The window onto the board: which part of it is seen, and where fingers and mice are on it. The middle of the window is
// the same place for everybody who has not moved it, however large their windows are.

const ZOOM_MIN = 0.2;
const ZOOM_MAX = 3;
const STEP = 24;
/** A finger that moves less rests, and after so many milliseconds it points. */
const SLACK = 6;
const HOLD = 350;
/** After so long the view rests. */
const STILL = 200;

export class Stage extends EventTarget {
  /** The place in the middle of the window, and how many pixels a unit of the board takes. */
  x = 0;
  y = 0;
  zoom = 1;
  /** Where this person touches, and what; null if nowhere. */
  touch = null;

  #board;
  #plane;
  #grid;
  #gridZoom = 0;
  #still = null;
  #fingers = new Map();
  /** How the board is being moved: by the mouse that drags it, or by two fingers. */
  #drag = null;
  #hold = null;

  /**
   * Tells `view` when another part is seen, `touch` and `lift` of this person, `place` for a double click, `pinch` when a second
   * finger comes.
   */
  constructor(board, plane, grid) {
    super();
    this.#board = board;
    this.#plane = plane;
    this.#grid = grid;
    new ResizeObserver(() => this.#measure()).observe(board);
    this.#measure();
    board.addEventListener("wheel", (event) => this.#wheel(event), { passive: false });
    // Before cards: with a second finger they are not dragged.
    board.addEventListener("pointerdown", (event) => this.#down(event), { capture: true });
    for (const end of ["pointerup", "pointercancel"]) addEventListener(end, (event) => this.#up(event));
    addEventListener("pointermove", (event) => this.#move(event));
    document.documentElement.addEventListener("pointerleave", (event) => event.pointerType === "mouse" && this.lift());
    board.addEventListener("dblclick", (event) => this.#isEmpty(event) && this.#tell("place", this.at(event)));
  }

  #tell(name, detail) {
    this.dispatchEvent(new CustomEvent(name, { detail }));
  }

  // Places

  /** Kept, because the browser works the whole page out when it is asked after a change. */
  width = 0;
  height = 0;

  #measure() {
    this.width = this.#board.clientWidth;
    this.height = this.#board.clientHeight;
    this.#changed();
  }

  /** The place on the board of an event. */
  at({ clientX, clientY }) {
    const box = this.#board.getBoundingClientRect();
    return {
      x: this.x + (clientX - box.left - box.width / 2) / this.zoom,
      y: this.y + (clientY - box.top - box.height / 2) / this.zoom,
    };
  }

  /** The place in the window of one on the board. */
  seen(x, y) {
    return { x: (x - this.x) * this.zoom + this.width / 2, y: (y - this.y) * this.zoom + this.height / 2 };
  }

  /** The part of the board that the window shows. */
  get area() {
    const [width, height] = [Math.max(this.width, 1) / this.zoom, Math.max(this.height, 1) / this.zoom];
    return { x: this.x - width / 2, y: this.y - height / 2, width, height };
  }

  // Looking elsewhere

  look(x, y, zoom = this.zoom) {
    this.x = x;
    this.y = y;
    this.zoom = Math.min(Math.max(zoom, ZOOM_MIN), ZOOM_MAX);
    this.#changed();
  }

  /** Zooms so that a place in the window stays where it is. */
  zoomBy(factor, event = null) {
    const box = this.#board.getBoundingClientRect();
    const fixed = event ?? { clientX: box.left + box.width / 2, clientY: box.top + box.height / 2 };
    const before = this.at(fixed);
    this.zoom = Math.min(Math.max(this.zoom * factor, ZOOM_MIN), ZOOM_MAX);
    const behind = this.at(fixed);
    this.look(this.x + before.x - behind.x, this.y + before.y - behind.y);
  }

  /** Shows all of these rectangles, no larger than they are. */
  fit(rectangles) {
    if (!rectangles.length) return this.look(0, 0, 1);
    const left = Math.min(...rectangles.map((r) => r.positionX));
    const top = Math.min(...rectangles.map((r) => r.positionY));
    const right = Math.max(...rectangles.map((r) => r.positionX + r.width));
    const bottom = Math.max(...rectangles.map((r) => r.positionY + r.height));
    // Bars lie over the board above and below.
    const zoom = Math.min((this.width - 32) / (right - left), (this.height - 200) / (bottom - top), 1);
    this.look((left + right) / 2, (top + bottom) / 2, zoom);
  }

  /** Moves the view if a rectangle is outside of it. */
  reveal({ positionX, positionY, width, height }) {
    const [from, to] = [this.seen(positionX, positionY), this.seen(positionX + width, positionY + height)];
    const isSeen = from.x >= 0 && to.x <= this.width && from.y >= 64 && to.y <= this.height - 80;
    if (!isSeen) this.look(positionX + width / 2, positionY + height / 2);
  }

  #changed() {
    const { x, y } = this.seen(0, 0);
    const cell = 32 * this.zoom;
    if (this.#gridZoom !== this.zoom) {
      const dot = 1.25 * this.zoom;
      this.#gridZoom = this.zoom;
      this.#grid.style.backgroundImage = `radial-gradient(circle, var(--dots) ${dot}px, transparent ${dot * 1.4}px)`;
      this.#grid.style.backgroundSize = `${cell}px ${cell}px`;
    }
    // It looks the same a cell farther: so it is drawn once, and moved by less than a cell.
    this.#grid.style.transform = `translate(${x % cell}px, ${y % cell}px)`;
    this.#plane.style.transform = `translate(${x}px, ${y}px) scale(${this.zoom})`;
    // While it moves, the browser moves the picture that it has; it draws it sharp when it rests.
    this.#plane.classList.add("gliding");
    clearTimeout(this.#still);
    this.#still = setTimeout(() => this.#plane.classList.remove("gliding"), STILL);
    this.#tell("view");
  }

  #wheel(event) {
    if (event.target.closest("textarea, .text") && !event.ctrlKey && isScrollable(event.target)) return;
    event.preventDefault();
    if (event.ctrlKey || event.metaKey) return this.zoomBy(Math.exp(-event.deltaY / 200), event);
    this.look(this.x + event.deltaX / this.zoom, this.y + event.deltaY / this.zoom);
  }

  // Touching

  touchAt({ x, y }, key = null) {
    this.touch = { x, y, key };
    this.#tell("touch", this.touch);
  }

  lift() {
    if (!this.touch) return;
    this.touch = null;
    this.#tell("lift");
  }

  /** Arrow keys move the touch by a step, from the middle of the window at first. */
  step(dx, dy) {
    const { x, y } = this.touch ?? this;
    this.touchAt({ x: x + (dx * STEP) / this.zoom, y: y + (dy * STEP) / this.zoom });
    const seen = this.seen(this.touch.x, this.touch.y);
    if (seen.x < 40 || seen.y < 80 || seen.x > this.width - 40 || seen.y > this.height - 100) {
      this.look(this.touch.x, this.touch.y);
    }
  }

  // Mice and fingers

  #isEmpty({ target }) {
    return !target.closest(".card");
  }

  #down(event) {
    const isEmpty = this.#isEmpty(event);
    if (event.pointerType !== "mouse" && event.target.closest("button, textarea, audio, input")) return;
    if (event.pointerType === "mouse") {
      if (event.button > 1 || !isEmpty) return;
      this.#drag = { ...this.at(event) };
      return this.#board.classList.add("moving");
    }
    this.#fingers.set(event.pointerId, { clientX: event.clientX, clientY: event.clientY });
    if (this.#fingers.size === 1) return isEmpty ? this.#rest(event) : undefined;
    this.#end();
    this.lift();
    this.#tell("pinch");
    this.#drag = this.#pinch();
  }

  /** Whether more than one finger is on the board. */
  get isPinching() {
    return this.#fingers.size > 1;
  }

  /** A finger begins: it pans the board, or points if it rests first. */
  #rest(event) {
    this.touchAt(this.at(event));
    this.#drag = { ...this.at(event), clientX: event.clientX, clientY: event.clientY, isResting: true };
    this.#hold = setTimeout(() => {
      if (!this.#drag?.isResting) return;
      this.#drag.isPointing = true;
      this.#board.classList.add("pointing");
    }, HOLD);
  }

  #end() {
    clearTimeout(this.#hold);
    this.#board.classList.remove("pointing");
    this.#drag = null;
  }

  #move(event) {
    if (event.pointerType === "mouse") return this.#mouseMoved(event);
    if (!this.#fingers.has(event.pointerId)) return;
    this.#fingers.set(event.pointerId, { clientX: event.clientX, clientY: event.clientY });
    if (!this.#drag) return;
    if (this.#fingers.size === 1) return this.#fingerMoved(event);
    const { distance, middle } = this.#pinch();
    if (this.#drag.distance && distance) this.zoom = clampZoom((this.#drag.zoom * distance) / this.#drag.distance);
    this.#pull(middle);
  }

  #fingerMoved(event) {
    if (this.#drag.isPointing) return this.touchAt(this.at(event));
    if (this.#drag.isResting && Math.hypot(event.clientX - this.#drag.clientX, event.clientY - this.#drag.clientY) < SLACK) return;
    this.#drag.isResting = false;
    this.#pull(event);
  }

  /** Moves the view so that the place which was taken is under the hand. */
  #pull(event) {
    const now = this.at(event);
    this.look(this.x + this.#drag.x - now.x, this.y + this.#drag.y - now.y);
  }

  #mouseMoved(event) {
    if (this.#drag && event.buttons) {
      this.#pull(event);
    }
    // Cards tell themselves where they are held.
    if (!event.buttons || this.#drag) this.touchAt(this.at(event));
  }

  #pinch() {
    const [a, b] = [...this.#fingers.values()];
    const middle = { clientX: (a.clientX + b.clientX) / 2, clientY: (a.clientY + b.clientY) / 2 };
    const distance = Math.hypot(a.clientX - b.clientX, a.clientY - b.clientY);
    return { ...this.at(middle), distance, middle, zoom: this.zoom };
  }

  #up(event) {
    if (event.pointerType === "mouse") {
      this.#drag = null;
      return this.#board.classList.remove("moving");
    }
    if (!this.#fingers.delete(event.pointerId)) return;
    if (this.#fingers.size > 1) return void (this.#drag = this.#pinch());
    // Of two fingers one is left, and pans on.
    if (this.#fingers.size && this.#drag) return void (this.#drag = { ...this.at([...this.#fingers.values()][0]) });
    this.#end();
    this.lift();
  }
}

function clampZoom(zoom) {
  return Math.min(Math.max(zoom, ZOOM_MIN), ZOOM_MAX);
}

function isScrollable(element) {
  return element.scrollHeight > element.clientHeight;
}
