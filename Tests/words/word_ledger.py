"""The words that were written, and what became of them."""

import collections
import re

DIGITS = 5
STORY_MAX = 200


class Hand:
    """How one user's words look: five letters between a first and a last one. No other user's word has one of these letters,
    so a word is also found where another user wrote in the middle of it."""

    def __init__(self, letters):
        self.first, self.middle, self.last = letters[0], letters[1:-1], letters[-1]
        self.others = re.compile(f"[^{letters}]")
        self.pattern = re.compile(f"{self.first}[{self.middle}]{{{DIGITS}}}{self.last}")

    def word(self, number):
        digits = []
        for _ in range(DIGITS):
            number, digit = divmod(number, len(self.middle))
            digits.insert(0, self.middle[digit])
        return self.first + "".join(digits) + self.last

    def words_in(self, text):
        """The words of a text, each as often as it is there. Inner words are taken out first: the outer ones are whole then."""
        found, rest = collections.Counter(), self.others.sub("", text)
        while words := self.pattern.findall(rest):
            found.update(words)
            rest = self.pattern.sub("", rest)
        return found


HANDS = [Hand("abcdefghijklm"), Hand("nopqrstuvwxyz")]


def words_in(texts):
    return sum((hand.words_in(text) for text in texts for hand in HANDS), collections.Counter())


class Ledger:
    def __init__(self):
        # Where each word was written, and which users have removed it, by the word.
        self.words, self.removed, self.count = {}, {}, 0
        # Words that may be in more than one note: two users may each take away another one.
        self.copied = set()
        self.lost, self.faults = [], []
        self.done = collections.Counter()
        self.log = collections.deque(maxlen=4_000)

    def new_word(self, hand):
        self.count += 1
        return HANDS[hand].word(self.count)

    def written(self, word, where):
        self.words[word] = where

    def note(self, who, what, detail=""):
        self.done[what] += 1
        self.log.append(f"{who} {what} {detail}".rstrip())

    def changed(self, before, after, who=""):
        """A user has done what may remove words, saw so many of each word before, and sees so many now. Gives those that are gone."""
        self.copied.update(word for word, count in (before | after).items() if count > 1)
        # Another user may see what this one has removed without a connection, and loses it when that one is back.
        for word in [word for word, by in self.removed.items() if who in by and after[word] and not before[word]]:
            # It stays removed if another user has removed it, too.
            self.removed[word].discard(who)
            if not self.removed[word]:
                del self.removed[word]
        fewer = {word for word, count in before.items() if after[word] < count}
        gone = {word for word in fewer if not after[word] or word in self.copied}
        for word in gone:
            self.removed.setdefault(word, set()).add(who)
        return gone

    def expected(self):
        return [word for word in self.words if word not in self.removed]

    def check(self, texts):
        """Each word that nobody has removed is in one of the texts. Gives the words that are not."""
        there = words_in(texts)
        lost = [word for word in self.expected() if not there[word]]
        self.lost += lost
        self.copied.update(word for word, count in there.items() if count > 1)
        # What is there stays, also if it was taken away and came back. What is lost is reported once.
        self.removed = {word: by for word, by in self.removed.items() if not there[word]} | {word: set() for word in lost}
        return lost

    def story(self, word):
        """What happened to the word and its note, to drafts and the server, from a while before the word was typed; and the newest of everything."""
        lines = list(self.log)
        typed = next((number for number, line in enumerate(lines) if word in line), 0)
        meant = re.compile(f"{word}|{self.words[word].split()[0]}|draft|back|server")
        old = max(len(lines) - STORY_MAX // 2, 0)
        return [line for line in lines[max(typed - STORY_MAX, 0):old] if meant.search(line)][-STORY_MAX:] + ["---", *lines[old:]]

    def companions(self, word):
        """The words that were written in the same note at about that time."""
        words = list(self.words)
        place = words.index(word)
        return {other for other in words[max(place - 40, 0):place + 40] if self.words[other].split()[0] == self.words[word].split()[0]}

    @property
    def is_whole(self):
        return not self.lost and not self.faults
