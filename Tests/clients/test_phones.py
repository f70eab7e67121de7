"""A short round of `make phones`: phones sync, send batches, upload in chunks and are notified, while links break, services fail
and the server is killed."""

import re
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

TRIAL = Path(__file__).resolve().parents[1] / "phones/trial.py"
sys.path.append(str(TRIAL.parent))

from check import Check  # noqa: E402
from ledger import Ledger, Operation  # noqa: E402
from phone import Device, Person  # noqa: E402
from services import Mood, Request  # noqa: E402


@pytest.mark.long
@pytest.mark.timeout(240)
@pytest.mark.parametrize("store", ["sqlite", "postgresql"])
def test_nothing_comes_twice_and_nothing_is_lost(store):
    # At SIGTERM it ends what it has started.
    result = subprocess.run(
        ["timeout", "220", sys.executable, TRIAL, "--phones", "30", "--seconds", "6", "--uploads", "3", "--store", store],
        capture_output=True, text=True)
    assert result.returncode == 0, result.stdout + result.stderr
    rows = {name.strip(): int(count.replace(",", "")) for _, name, count in re.findall(r"\| (\w+) \|(.+)\|(.+)\|", result.stdout)}
    assert rows["kill -9"] > 0 and rows["operations sent again"] > 0
    assert rows["links cut on the way there"] + rows["links cut on the way back"] > 0
    assert rows["whispers"] > 0 and rows["copies"] == 120 and rows["uploads"] == 3
    assert rows["notifications taken"] > 0 and rows["notifications that had to come"] > 0


class TestTheCheck:
    """It finds what it is for."""

    @pytest.fixture
    def ann(self):
        return Person(1, "ann")

    @pytest.fixture
    def ben(self):
        ben = Person(2, "ben")
        ben.devices.append(Device("phone", "ios", ben, True, registered=1))
        return ben

    @pytest.fixture
    def check(self, ann, ben):
        trial = SimpleNamespace(
            ledger=Ledger(), kills=[5], moods=[Mood(None)], people=[ann, ben], players={}, messages={},
            is_gone=lambda device: device.token in trial.moods[0].gone, followers=lambda person: [],
            person={"ann": ann, "ben": ben}.get)
        return Check(trial)

    def operation(self, check, person, type, resource, data, id, began=2):
        made = Operation(person, type, resource, data, began=began, resource_id=id)
        check.ledger.done(made)
        return made

    @pytest.mark.parametrize("items, words", [
        ([("w", "one")], None), ([("w", "one"), ("x", "one")], "2 whispers say"), ([], "is not there"), ([("w", "two")], "is lost"),
        ([("w", "one"), ("x", "else")], "nobody has made"), ([("w", "one"), ("x", "refused")], "that was refused")])
    def test_a_whisper_is_there_once_as_it_was_said(self, check, ann, items, words):
        self.operation(check, ann, "create", "whisper", {"content": "one"}, "w")
        self.operation(check, ann, "create", "whisper", {"content": "refused"}, None)
        check.each_once({id: {"id": id, "content": content} for id, content in items})
        assert any(words in text for text in check.ledger.broken) if words else check.ledger.broken == []

    def test_a_change_and_a_deletion_hold(self, check, ann):
        self.operation(check, ann, "create", "whisper", {"content": "one"}, "w")
        self.operation(check, ann, "update", "whisper", {"id": "w", "content": "two"}, "w")
        check.each_once({"w": {"content": "one"}})
        assert "a change is lost" in check.ledger.broken[0]
        self.operation(check, ann, "delete", "whisper", {"id": "w"}, "w")
        check.each_once({"w": {"content": "two"}})
        assert "that was deleted" in check.ledger.broken[1]

    @pytest.mark.parametrize("requests, words", [
        ([("a", 3, "taken")], None), ([], "did not come"), ([("a", 3, "away")], "did not come"),
        ([("a", 3, "taken"), ("a", 4, "taken")], "came twice"), ([("a", 3, "taken"), ("a", 6, "taken")], None),
        ([("a", 3, "hangs up"), ("a", 4, "taken")], None), ([("a", 3, "hangs up"), ("b", 4, "taken")], "two forms"),
        ([("a", 3, "rejects"), ("a", 4, "taken")], None), ([("a", 3, "rejects"), ("a", 4, "rejects")], "is sent to again"),
        ([("a", 3, "rejects"), ("a", 6, "rejects")], None)])
    def test_a_notification_comes_once(self, check, ann, ben, requests, words):
        self.operation(check, ben, "create", "whisper", {"content": "one"}, "w")
        self.operation(check, ann, "create", "whisper", {"content": "two", "parent_id": "w"}, "r")
        [mood] = check.trial.moods
        for identity, at, end in requests:
            mood.requests.append(Request("phone", ("whisper_reply", "r"), identity, at, end, "whisper_reply:r"))
            if end == "rejects":
                mood.gone["phone"] = at
        check.notifications()
        assert any(words in text for text in check.ledger.broken) if words else check.ledger.broken == []

    @pytest.mark.parametrize("places, is_fine", [("aa", True), ("ab", False), ([None, None], False), ("aba", False)])
    def test_a_phone_shows_it_once(self, check, places, is_fine):
        [mood] = check.trial.moods
        for place in places:
            mood.requests.append(Request("phone", ("whisper_reply", "r"), "a", 3, "hangs up", place))
        check.shown(mood)
        assert any("is shown twice" in text for text in check.ledger.broken) != is_fine
        # Another phone shows it, too.
        check.ledger.broken.clear()
        mood.requests[1:] = [Request("other", ("whisper_reply", "r"), "a", 3, "taken", "b")]
        check.shown(mood)
        assert check.ledger.broken == []

    def test_a_notification_comes_to_nobody_else(self, check, ann):
        [mood] = check.trial.moods
        mood.requests.append(Request("phone", ("whisper_reply", "r"), "a", 3, "taken"))
        check.notifications()
        assert "not to have it" in check.ledger.broken[0]
