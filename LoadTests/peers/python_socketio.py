"""A Socket.IO server that relays the events of rooms, on python-socketio, uvicorn and uvloop: python_socketio.py PORT.

It does what its library's users do: a room of the library for each room, an event to it for each event. Handlers run in
the order in which events come, without a task for each; compression is off. Nothing is checked, and nothing kept.
"""

import itertools
import sys

import socketio
import uvicorn

server = socketio.AsyncServer(
    async_mode="asgi", cors_allowed_origins="*", async_handlers=False, http_compression=False, max_http_buffer_size=1_000_000)
names = {}
numbers = itertools.count(1)


@server.event
async def connect(sid, environ, auth):
    names[sid] = (auth or {}).get("token", sid)


@server.event
async def disconnect(sid, reason):
    names.pop(sid, None)


@server.on("room:join")
async def join(sid, data):
    room = data["roomId"]
    await server.enter_room(sid, room)
    await server.emit("room:joined", {"roomId": room}, to=sid)
    return {"ok": True, "roomId": room}


@server.on("room:leave")
async def leave(sid, data):
    await server.leave_room(sid, data["roomId"])
    return {"ok": True}


@server.on("touch:move")
async def move(sid, data):
    touch = {"roomId": data["roomId"], "userId": names[sid], "x": data["x"], "y": data["y"]}
    await server.emit("touch:moved", touch, room=data["roomId"], skip_sid=sid)


@server.on("touch:end")
async def end(sid, data):
    await server.emit("touch:ended", {"roomId": data["roomId"], "userId": names[sid]}, room=data["roomId"], skip_sid=sid)


@server.on("element:create")
async def create(sid, data):
    element = {**data, "id": f"e{next(numbers)}", "createdBy": names[sid], "version": 1}
    await server.emit("element:created", element, room=data["roomId"])
    return {"ok": True, "element": element}


@server.on("element:update")
async def update(sid, data):
    element = {**data, "id": data["elementId"], "updatedBy": names[sid]}
    await server.emit("element:updated", element, room=data["roomId"])
    return {"ok": True, "element": element}


if __name__ == "__main__":
    uvicorn.run(
        socketio.ASGIApp(server), host="127.0.0.1", port=int(sys.argv[1]), loop="uvloop", http="httptools",
        ws="websockets-sansio", ws_per_message_deflate=False, access_log=False, log_level="info", backlog=4096)
