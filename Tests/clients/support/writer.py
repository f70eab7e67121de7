"""A client that changes a room without pause and knows its acked changes, for servers that are killed."""

import json
import random
import threading
import urllib.error
import urllib.request

from support.returning import Returning

NOTE = {"type": "note", "positionX": 1, "positionY": 2, "width": 3, "height": 4}


def health(server):
    try:
        with urllib.request.urlopen(server.url + "/healthz") as answer:
            return answer.status, json.load(answer)["status"]
    except urllib.error.HTTPError as answer:
        return answer.code, json.load(answer)["status"]


class Writer(threading.Thread):
    """Creates, changes and deletes elements without waiting, until its server ends; knows what was acked."""

    IN_FLIGHT = 16
    may_be_refused = False

    def __init__(self, server, name, room, seed):
        super().__init__(daemon=True)
        self.server, self.name_, self.room, self.random = server, name, room, random.Random(seed)
        self.created = []  # What was acked, in the order of the acks: the contents.
        self.ids = {}  # Of what was acked and not asked to be deleted.
        self.versions = {}
        self.deleted = set()
        self.asked_to_delete = set()
        self.unacked = {}
        self.refused = []
        self.number = 0

    def run(self):
        client = Returning(self.server, self.name_)
        try:
            client.connect()
            client.join(self.room)
            while True:
                while len(self.unacked) < self.IN_FLIGHT:
                    self.begin(client)
                if not client.read(1 << 16):
                    return
                self.take(client.answers)
                client.events.clear()
        except OSError:
            pass
        except AssertionError:  # It ended before it was in the room.
            pass
        finally:
            self.take(client.answers)
            client.socket and client.socket.close()

    def begin(self, client):
        self.number += 1
        content = f"{self.name_}-{self.number}"
        action = self.random.choice(["create"] * 4 + ["update", "delete"]) if self.ids else "create"
        if action == "create":
            event, argument = "element:create", {**NOTE, "content": content, "clientId": content}
        else:
            content = self.random.choice(list(self.ids))
            event, argument = f"element:{action}", {"elementId": self.ids[content]}
            if action == "update":
                argument["positionX"] = self.number
            else:
                self.asked_to_delete.add(content)
                del self.ids[content]
        client.acks += 1
        self.unacked[str(client.acks)] = (action, content)
        client.send(f"42{client.acks}" + json.dumps([event, {"roomId": self.room, **argument}]))

    def take(self, answers):
        for number in [number for number in answers if number in self.unacked]:
            answer, (action, content) = answers.pop(number), self.unacked.pop(number)
            if not answer["ok"]:
                self.refused.append(answer)
            elif action == "create":
                self.created.append(content)
                self.ids[content] = answer["element"]["id"]
                self.versions[content] = 1
            elif action == "update":
                self.versions[content] = max(self.versions[content], answer["element"]["version"])
            else:
                self.deleted.add(content)

    def check(self, elements):
        """What was acked is there once and in its order, or gone if that was acked; nothing else was made twice."""
        contents = [element["content"] for element in elements]
        assert len(set(contents)) == len(contents), "something is there twice"
        place = {content: index for index, content in enumerate(contents)}
        living = [content for content in self.created if content not in self.asked_to_delete]
        assert [content for content in living if content not in place] == [], "acked and not there"
        assert [place[content] for content in living] == sorted(place[content] for content in living), "not in order"
        assert not self.deleted & set(contents), "acked as deleted and there"
        for content in living:
            assert elements[place[content]]["version"] >= self.versions[content], "acked and not changed"
        # An element is gone only if its deletion was requested.
        assert self.may_be_refused or not self.refused, self.refused[:3]
