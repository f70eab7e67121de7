"""That what the tests themselves stand on holds: their clients and the way in which they drive a browser."""

import contextlib
import gc
import json
import pathlib
import subprocess
import sys
import threading
import types

import pytest
import socketio
from websockets.sync.server import serve

from support import ports
from support.browser_client import Navigated
from support.participant import Participant, loop
from support.waiting import eventually


def test_a_participant_that_is_collected_leaves_the_others_connected(servers, room):
    """python-engineio closes the HTTP session of a client that is collected, and all participants share one."""
    server = servers.rooms(threads=1)
    ada, bob = Participant(server, "ada"), Participant(server, "bob")
    ada.join(room)
    bob.vanish()
    eventually(lambda: not bob.client.connected)
    del bob
    gc.collect()
    assert ada.create(room, content="still here")["content"] == "still here"
    ada.disconnect()


class Fickle:
    """A server that lets its first client in, and its second, and ends both connections. The third goes on.

    The first one ends when it is told to, the second as soon as its client has sent something.
    """

    def __init__(self):
        self.number, self.may_end = 0, threading.Event()

    def __call__(self, socket):
        self.number += 1
        number = self.number
        timing = {"pingInterval": 25_000, "pingTimeout": 20_000, "maxPayload": 1_000_000}
        socket.send("0" + json.dumps({"sid": f"engine{number}", "upgrades": [], **timing}))
        assert socket.recv().startswith("40")
        socket.send("40" + json.dumps({"sid": f"socket{number}"}))
        if number == 1:
            assert self.may_end.wait(20)
            return
        for message in socket:
            if number == 2:
                return
            socket.send("43" + message[2:message.index("[")] + '["here"]')


@contextlib.contextmanager
def fickle_server():
    fickle = Fickle()
    with serve(fickle, "127.0.0.1", 0) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        address = server.socket.getsockname()[1]
        yield types.SimpleNamespace(url=f"http://127.0.0.1:{address}", fickle=fickle)
        server.shutdown()
        thread.join()


def test_a_participant_whose_connection_ends_while_it_connects_comes_back():
    """python-socketio takes itself for connected if the connection ends while a handler of "connect" waits."""
    with fickle_server() as server:
        ada = Participant(server, "ada", ["websocket"], reconnection=True, reconnection_delay=0.6, connects=False)
        answers = []

        async def come_in():
            if server.fickle.number > 1:
                with contextlib.suppress(socketio.exceptions.TimeoutError):
                    answers.append(await ada.client.call("anything", timeout=10))

        ada.client.on("connect", come_in)
        loop().wait(ada.connecting())
        server.fickle.may_end.set()
        eventually(lambda: answers == ["here"])
        ada.disconnect()


def test_a_question_that_meets_a_page_on_its_way_elsewhere_is_asked_again(windows):
    page = windows()
    page.evaluate("globalThis.isOld = true")
    page.leave("location.reload()")
    # Its answer takes so long that the page has gone, time after time, until it is the new page that answers.
    assert page.ask("new Promise((resolve) => globalThis.isOld || setTimeout(() => resolve(42), 100))") == 42


def test_what_is_done_is_not_done_twice_though_the_page_goes_elsewhere(windows):
    page = windows()
    page.evaluate("sessionStorage.setItem('done', 0)")
    with pytest.raises(Navigated):
        page.evaluate("sessionStorage.setItem('done', 1 + +sessionStorage.getItem('done')); location.reload();"
                      "new Promise(() => {})")
    page.wait("board.room.isJoined")
    assert page.ask("sessionStorage.getItem('done')") == "1"


def test_no_other_process_gives_out_the_ports_of_this_one():
    """Two runs on one machine, whose workers have the same names: one took the port of the other's server that was restarted."""
    share = ports.free_port() // ports.SHARE
    other = subprocess.run(
        [sys.executable, "-c", "from support import ports; print(ports.free_port())"], cwd=pathlib.Path(__file__).parent,
        capture_output=True, text=True, check=True)
    assert int(other.stdout) // ports.SHARE != share
