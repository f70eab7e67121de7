"""A user of the board in a window of its own, who writes, deletes, goes offline and comes back as users do."""

import time

from support.board_page import CONTROL, SHIFT, BoardPage
from support.cutting import CUT, cut, mend

from ledger import words_in

# The hint for a user who is alone lies over the board.
KNOWS = "sessionStorage.setItem('rooms-knows', 'yes');"
ONLINE = "board.room?.isJoined && document.getElementById('connection').dataset.state === 'online'"
# All texts that the user sees, of cards, fields and drafts.
TEXTS = """[...document.querySelectorAll('.card .text, .card textarea')].map((node) => node.value ?? node.textContent)"""
# Drafts of all rooms and names, as the browser keeps them.
DRAFTS = """new Promise((resolve, reject) => {
  const request = indexedDB.open('rooms-outbox', 1);
  request.onerror = () => reject(request.error);
  request.onsuccess = () => {
    const store = request.result.transaction('changes').objectStore('changes');
    const [keys, all] = [store.getAllKeys(), store.getAll()];
    all.onsuccess = () => {
      request.result.close();
      resolve(all.result.filter((_, i) => String(keys.result[i][2]).startsWith('draft-')).map(({ fields }) => fields.content));
    };
  };
})"""
MANY_NOTES = 14
LONG_NOTE = 1_500


class Person:
    """What a user does is a generator: it stops between two keys, so that others act meanwhile."""

    def __init__(self, trial, letter, **window):
        self.trial, self.letter, self.window = trial, letter, window
        self.chance, self.ledger = trial.chance, trial.ledger
        self.is_phone = window.get("mobile", False)
        self.is_offline = False
        self.page = None
        self.open()

    # The window

    def open(self, room="one"):
        """Opens the window, in the profile of the one before."""
        before = self.page
        self.page = BoardPage(self.trial.chromium, beside=before, **self.window)
        self.page.call("Page.addScriptToEvaluateOnNewDocument", source=CUT + KNOWS)
        self.page.open_board(self.trial.server, room, joins=False)
        self.page.wait("document.getElementById('connection').dataset.state !== 'connecting' || board.room")

    def tell(self, what):
        self.ledger.note(self.letter, what)

    def texts(self):
        return self.page.ask(TEXTS)

    def words(self):
        return {word for text in self.texts() for word in words_in(text)}

    def remove(self, act, name="that"):
        """Does what may remove words: those that the user saw before and sees no more are removed, not lost."""
        before = self.words()
        act()
        gone = before - self.words()
        self.tell(f"{name}: {' '.join(sorted(gone))} are gone")
        self.ledger.is_gone(gone)

    @property
    def room(self):
        return self.page.ask("board.room?.id")

    def keys(self):
        return self.page.ask("[...document.querySelectorAll('.card:not(.draft)')].map((node) => node.dataset.key)")

    # Writing

    def write(self):
        """Writes in a note that is there, or in a new one."""
        keys = self.keys()
        if len(keys) < 3 or (len(keys) < MANY_NOTES and self.chance.random() < 0.2):
            return self.write_new()
        # Mostly in the same note as the others.
        key = keys[0] if self.chance.random() < 0.5 else self.chance.choice(keys)
        return self.write_in(key)

    def write_new(self):
        self.tell("makes a note")
        self.page.evaluate("document.querySelector('[data-add=note]').click()")
        yield
        yield from self.type_words()

    def write_in(self, key):
        card = f"document.querySelector('.card[data-key=\"{key}\"]')"
        if not self.page.ask(f"!!{card}"):
            return
        self.tell(f"writes in a note: {self.name_of(repr(key))}")
        if self.is_phone and self.chance.random() < 0.5:
            self.page.evaluate(f"{card}?.focus(); {card}?.querySelector('.card-tools button')?.click()")
        else:
            self.page.evaluate(f"{card}?.focus()")
            self.page.press("Enter")
        yield
        if self.chance.random() < 0.5:
            # The caret goes between two words.
            self.page.evaluate(f"""(() => {{
                const field = document.activeElement;
                if (field.tagName !== 'TEXTAREA') return;
                const places = [0, field.value.length, ...[...field.value.matchAll(/(?<=z)|(?= )/g)].map(({{ index }}) => index)];
                const place = places[Math.floor({self.chance.random()} * places.length)];
                field.setSelectionRange(place, place);
            }})()""")
            yield
        yield from self.type_words()

    @property
    def is_writing(self):
        return self.page.ask("document.activeElement?.tagName === 'TEXTAREA'")

    def type_words(self):
        for _ in range(self.chance.randint(1, 6)):
            # A note may have gone before anything was written in it.
            if not self.is_writing:
                return
            yield from self.type_word()
            if self.chance.random() < 0.04:
                yield from self.remove_word()
        if self.chance.random() < 0.6:
            self.tell("ends writing")
            self.page.press("Escape")
        yield

    def type_word(self):
        word = self.ledger.new_word(self.letter)
        where = self.name_of("document.activeElement.closest('.card')?.dataset.key")
        self.tell(f"types: {word} in {where}")
        way = self.chance.random()
        if way < 0.3:
            self.page.type(f" {word} ")
        elif way < 0.5 and self.is_phone:
            # A keyboard that composes words.
            self.page.type(" ")
            for end in range(1, len(word) + 1):
                self.page.call("Input.imeSetComposition", text=word[:end], selectionStart=end, selectionEnd=end)
                yield
            self.page.type(word + " ")
        else:
            for letter in f" {word} ":
                self.press(letter)
                yield
        self.ledger.written(word, f"{self.letter} in {where}, room {self.room}")

    def name_of(self, key):
        """What all users call the note with the key that an expression gives."""
        return self.page.ask(f"(key => board.room.elements.get(key)?.id ?? key ?? 'a draft')({key})")

    def press(self, letter):
        self.page.call("Input.dispatchKeyEvent", type="keyDown", key=letter, text=letter, unmodifiedText=letter)
        self.page.call("Input.dispatchKeyEvent", type="keyUp", key=letter)

    def remove_word(self):
        """Selects a word and deletes it."""
        self.tell("removes a word")

        def act():
            self.page.evaluate(f"""(() => {{
                const field = document.activeElement;
                const found = field.tagName === 'TEXTAREA' ? [...field.value.matchAll(/[a-z]\\d{{4,}}z/g)] : [];
                const one = found[Math.floor({self.chance.random()} * found.length)];
                if (one) field.setSelectionRange(one.index, one.index + one[0].length);
            }})()""")
            if self.page.ask("(({ tagName, selectionStart, selectionEnd }) => tagName === 'TEXTAREA' && selectionEnd > selectionStart)(document.activeElement)"):
                self.page.press("Backspace")

        self.remove(act)
        yield

    def stop_writing(self):
        if self.is_writing:
            self.page.press("Escape")
        self.page.evaluate("document.activeElement?.blur(); 0")

    # What removes and restores

    def delete(self):
        keys = self.keys()
        if not keys:
            return
        key = keys[0] if self.chance.random() < 0.4 else self.chance.choice(keys)
        yield from self.delete_note(key)

    def delete_note(self, key):
        self.tell(f"deletes a note: {self.name_of(repr(key))}")
        self.stop_writing()

        def act():
            self.page.evaluate(f"document.querySelector('.card[data-key=\"{key}\"]')?.focus()")
            if self.page.ask(f"document.activeElement?.dataset.key === {key!r}"):
                self.page.press("Delete")

        self.remove(act)
        yield
        if self.chance.random() < 0.3:
            self.tell("takes a deletion back")
            self.page.evaluate("document.querySelector('#notice button')?.click()")
        yield

    def delete_long(self):
        """A board is tidied now and then; else its notes have no room for words."""
        for key, text in self.page.ask(
                "[...board.room.elements].map(({ key, content }) => [key, content ?? ''])"):
            if len(text) > LONG_NOTE or self.chance.random() < 0.05:
                yield from self.delete_note(key)

    def undo(self):
        self.stop_writing()
        name = self.chance.choice(["undo", "undo", "redo"])
        self.remove(lambda: self.page.evaluate(f"document.getElementById('{name}').click()"), name)
        yield

    def undo_in_field(self):
        if not self.is_writing:
            return
        self.tell("undo in a field")
        self.remove(lambda: self.page.press("z", CONTROL | self.chance.choice([0, 0, SHIFT])))
        yield

    def settle_draft(self):
        """Puts a draft back, or has no use for it any more."""
        if not self.page.ask("!!document.querySelector('.draft')"):
            return
        isBack = self.chance.random() < 0.7
        self.tell("puts a draft back" if isBack else "discards a draft")
        button = ".draft .primary" if isBack else ".draft .row button:last-child"
        self.remove(lambda: self.page.evaluate(f"document.querySelector('{button}').click()"))
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

    # Going and coming

    def rest(self):
        for _ in range(self.chance.randint(1, 20)):
            yield
            time.sleep(0.01)

    def go_offline(self):
        if self.is_offline:
            return self.come_online()
        self.tell("goes offline")
        self.is_offline = True
        cut(self.page)
        yield

    def come_online(self):
        if self.is_offline:
            self.tell("comes online")
            self.is_offline = False
            mend(self.page)
        yield

    def is_kept(self):
        """Else the page asks before it goes, and the user stays."""
        self.page.wait("board.isKept")

    def reload(self):
        self.tell("reloads")
        self.is_kept()
        self.page.evaluate("globalThis.isOld = true")
        self.page.leave("location.reload()")
        self.page.wait("!globalThis.isOld && board.room", timeout=30)
        yield

    def close_and_open(self):
        """Closes the window and opens another one, which takes its mark."""
        self.tell("closes the window")
        room = self.room
        self.is_kept()
        self.page.leave("location.replace('about:blank')")
        self.page.wait("location.href === 'about:blank'")
        before = self.page
        yield
        self.open(room)
        before.call("Page.close")
        self.page.beside = None
        before.socket.close()
        before.browser.close()
        yield

    def switch(self):
        other = "two" if self.room == "one" else "one"
        self.tell(f"goes to room {other}")
        self.is_kept()
        self.go_to(other)
        yield

    def go_to(self, room):
        self.page.evaluate(f"location.hash = '{room}'")
        self.page.wait(f"board.room?.id === '{room}'")

    def rename(self):
        if self.is_offline:
            return
        name = f"{self.letter} {self.chance.randint(1, 99)}"
        self.tell("takes another name")
        self.page.evaluate(f"document.getElementById('name').value = '{name}'; document.getElementById('name-form').requestSubmit()")
        yield
