"""The stock browser client (socket.io.min.js) under Node."""

import pytest

from support.browser_client import SCENARIOS, NodeRun

TRANSPORTS = {"polling": ["polling"], "websocket": ["websocket"], "upgrade": ["polling", "websocket"]}


@pytest.mark.parametrize("transports", TRANSPORTS.values(), ids=TRANSPORTS)
class TestUnderNode:
    @pytest.mark.parametrize("configuration", ["3-threads", "3-threads-TLS", "1-thread-compressing"])
    @pytest.mark.parametrize("scenario", SCENARIOS)
    def test_scenario(self, servers, scenario, configuration, transports):
        flags = {"compress": True} if "compressing" in configuration else {}
        server = servers.get(
            suite="socket", threads=int(configuration[0]), tls="TLS" in configuration,
            ping_interval=300, ping_timeout=20_000, **flags)
        NodeRun(server, scenario, transports).check_passed()

    @pytest.mark.parametrize("tls", [False, True], ids=["plain", "TLS"])
    def test_it_comes_back_after_the_server_was_killed(self, own_server, transports, tls):
        server = own_server(suite="socket", threads=3, tls=tls)
        run = NodeRun(server, "comes back after the server was killed", transports)
        run.wait_for_progress("connected")
        server.kill()
        server.restart()
        run.check_passed()
