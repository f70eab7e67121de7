"""The words that were written, and what became of them."""

import collections
import re

WORD = re.compile(r"[a-z]\d{4,}z")
# Between the letters of a word there may be what another user has written at the same place at the same time.
BETWEEN = 60


class Ledger:
    def __init__(self):
        # Who has written it, and whether somebody has removed it, by the word.
        self.words, self.removed = {}, set()
        self.count, self.lost, self.split = 0, [], set()
        self.done = collections.Counter()
        self.log = collections.deque(maxlen=400)

    def new_word(self, writer):
        self.count += 1
        return f"{writer}{self.count:04d}z"

    def written(self, word, where):
        self.words[word] = where

    def is_gone(self, words):
        """A user has removed these, and saw them when it did."""
        self.removed |= set(words)

    def note(self, who, what):
        self.done[what.split(":")[0]] += 1
        self.log.append(f"{who} {what}")

    def expected(self):
        return [word for word in self.words if word not in self.removed]

    def check(self, texts):
        """All that was written and that nobody has removed is in one of the texts. Gives the words that are not."""
        there = {word for text in texts for word in words_in(text)}
        missing = [word for word in self.expected() if word not in there]
        cut = {word for word in missing if any(is_split(word, text) for text in texts)}
        self.split |= cut
        lost = [word for word in missing if word not in cut]
        for word in lost:
            self.lost.append((word, self.words[word]))
        # Each is reported once.
        self.removed |= set(missing)
        return lost


def words_in(text):
    return WORD.findall(text)


def is_split(word, text):
    """Whether all letters of a word are there, in their order, with those of another user between them."""
    pattern = (".{0,%d}?" % BETWEEN).join(map(re.escape, word))
    return re.search(pattern, text, re.DOTALL) is not None
