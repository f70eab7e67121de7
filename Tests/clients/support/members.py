"""What members of rooms in a cluster do and know."""

from support.writer import NOTE

# More than a lease of 3 s, a grace of 2 s and what the others need to notice the end, on a busy machine.
TAKEOVER_SECONDS = 20


def members(room, *clients):
    for client in clients:
        client.connect().join(room)


def contents(client):
    """The notes of which the client knows."""
    known = []
    for name, argument in client.events:
        if name == "room:joined":
            known = [note["content"] for note in argument["elements"]]
        elif name == "element:created":
            known.append(argument["content"])
    return known


def create(client, room, content, **fields):
    answer = client.ask("element:create", roomId=room, **NOTE, content=content, **fields)
    assert answer["ok"], answer
    return answer["element"]
