"""Messages between people, of which their phones are told through OneSignal."""

import asyncio
import time


class Correspondence:
    """Some people write to each other. A message whose answer was lost is not sent again: it may be there."""

    def __init__(self, trial):
        self.trial = trial

    async def go_on(self, phone):
        others = [id for id in self.trial.players if id != phone.person.id]
        if not others or not self.trial.gets_messages(phone.person):
            return
        recipient, began = phone.chance.choice(others), time.monotonic()
        body = {"userId": recipient, "content": "Welcome", "kind": "info"}
        try:
            status, answer = await phone.send("POST", "/subspace/api/v1/messages", body)
        except (OSError, asyncio.TimeoutError, ValueError, self.trial.client_errors):
            return
        if status == 201:
            self.trial.messages["message_received", answer["id"]] = (recipient, began)
            self.trial.ledger.counts["messages"] += 1

    async def find_all(self):
        """Those whose answers were lost are here, too: they may come, and come once."""
        for id, device in self.trial.players.items():
            phone = next(phone for phone in self.trial.phones if phone.person is device.person)
            found = await phone.ask("GET", f"/users/{id}/messages?limit=100", base="/subspace/api/v1")
            for message in found["data"]:
                # When it was made is not known: nothing has to have come.
                self.trial.messages.setdefault(("message_received", message["id"]), (id, float("-inf")))
