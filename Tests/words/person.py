"""A user of the board in a window of its own, who writes, deletes, goes offline and comes back as users do."""

import json

from support.board_page import CONTROL, SHIFT, BoardPage
from support.cutting import CUT, cut, mend
from support.waiting import eventually

from cards import MANY_NOTES, Cards
from word_ledger import HANDS, words_in

# The hint for a user who is alone lies over the board.
KNOWS = "sessionStorage.setItem('rooms-knows', 'yes');"
ONLINE = "board.room?.isJoined && document.getElementById('connection').dataset.state === 'online'"
SETTLED = "board.room.elements.pending === 0 && board.isKept"
# All texts that the user has before the eyes: of the room's elements, and of drafts.
TEXTS = """[...[...board.room?.elements ?? []].map(({ content }) => content ?? ''),
    ...[...document.querySelectorAll('.draft textarea')].map(({ value }) => value)]"""
KEYS = "[...document.querySelectorAll('.card:not(.draft)')].map((node) => node.dataset.key)"
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
# One or some words beside each other in the field that has the focus; null without any. They are chosen and changed at once, so
# that no letters of another user come between.
SELECT = """((chance, count) => {
    const field = document.activeElement;
    if (field.tagName !== 'TEXTAREA') return false;
    const words = [...field.value.matchAll(/%s/g)];
    const first = Math.floor(chance * words.length);
    let last = first;
    while (last + 1 < Math.min(words.length, first + count) &&
        !field.value.slice(words[last].index + words[last][0].length, words[last + 1].index).trim()) last += 1;
    if (!words.length) return false;
    field.setSelectionRange(words[first].index, words[last].index + words[last][0].length);
    return true;
})""" % "|".join(hand.pattern.pattern for hand in HANDS)
# The caret goes to the start, to the end or between two words.
PLACE_CARET = """((chance) => {
    const field = document.activeElement;
    if (field.tagName !== 'TEXTAREA') return;
    const places = [0, field.value.length, ...[...field.value.matchAll(/ /g)].map(({ index }) => index)];
    const place = places[Math.floor(chance * places.length)];
    field.setSelectionRange(place, place);
})"""
CLIPBOARD = """
globalThis.clip ??= new DataTransfer();
globalThis.sendClip = (name) => dispatchEvent(new ClipboardEvent(name, { clipboardData: clip, bubbles: true, cancelable: true }));"""
LONG_NOTE = 1_500


class Person(Cards):
    """What a user does is a generator: it stops between two keys, so that others act meanwhile."""

    def __init__(self, trial, number, name, **window):
        self.trial, self.number, self.name, self.window = trial, number, name, window
        self.chance, self.ledger = trial.chance, trial.ledger
        self.is_phone = window.get("mobile", False)
        self.is_offline = False
        self.page = None
        self.open(trial.rooms[0])

    # The window

    def open(self, room):
        """Opens the window, in the profile of the one before."""
        before = self.page
        self.page = BoardPage(self.trial.chromium, beside=before, **self.window)
        self.page.call("Page.addScriptToEvaluateOnNewDocument", source=CUT + KNOWS + CLIPBOARD)
        self.page.open_board(self.trial.server, room, joins=False)
        self.page.wait("document.getElementById('connection').dataset.state !== 'connecting' || board.room")

    def close(self):
        self.page.beside = None
        self.page.close()

    def tell(self, what, detail=""):
        self.ledger.note(self.name, what, detail)

    def words(self):
        return words_in(self.page.ask(TEXTS))

    def remove(self, act, what):
        """Does what may remove words: those that the user saw before and sees no more are removed, not lost."""
        before = self.words()
        act()
        gone = self.ledger.changed(before, self.words(), self.name)
        self.tell(what, " ".join(sorted(gone)))

    @property
    def room(self):
        return self.page.ask("board.room?.id")

    def name_of(self, key):
        """What all users call the note with the key that an expression gives."""
        return self.page.ask(f"(key => board.room?.elements.get(key)?.id ?? key ?? 'a-draft')({key})")

    def keys(self):
        return self.page.ask(KEYS)

    def some_key(self):
        """Mostly the same note as the others take."""
        keys = self.keys()
        if not keys:
            return None
        return keys[0] if self.chance.random() < 0.5 else self.chance.choice(keys)

    # Writing

    def write(self):
        """Writes in a note that is there, or in a new one."""
        count = len(self.keys())
        if count < 3 or (count < MANY_NOTES and self.chance.random() < 0.2):
            return self.write_new()
        return self.write_in(self.some_key())

    def write_new(self):
        self.tell("makes a note")
        self.page.evaluate("document.querySelector('[data-add=note]').click()")
        yield
        yield from self.type_words()

    def write_in(self, key):
        card = f"document.querySelector('.card[data-key=\"{key}\"]')"
        self.tell("writes in a note", self.name_of(json.dumps(key)))
        if self.is_phone and self.chance.random() < 0.5:
            self.page.evaluate(f"{card}?.focus(); {card}?.querySelector('.card-tools button')?.click()")
        else:
            self.page.evaluate(f"{card}?.focus()")
            self.page.press("Enter")
        yield
        if self.chance.random() < 0.6:
            self.page.evaluate(f"{PLACE_CARET}({self.chance.random()})")
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
            way = self.chance.random()
            if way < 0.04:
                yield from self.remove_words()
            elif way < 0.07:
                yield from self.replace_words()
            elif way < 0.11:
                # In the middle of writing.
                yield from self.chance.choice([self.go_offline, self.reload, self.switch, self.rename, self.undo_in_field])()
        if self.chance.random() < 0.6:
            self.tell("ends writing")
            self.page.press("Escape")
        yield

    def type_word(self):
        word = self.ledger.new_word(self.number)
        where = self.name_of("document.activeElement.closest('.card')?.dataset.key")
        self.tell("types", f"{word} in {where}")
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
        self.ledger.written(word, f"{where} in room {self.room}, by {self.name}")

    def press(self, letter):
        self.page.call("Input.dispatchKeyEvent", type="keyDown", key=letter, text=letter, unmodifiedText=letter)
        self.page.call("Input.dispatchKeyEvent", type="keyUp", key=letter)

    def remove_words(self):
        """Selects a word, or some, and deletes them."""
        self.change_words("removes words", "document.execCommand('delete')")
        yield

    def replace_words(self):
        """Selects a word, or some, and writes another one over them."""
        word = self.ledger.new_word(self.number)
        where = self.name_of("document.activeElement.closest('.card')?.dataset.key")
        if self.change_words("replaces words", f"document.execCommand('insertText', false, '{word}')"):
            self.tell("types", f"{word} in {where}")
            self.ledger.written(word, f"{where} in room {self.room}, by {self.name}")
        yield

    def change_words(self, what, how):
        """Gives whether there were any."""
        answers = []
        select = f"{SELECT}({self.chance.random()}, {self.chance.choice([1, 1, 3])})"
        self.remove(lambda: answers.append(self.page.evaluate(f"{select} && {how}")), what)
        return answers[0]

    def stop_writing(self):
        if self.is_writing:
            self.page.press("Escape")
        self.page.evaluate("document.activeElement?.blur(); 0")

    # What removes and restores

    def delete(self):
        if key := self.some_key():
            yield from self.delete_note(key)

    def delete_note(self, key):
        self.stop_writing()
        card = json.dumps(f'.card[data-key="{key}"]')

        def act():
            self.page.evaluate(f"document.querySelector({card})?.focus()")
            if self.page.ask(f"document.activeElement?.dataset.key === {key!r}"):
                self.page.press("Delete")

        self.tell("deletes a note", self.name_of(json.dumps(key)))
        self.remove(act, "has deleted it")
        yield
        if self.chance.random() < 0.3:
            self.remove(lambda: self.page.evaluate("document.querySelector('#notice button')?.click()"), "takes a deletion back")
        yield

    def delete_long(self):
        """A board is tidied now and then; else its notes have no room for words."""
        for key, length in self.page.ask("[...board.room.elements].map(({ key, content = '' }) => [key, content.length])"):
            if length > LONG_NOTE or self.chance.random() < 0.05:
                yield from self.delete_note(key)

    def undo(self):
        self.stop_writing()
        name = self.chance.choice(["undo", "undo", "redo"])
        self.remove(lambda: self.page.evaluate(f"document.getElementById('{name}').click()"), f"clicks {name}")
        yield

    def undo_in_field(self):
        if not self.is_writing:
            return
        keys = CONTROL | self.chance.choice([0, 0, SHIFT])
        self.remove(lambda: self.page.press("z", keys), "undoes in a field")
        yield

    def settle_draft(self):
        """Puts a draft back, or has no use for it any more."""
        if not self.page.ask("!!document.querySelector('.draft')"):
            return
        is_back = self.chance.random() < 0.7
        button = ".draft .primary" if is_back else ".draft .row button:last-child"
        self.remove(
            lambda: self.page.evaluate(f"document.querySelector('{button}').click()"),
            "puts a draft back" if is_back else "discards a draft")
        yield

    # Going and coming

    def rest(self):
        for _ in range(self.chance.randint(1, 20)):
            yield

    def go_offline(self):
        if self.is_offline:
            return self.come_online()
        return self.lose_network()

    def lose_network(self):
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

    def be_kept(self):
        """Else the page asks before it goes, and the user stays."""
        self.page.wait("board.isKept")

    def reload(self):
        self.tell("reloads")
        self.page.evaluate("globalThis.isOld = true")
        self.leave("location.reload()", "!globalThis.isOld && board.room")
        yield

    def leave(self, how, then):
        """A page that has not kept everything asks whether it may be left. Then the user stays for the moment."""
        self.page.has_asked = True
        while self.page.has_asked:
            self.be_kept()
            self.page.has_asked = False
            self.page.leave(how)
            eventually(lambda: self.page.holds(then) or self.page.has_asked, timeout=30)
            if self.page.has_asked:
                self.tell("is asked whether to leave")

    def close_and_open(self):
        """Closes the window and opens another one, which takes its mark."""
        self.tell("closes the window")
        room = self.room
        self.leave("location.replace('about:blank')", "location.href === 'about:blank'")
        before = self.page
        yield
        self.open(room)
        before.call("Page.close")
        self.page.beside = None
        before.socket.close()
        before.browser.close()
        yield

    def switch(self):
        [other] = [room for room in self.trial.rooms if room != self.room]
        self.tell("goes to another room", other)
        self.be_kept()
        self.go_to(other)
        yield

    def go_to(self, room):
        self.page.evaluate(f"location.hash = '{room}'")
        self.page.wait(f"board.room?.id === '{room}'")

    def rename(self):
        name = f"{self.name} {self.chance.randint(1, 99)}"
        self.tell("takes another name", name)
        self.page.evaluate(f"document.getElementById('name').value = '{name}'; document.getElementById('name-form').requestSubmit()")
        yield
