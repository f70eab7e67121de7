"""What a user does with whole cards: duplicating, copying, cutting, pasting and dragging them."""

import json

from support.board_page import CONTROL

MANY_NOTES = 14


class Cards:
    """The part of `Person` that does not write."""

    def duplicate(self):
        key = self.some_key()
        if not key or len(self.keys()) >= MANY_NOTES:
            return
        self.stop_writing()
        self.tell("duplicates a note", self.name_of(json.dumps(key)))
        self.page.evaluate(f"document.querySelector('.card[data-key=\"{key}\"]')?.focus()")
        self.remove(lambda: self.page.press("d", CONTROL), "has duplicated it")
        yield

    def copy(self):
        """Copies or cuts a note, which a later paste brings back, perhaps in another room."""
        key = self.some_key()
        if not key:
            return
        name = self.chance.choice(["copy", "copy", "cut"])
        self.stop_writing()
        self.tell("chooses a note", self.name_of(json.dumps(key)))
        self.page.evaluate(f"document.querySelector('.card[data-key=\"{key}\"]')?.focus()")
        self.remove(lambda: self.page.evaluate(f"sendClip('{name}')"), {"copy": "copies a note", "cut": "cuts a note"}[name])
        yield

    def paste(self):
        if len(self.keys()) >= MANY_NOTES:
            return
        self.stop_writing()
        self.remove(lambda: self.page.evaluate("board.room && sendClip('paste')"), "pastes")
        yield

    def drag(self):
        boxes = self.page.ask("""[...document.querySelectorAll('.card:not(.draft)')].map((node) => node.getBoundingClientRect())
            .map(({ x, y, width, height }) => [x + width / 2, y + height / 2])
            .filter(([x, y]) => x > 20 && y > 80 && x < innerWidth - 20 && y < innerHeight - 120)""")
        if not boxes:
            return
        self.tell("drags")
        self.stop_writing()
        x, y = self.chance.choice(boxes)
        dx, dy = self.chance.randint(-60, 60), self.chance.randint(-60, 60)
        if self.is_phone:
            self.page.touch("touchStart", (x, y))
            yield
            for step in range(1, 5):
                self.page.touch("touchMove", (x + dx * step / 4, y + dy * step / 4))
                yield
            self.page.touch("touchEnd")
        else:
            self.page.move(x, y)
            self.page.mouse("mousePressed", x, y, 1, 1)
            yield
            for step in range(1, 5):
                self.page.mouse("mouseMoved", x + dx * step / 4, y + dy * step / 4, 1)
                yield
            self.page.mouse("mouseReleased", x + dx, y + dy, 0, 1)
        yield
