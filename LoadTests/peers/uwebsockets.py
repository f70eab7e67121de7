"""A server that relays the events of rooms, on socketify, which is uWebSockets for Python: uwebsockets.py PORT.

The engine knows WebSockets alone; the little of Engine.IO and Socket.IO that `roomload` speaks is done here by hand, and
more cheaply than by any library: of a touch the text is cut and pasted, never parsed. A room is a topic of the engine's
publish/subscribe, which gathers what goes to a subscriber in a turn of its loop. Nothing is checked, and nothing kept.
"""

import itertools
import json
import socket
import sys

from socketify import App, OpCode
from socketify.native import lib

OPENED = '0{"sid":"none","upgrades":[],"pingInterval":25000,"pingTimeout":20000,"maxPayload":1000000}'
MOVE, MOVED = '42["touch:move",{', '42["touch:moved",{"userId":"'
END, ENDED = '42["touch:end",{', '42["touch:ended",{"userId":"'
TEXT = int(OpCode.TEXT)

app = App()
numbers = itertools.count(1)


class Client:
    def __init__(self):
        self.name = self.topic = None


def publish_to_others(ws, topic, text):
    """`ws.publish` of the library sends to the publisher too; the engine's own does not."""
    message = text.encode()
    lib.uws_ws_publish_with_options(app.SSL, ws.ws, topic, len(topic), message, len(message), TEXT, False)


def upgrade(response, request, context):
    key, protocol, extensions = (
        request.get_header(f"sec-websocket-{name}") for name in ("key", "protocol", "extensions"))
    response.upgrade(key, protocol, extensions, context, Client())


def opened(ws):
    ws.send(OPENED, OpCode.TEXT)


def message(ws, text, _):
    client = ws.get_user_data()
    if text.startswith(MOVE) and client.topic:
        publish_to_others(ws, client.topic, f'{MOVED}{client.name}",{text[len(MOVE):]}')
    elif text.startswith(END) and client.topic:
        publish_to_others(ws, client.topic, f'{ENDED}{client.name}",{text[len(END):]}')
    elif text.startswith("40"):
        client.name = json.loads(text[2:] or "{}").get("token", "")
        ws.send('40{"sid":"none"}', OpCode.TEXT)
    elif text.startswith("42"):
        took_event(ws, client, *json.loads(text[2:]))


def took_event(ws, client, name, data):
    room = data["roomId"]
    if name == "room:join":
        client.topic = room.encode()
        ws.subscribe(room)
        ws.send(event("room:joined", {"roomId": room}), OpCode.TEXT)
    elif name == "room:leave":
        ws.unsubscribe(room)
        client.topic = None
    elif name == "element:create":
        element = {**data, "id": f"e{next(numbers)}", "createdBy": client.name, "version": 1}
        app.publish(room, event("element:created", element), OpCode.TEXT)
    elif name == "element:update":
        element = {**data, "id": data["elementId"], "updatedBy": client.name}
        app.publish(room, event("element:updated", element), OpCode.TEXT)


def event(name, data):
    return "42" + json.dumps([name, data], separators=(",", ":"))


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


if __name__ == "__main__":
    app.ws("/socket.io/", {
        "compression": 0, "max_payload_length": 1_000_000, "max_backpressure": 64 << 20, "idle_timeout": 0,
        "send_pings_automatically": False, "upgrade": upgrade, "open": opened, "message": message})
    port = int(sys.argv[1]) or free_port()
    app.listen({"port": port, "host": "127.0.0.1"}, lambda _: print(f"listening on http://127.0.0.1:{port}", flush=True))
    # The engine's own loop, which sleeps; that of the library spins between it and asyncio's.
    app.loop.uv_loop.run()
