"""The models of the iOS guide: what its decoder takes, member for member."""

import re

TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ")


def text(value):
    assert isinstance(value, str), value


def time(value):
    """`JSONDecoder` with `.iso8601` takes no fraction."""
    assert isinstance(value, str) and TIME.fullmatch(value), value


def flag(value):
    assert isinstance(value, bool), value


def decode(value, members, optional):
    """Fails where a Swift `Decodable` with these members would throw: one is missing, null or of another type."""
    assert isinstance(value, dict), value
    for name, check in members.items():
        assert name in value, f"keyNotFound: {name} in {value}"
        check(value[name])
    for name, check in optional.items():
        if value.get(name) is not None:
            check(value[name])
    return value


def user(value):
    return decode(value, {
        "id": text, "auth0Id": text, "email": text, "username": text, "firstName": text, "dateOfBirth": time,
        "createdAt": time,
    }, {"avatarUrl": text})


def participant(value):
    return decode(value, {
        "roomId": text, "userId": text, "user": user, "joinedAt": time, "color": text, "isActive": flag,
    }, {"leftAt": time})
