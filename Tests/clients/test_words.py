"""A short round of Tests/words: two users write with the aim of losing a word, and lose none."""

import contextlib

import pytest

from support.server import RoomsServer
from word_trial import Trial
from word_ledger import HANDS, Ledger, words_in


@pytest.mark.long
@pytest.mark.timeout(400)
def test_two_users_lose_no_word(chromium, own_server, tmp_path):
    trial = Trial(own_server(RoomsServer, threads=2, data=tmp_path / "data"), chromium, seed=16)
    with contextlib.closing(trial):
        trial.run(lambda trial: trial.steps >= 600)
    assert len(trial.ledger.words) > 20
    assert trial.ledger.lost == [] and trial.ledger.faults == []


class TestTheLedger:
    """It would find a loss, and takes no removal for one."""

    def test_it_misses_a_word_that_is_nowhere(self):
        ledger = Ledger()
        there, gone = ledger.new_word(0), ledger.new_word(0)
        for word in (there, gone):
            ledger.written(word, "a-note in room one, by desk")
        assert ledger.check([f"on {there} the board"]) == [gone]
        # It is reported once.
        assert ledger.check([there]) == [] and ledger.lost == [gone]

    def test_what_a_user_saw_and_removed_is_not_lost_until_it_comes_back(self):
        ledger = Ledger()
        word = ledger.new_word(1)
        ledger.written(word, "a-note in room one, by phone")
        ledger.changed(words_in([word]), words_in([]))
        assert ledger.check([]) == []
        assert ledger.check([word]) == []
        assert ledger.check([]) == [word]

    def test_what_another_user_still_sees_has_not_come_back(self):
        ledger = Ledger()
        word = ledger.new_word(1)
        ledger.written(word, "a-note in room one, by phone")
        ledger.changed(words_in([word]), words_in([]), "phone")
        # The other one has come into the room, to which the deletion is still on its way.
        ledger.changed(words_in([]), words_in([word]), "desk")
        assert ledger.check([]) == []
        ledger.changed(words_in([]), words_in([word]), "phone")
        assert ledger.check([]) == [word]

    def test_of_two_copies_each_user_may_remove_one(self):
        ledger = Ledger()
        word = ledger.new_word(1)
        ledger.written(word, "a-note in room one, by phone")
        ledger.changed(words_in([word]), words_in([word, word]))
        ledger.changed(words_in([word, word]), words_in([word]))
        assert ledger.check([]) == []

    def test_a_word_is_found_around_words_of_others_and_its_own(self):
        outer, inner, other = HANDS[0].word(1), HANDS[0].word(2), HANDS[1].word(3)
        assert words_in([f"{outer[:3]} {inner[:2]}{other} {inner[2:]} {outer[3:]}"]) == {outer: 1, inner: 1, other: 1}
        assert words_in([outer[:-1]]) == {}
