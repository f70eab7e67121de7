"""Several people write in one note: edits meet at the room's home, contents are merged, carets are state."""

import pytest

from support.participant import Participant, Refused, settle
from support.returning import Returning
from support.server import RoomsServer

EDITS = {"rooms": {"text": "edits"}}


@pytest.fixture
def writers(people, room):
    """Two who take edits, and one who takes whole elements."""
    ada, bob = (people(name, auth={"token": name, **EDITS}) for name in ("ada", "bob"))
    cleo = people("cleo")
    for person in (ada, bob, cleo):
        person.join(room)
    return ada, bob, cleo


def edit(person, room, element, version, changes, **fields):
    return person.ask(
        "element:edit", roomId=room, elementId=element["id"], version=version, changes=changes, **fields)


def refusal(call, *arguments, **fields):
    with pytest.raises(Refused) as refused:
        call(*arguments, **fields)
    return refused.value


def applied(text, changes):
    """The text after changes, in UTF-16 units."""
    source, result, place = text.encode("utf-16-le"), b"", 0
    for part in changes:
        if isinstance(part, str):
            result += part.encode("utf-16-le")
        elif part > 0:
            result, place = result + source[place:place + 2 * part], place + 2 * part
        else:
            place -= 2 * part
    assert place == len(source)
    return result.decode("utf-16-le")


class TestEdits:
    def test_edits_of_one_version_meet_and_all_read_the_same_text(self, writers, room):
        ada, bob, cleo = writers
        note = ada.create(room, content="one three")
        assert edit(ada, room, note, 1, [4, "two ", 5]) == {"ok": True, "version": 2}
        merged = edit(bob, room, note, 1, [9, " four"])
        assert merged["element"]["content"] == "one two three four"
        assert merged["element"]["version"] == 3
        for person in (ada, bob):
            first = person.wait_for("element:edited", version=2)
            assert first == {"roomId": room, "elementId": note["id"], "version": 2, "changes": [4, "two ", 5],
                             "userId": "ada", "updatedAt": first["updatedAt"]}
            second = person.wait_for("element:edited", version=3)
            assert applied(applied("one three", first["changes"]), second["changes"]) == "one two three four"
            assert (second["userId"], second["updatedAt"]) == ("bob", merged["element"]["updatedAt"])
            assert not person.named("element:updated")
        assert cleo.wait_for("element:updated", version=2)["content"] == "one two three"
        assert cleo.wait_for("element:updated", version=3) == merged["element"]
        assert not cleo.named("element:edited")

    def test_what_came_first_stands_first_at_the_same_place(self, writers, room):
        ada, bob, _ = writers
        note = ada.create(room, content="")
        edit(ada, room, note, 1, ["first "])
        assert edit(bob, room, note, 1, ["second"])["element"]["content"] == "first second"

    def test_a_resend_changes_nothing_twice(self, writers, room):
        ada, bob, _ = writers
        note = ada.create(room, content="a")
        assert edit(ada, room, note, 1, [1, "b"], clientId="k1") == {"ok": True, "version": 2}
        assert bob.wait_for("element:edited")["clientId"] == "k1"
        edit(bob, room, note, 2, [2, "c"], clientId="k1")
        again = edit(ada, room, note, 1, [1, "b"], clientId="k1")
        assert (again["element"]["content"], again["element"]["version"]) == ("abc", 3)

    def test_other_changes_of_the_element_do_not_disturb_an_edit(self, writers, room):
        ada, bob, _ = writers
        note = ada.create(room, content="a")
        bob.ask("element:update", roomId=room, elementId=note["id"], positionX=9)
        moved = edit(ada, room, note, 1, [1, "b"])["element"]
        assert (moved["content"], moved["positionX"], moved["version"]) == ("ab", 9, 3)
        # A whole new content counts as the change that it makes.
        bob.ask("element:update", roomId=room, elementId=note["id"], content="say ab")
        assert edit(ada, room, note, 3, [2, "c"])["element"]["content"] == "say abc"

    def test_lengths_count_utf_16_units_and_no_character_is_cut(self, writers, room):
        ada, _, cleo = writers
        note = ada.create(room, content="a𝄞b")
        assert edit(ada, room, note, 1, [3, "ü", 1]) == {"ok": True, "version": 2}
        assert cleo.wait_for("element:updated")["content"] == "a𝄞üb"
        assert refusal(edit, ada, room, note, 2, [2, "x", 3]).code == "CONFLICT"
        assert edit(ada, room, note, 2, [1, -2, 2])["version"] == 3
        assert cleo.wait_for("element:updated")["content"] == "aüb"

    def test_what_does_not_fit_is_a_conflict_with_the_current_element(self, writers, room):
        ada, *_ = writers
        note = ada.create(room, content="text")
        for version, changes in [(2, [4, "x"]), (1, [3, "x"]), (1, [5]), (1, [])]:
            conflict = refusal(edit, ada, room, note, version, changes)
            assert conflict.code == "CONFLICT"
            assert conflict.details["element"] == note

    def test_wrong_changes_are_named(self, writers, room):
        ada, *_ = writers
        note = ada.create(room, content="text")
        for changes in (None, "x", [0], [""], [1.5], [[]], [None], [4, {}], 513 * [1], [10_001], [1, -10_001]):
            wrong = refusal(edit, ada, room, note, 1, changes)
            assert (wrong.code, wrong.details) == ("VALIDATION_ERROR", {"field": "changes"})
        for version in (0, -1, "1", None):
            assert refusal(edit, ada, room, note, version, [4]).details == {"field": "version"}
        assert refusal(edit, ada, room, note, 1, [4], clientId="").details == {"field": "clientId"}
        assert refusal(edit, ada, room, {"id": "nothing"}, 1, [4]).code == "NOT_FOUND"

    def test_a_control_character_is_refused_and_named_in_every_event(self, writers, room):
        ada, *_ = writers
        note = ada.create(room, content="text")
        for character in ("\0", "\x1b", "\x7f", "\x9b"):
            words = f"must not have the control character U+{ord(character):04X}."
            text = f"a{character}"
            for wrong, field in [
                    (refusal(edit, ada, room, note, 1, [4, text]), "changes"), (refusal(ada.create, room, content=text), "content"),
                    (refusal(ada.ask, "element:update", roomId=room, elementId=note["id"], content=text), "content")]:
                assert (wrong.code, wrong.error["message"], wrong.details) == ("VALIDATION_ERROR", f"{field} {words}", {"field": field})
        assert edit(ada, room, note, 1, [4, "\u2028\u0085\u2067\f\v\t\r\n"])["version"] == 2

    def test_the_bound_of_a_text_holds_after_the_merge(self, writers, room):
        ada, bob, _ = writers
        note = ada.create(room, content=4_990 * "a")
        edit(ada, room, note, 1, [8 * "b", 4_990])
        tooLong = refusal(edit, bob, room, note, 1, [4_990, "ccc"])
        assert (tooLong.code, tooLong.details) == ("PAYLOAD_TOO_LARGE", {"field": "changes"})
        assert edit(bob, room, note, 1, [4_990, "cc"])["element"]["version"] == 3


class TestMergedContents:
    def update(self, person, room, note, content, base, **fields):
        return person.ask("element:update", roomId=room, elementId=note["id"], content=content, baseVersion=base, **fields)

    def test_two_stock_clients_keep_both_their_words(self, people, room):
        ada, bob = people("ada", "bob")
        ada.join(room)
        bob.join(room)
        note = ada.create(room, content="milk, eggs")
        self.update(ada, room, note, "milk, butter, eggs", 1)
        merged = self.update(bob, room, note, "oat milk, eggs, tea", 1)["element"]
        assert (merged["content"], merged["version"]) == ("oat milk, butter, eggs, tea", 3)
        for person in (ada, bob):
            assert person.wait_for("element:updated", version=3) == merged

    def test_those_who_take_edits_get_the_change_alone(self, writers, room):
        ada, bob, cleo = writers
        note = ada.create(room, content="a c")
        self.update(cleo, room, note, "a c d", 1)
        edit(ada, room, note, 1, [2, "b ", 1])
        texts = [ada.wait_for("element:edited", version=version)["changes"] for version in (2, 3)]
        assert texts == [[3, " d"], [2, "b ", 3]]
        # With other members the whole element comes.
        self.update(cleo, room, note, "a b c d!", 3, positionX=5)
        assert ada.wait_for("element:updated", version=4)["content"] == "a b c d!"

    def test_the_same_content_sent_twice_is_merged_once(self, people, room):
        ada, bob = people("ada", "bob")
        ada.join(room)
        bob.join(room)
        note = ada.create(room, content="a")
        self.update(ada, room, note, "a word", 1)
        self.update(bob, room, note, "see a", 1)
        assert self.update(ada, room, note, "a word", 1)["element"]["content"] == "see a word"
        assert self.update(ada, room, note, "a word more", 1)["element"]["content"] == "see a word more"

    def test_an_unknown_base_is_a_conflict(self, people, room):
        ada = people("ada")
        ada.join(room)
        note = ada.create(room, content="a")
        assert refusal(self.update, ada, room, note, "b", 2).code == "CONFLICT"
        assert refusal(self.update, ada, room, note, "b", 0).details == {"field": "baseVersion"}
        # The version still means a conflict, whatever the base.
        self.update(ada, room, note, "b", 1)
        assert refusal(self.update, ada, room, note, "c", 1, version=1).code == "CONFLICT"

    def test_content_that_is_removed_leaves_what_others_wrote(self, people, room):
        ada, bob = people("ada", "bob")
        ada.join(room)
        bob.join(room)
        note = ada.create(room, content="old")
        self.update(ada, room, note, "old new", 1)
        assert self.update(bob, room, note, None, 1)["element"]["content"] == " new"
        assert "content" not in self.update(bob, room, note, None, 3)["element"]


class TestCarets:
    def caret(self, person, room, note, position, **fields):
        person.ask("element:caret", roomId=room, elementId=note and note["id"], position=position, **fields)

    def test_a_caret_reaches_those_who_take_edits(self, writers, room):
        ada, bob, cleo = writers
        note = ada.create(room, content="text")
        self.caret(ada, room, note, 2, anchor=4, version=1)
        caret = {"roomId": room, "userId": "ada", "elementId": note["id"], "position": 2, "anchor": 4, "version": 1}
        assert bob.wait_for("element:caret") == caret
        self.caret(ada, room, None, None)
        assert bob.wait_for("element:caret") == {"roomId": room, "userId": "ada", "elementId": None}
        settle(room, ada, cleo)
        assert not cleo.named("element:caret")

    def test_who_joins_is_told_the_current_carets(self, writers, people, room):
        ada, bob, _ = writers
        note = ada.create(room, content="text")
        self.caret(ada, room, note, 2)
        self.caret(bob, room, note, 3)
        self.caret(bob, room, None, None)
        ada.wait_for("element:caret", userId="bob", elementId=None)
        dora = people("dora", auth={"token": "dora", **EDITS})
        dora.join(room)
        assert dora.wait_for("element:caret", userId="ada")["position"] == 2
        settle(room, ada, dora)
        assert not dora.named("element:caret")

    def test_a_caret_ends_with_leaving_and_with_the_connection(self, writers, room):
        ada, bob, _ = writers
        note = ada.create(room, content="text")
        self.caret(ada, room, note, 1)
        bob.wait_for("element:caret", position=1)
        ada.vanish()
        assert bob.wait_for("element:caret")["elementId"] is None
        self.caret(bob, room, note, 1)
        bob.ask("room:leave", roomId=room)

    def test_wrong_places_are_named(self, writers, room):
        ada, *_ = writers
        note = ada.create(room, content="text")
        for position in (-1, 10_001, "1", 1.5, None):
            assert refusal(self.caret, ada, room, note, position).details == {"field": "position"}
        assert refusal(self.caret, ada, room, note, 1, anchor=-1).details == {"field": "anchor"}
        # The element may have been deleted just now.
        self.caret(ada, room, {"id": "nothing"}, 1)


class TestComingBack:
    def test_the_missed_edits_come_with_offsets(self, rooms_server, room):
        rooms = {"text": "edits", "recovery": True}
        ada = Participant(rooms_server, "ada", ["websocket"], auth={"token": "ada", "rooms": rooms})
        bob = Participant(rooms_server, "bob", ["websocket"], auth={"token": "bob", **EDITS})
        ada.join(room)
        bob.join(room)
        note = ada.create(room, content="a")
        edit(bob, room, note, 1, [1, "b"])
        edited, offset = ada.wait_for("element:edited")
        assert edited["changes"] == [1, "b"]
        assert offset.count(".") == 1

    def test_a_restart_keeps_the_texts_and_edits_go_on(self, own_server, room, tmp_path):
        server = own_server(RoomsServer, data=tmp_path / "data", rate_limits="off")
        rooms = {"recovery": True, "text": "edits"}
        with Returning(server, "ada", rooms=rooms) as ada, Returning(server, "bob", rooms=rooms) as bob:
            for client in (ada, bob):
                client.connect().join(room)
            note = ada.ask(
                "element:create", roomId=room, type="note", positionX=1, positionY=1, width=1, height=1, content="a")["element"]
            place = {"roomId": room, "elementId": note["id"]}
            assert ada.ask("element:edit", **place, version=1, changes=[1, "b"], clientId="a1")["version"] == 2
            bob.wait_for("element:edited", version=2)
            ada.cut()
            assert bob.ask("element:edit", **place, version=2, changes=[2, "c"], clientId="b1")["version"] == 3
            bob.cut()
            server.kill()
            server.restart()
            ada.connect()
            # What she missed comes in the form that is stored.
            assert ada.got("element:updated", version=3)["content"] == "abc"
            conflict = ada.ask("element:edit", **place, version=2, changes=[2, "d"], clientId="a2")["error"]
            assert (conflict["code"], conflict["details"]["element"]["content"]) == ("CONFLICT", "abc")
            # The server before may have told versions that it had not stored.
            version = 4 + (1 << 14)
            assert ada.ask("element:edit", **place, version=3, changes=[3, "d"], clientId="a2") == {"ok": True, "version": version}
            conflict = ada.ask("element:delete", **place, version=4)["error"]
            assert (conflict["code"], conflict["details"]["element"]["content"]) == ("CONFLICT", "abcd")
            assert ada.ask("element:edit", **place, version=version, changes=[4, "e"], clientId="a3")["version"] == version + 1
            bob.connect()
            assert bob.got("element:updated", version=version)["content"] == "abcd"
            assert bob.got("element:edited", version=version + 1)["changes"] == [4, "e"]
