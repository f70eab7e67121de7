// A room as a small live picture: what is on its board, and where people touch.

const MARGIN = 40;
const GLIDE = 0.16;

export class Picture {
  #canvas;
  #room = "";
  #shown = null;
  #touches = new Map();
  #frame = 0;
  /** What the picture shows of the board; it grows and does not jump. */
  #view = null;

  constructor(canvas) {
    this.#canvas = canvas;
  }

  begin(room) {
    this.end();
    this.#room = room;
    this.#shown = this.#view = null;
    this.#touches.clear();
    const draw = () => {
      this.#draw();
      this.#frame = requestAnimationFrame(draw);
    };
    this.#frame = requestAnimationFrame(draw);
  }

  end() {
    cancelAnimationFrame(this.#frame);
  }

  show(picture) {
    this.#shown = picture;
    const people = new Map(picture.participants.map((person) => [person.slot, person]));
    const touches = new Map();
    for (const [slot, x, y] of picture.touches) {
      const before = this.#touches.get(slot);
      const person = people.get(slot);
      touches.set(slot, { x: before?.x ?? x, y: before?.y ?? y, toX: x, toY: y, color: person?.color ?? "#888", name: person?.user?.username ?? "" });
    }
    this.#touches = touches;
    this.#grow(picture);
    this.#canvas.ariaLabel = `The room ${this.#room}: ${picture.participants.length} users, ${picture.touches.length} of them touching, ${picture.elements.length} elements`;
  }

  #grow({ elements, touches }) {
    const boxes = [
      ...elements.map((element) => [element.positionX, element.positionY, element.positionX + element.width, element.positionY + element.height]),
      ...touches.map(([, x, y]) => [x, y, x, y]),
    ];
    for (const [left, top, right, bottom] of boxes) {
      this.#view ??= { left, top, right, bottom };
      this.#view.left = Math.min(this.#view.left, left);
      this.#view.top = Math.min(this.#view.top, top);
      this.#view.right = Math.max(this.#view.right, right);
      this.#view.bottom = Math.max(this.#view.bottom, bottom);
    }
  }

  #draw() {
    const { clientWidth: width, clientHeight: height } = this.#canvas;
    const density = devicePixelRatio;
    if (this.#canvas.width !== Math.round(width * density)) {
      this.#canvas.width = Math.round(width * density);
      this.#canvas.height = Math.round(height * density);
    }
    const ink = this.#canvas.getContext("2d");
    ink.setTransform(density, 0, 0, density, 0, 0);
    ink.clearRect(0, 0, width, height);
    const style = getComputedStyle(this.#canvas);
    if (!this.#shown || !this.#view) return;
    const { left, top, right, bottom } = this.#view;
    const scale = Math.min((width - 2 * MARGIN) / Math.max(right - left, 300), (height - 2 * MARGIN) / Math.max(bottom - top, 200));
    const place = (x, y) => [(x - (left + right) / 2) * scale + width / 2, (y - (top + bottom) / 2) * scale + height / 2];
    for (const element of this.#shown.elements) this.#drawElement(ink, style, element, place, scale);
    for (const touch of this.#touches.values()) this.#drawTouch(ink, style, touch, place);
  }

  #drawElement(ink, style, element, place, scale) {
    const [x, y] = place(element.positionX, element.positionY);
    const [width, height] = [Math.max(element.width * scale, 3), Math.max(element.height * scale, 3)];
    ink.fillStyle = style.getPropertyValue("--surface");
    ink.strokeStyle = style.getPropertyValue("--quiet");
    ink.beginPath();
    ink.roundRect(x, y, width, height, 4);
    ink.fill();
    ink.stroke();
    const text = element.content ?? { photo: "photo", audio: "audio" }[element.type] ?? "";
    if (width < 24 || height < 12) return;
    ink.save();
    ink.clip();
    ink.fillStyle = style.getPropertyValue("--ink");
    ink.font = "10px system-ui, sans-serif";
    ink.fillText(text.slice(0, 60), x + 5, y + 13);
    ink.restore();
  }

  #drawTouch(ink, style, touch, place) {
    touch.x += (touch.toX - touch.x) * GLIDE;
    touch.y += (touch.toY - touch.y) * GLIDE;
    const [x, y] = place(touch.x, touch.y);
    ink.fillStyle = touch.color;
    ink.beginPath();
    ink.arc(x, y, 5, 0, 2 * Math.PI);
    ink.fill();
    ink.fillStyle = style.getPropertyValue("--ink");
    ink.font = "600 11px system-ui, sans-serif";
    ink.fillText(touch.name, x + 8, y + 4);
  }
}
