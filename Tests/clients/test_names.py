"""Names that people choose: what each of them may have, in every interface. docs/SECURITY.md has the reasons."""

import pytest

from support.accounts import PASSWORD, Caller, accounts_server, address
from support.rest import data
from support.subspace import Person, introduced

# Cyrillic, an invisible space, a turn of direction, full width, an accent of its own, no dot, a soft hyphen, the Kelvin sign.
LOOK_ALIKES = [
    "ad\u0430m", "ada\u200bm", "ada\u202em", "\uff41dam", "ada\u0301m", "ad\u0131m", "adam\u00ad", "\u212aate", "\u2067adam"]
UNFIT = {
    "empty": "", "blank": " \u00a0\u3000", "invisible": "\u200b\u200d", "a soft hyphen alone": "\u00ad", "a line more": "a\nb",
    "a line of Unicode": "a\u2028b", "a control character": "a\x07b", "nul": "a\x00b", "turned round": "\u202eevil",
    "a turn inside": "a\u2066b", "the end of a turn": "a\u2069"}


@pytest.fixture(scope="module")
def server(servers, tmp_path_factory):
    return accounts_server(servers.get, tmp_path_factory.mktemp("data"))


@pytest.fixture(scope="module")
def person(server):
    person = Person(server)
    introduced(person)
    return person


def account_name(person, name):
    return Caller(person.server).post("/api/auth/sign-up", {"name": name, "email": address(), "password": PASSWORD})


def subspace_name(person, name):
    body = {"name": name, "email": address(), "password": PASSWORD}
    return Caller(person.server, "/subspace/api/v1").post("/auth/register", body)


def first_name(person, name):
    body = {"username": f"u{address()[5:-12]}.names", "firstName": name, "dateOfBirth": "1990-05-06"}
    return Caller(person.server, token=Person(person.server).token).post("/api/auth/complete-profile", body)


def room_name(person, name):
    other = Person(person.server)
    introduced(other)
    return Caller(person.server, token=person.token).post("/api/rooms", {"userIds": [other.id], "name": name})


def profile_name(person, name):
    username = f"p{address()[5:-12]}.names"
    body = {"username": username, "displayName": name}
    return Caller(person.server, "/interspace/api/v1", Person(person.server).token).post("/profiles", body)


def username(person, name):
    body = {"username": name, "firstName": "Ann", "dateOfBirth": "1990-05-06"}
    return Caller(person.server, token=Person(person.server).token).post("/api/auth/complete-profile", body)


def profile_username(person, name):
    body = {"username": name, "displayName": "Ann"}
    return Caller(person.server, "/interspace/api/v1", Person(person.server).token).post("/profiles", body)


# The names that are shown, with the most characters of each, and the ones by which people are found.
SHOWN = {account_name: 80, subspace_name: 255, first_name: 80, room_name: 80, profile_name: 80}
FOUND_BY = [username, profile_username]
REFUSED = (400, 422)


class TestNamesThatAreShown:
    @pytest.mark.parametrize("name", UNFIT.values(), ids=UNFIT)
    @pytest.mark.parametrize("send", SHOWN, ids=lambda send: send.__name__)
    def test_are_one_visible_line_that_turns_nothing_round(self, person, send, name):
        assert send(person, name).status_code in REFUSED

    @pytest.mark.parametrize("send, most", SHOWN.items(), ids=lambda value: getattr(value, "__name__", str(value)))
    def test_have_a_bound_in_characters_whatever_their_bytes(self, person, send, most):
        for letter in ("a", "\u0937", "\U0001f680", "\u0301"):
            assert send(person, ("a" + letter * most)[:most + 1]).status_code in REFUSED
            assert send(person, ("a" + letter * most)[:most]).status_code in (200, 201)

    @pytest.mark.parametrize("send", SHOWN, ids=lambda send: send.__name__)
    def test_may_have_letters_of_any_script_also_of_several(self, person, send):
        """They identify nobody, and many people have the same: so letters that look alike are no reason to refuse one."""
        for name in ("Zoë", "عمر", "नरेंद्र", "👩‍👩‍👧", "Ad\u0430m", "Адам Smith", "می‌خواهم"):
            assert send(person, name).status_code in (200, 201), name


class TestNamesByWhichPeopleAreFound:
    @pytest.mark.parametrize("name", [*LOOK_ALIKES, *UNFIT.values(), "ab", "a" * 31, "a" * 10_000])
    @pytest.mark.parametrize("send", FOUND_BY, ids=lambda send: send.__name__)
    def test_are_ascii_and_short(self, person, send, name):
        assert send(person, name).status_code in REFUSED

    @pytest.mark.parametrize("send", FOUND_BY, ids=lambda send: send.__name__)
    def test_are_unique_whatever_the_case_of_their_letters(self, person, send):
        name = f"Kate{address()[5:-12]}"
        assert send(person, name).status_code in (200, 201)
        for same in (name, name.lower(), name.upper()):
            assert send(person, same).status_code in (400, 409)
        for look_alike in ("\u212a" + name[1:], name.replace("a", "\u0430")):
            assert send(person, look_alike).status_code in REFUSED

    def test_stand_beside_the_name_that_is_shown(self, person):
        """So two people of the same name can be told apart."""
        user = data(Caller(person.server, token=person.token).get("/api/auth/me"))
        assert {"firstName", "username"} <= set(user)
