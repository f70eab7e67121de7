"""The stock browser client (socket.io.min.js) in headless Chromium."""

import pytest

from support.browser_client import SCENARIOS, OtherOrigin, copy_page
from support.waiting import eventually

TRANSPORTS = {"polling": ["polling"], "websocket": ["websocket"], "upgrade": ["polling", "websocket"]}


@pytest.fixture
def page(chromium):
    page = chromium.new_page()
    yield page
    page.call("Page.close")
    page.close()


@pytest.fixture(scope="module")
def static(tmp_path_factory):
    return copy_page(tmp_path_factory.mktemp("static"))


@pytest.fixture(scope="module")
def other_origin(static):
    other = OtherOrigin(static)
    yield other
    other.stop()


@pytest.mark.parametrize("transports", TRANSPORTS.values(), ids=TRANSPORTS)
class TestInChromium:
    @pytest.mark.parametrize("configuration", ["3-threads", "3-threads-TLS", "1-thread-compressing"])
    @pytest.mark.parametrize("scenario", SCENARIOS)
    def test_scenario_on_a_page_of_the_same_server(self, servers, page, static, scenario, configuration, transports):
        flags = {"compress": True} if "compressing" in configuration else {}
        server = servers.get(
            suite="socket", threads=int(configuration[0]), tls="TLS" in configuration, static=static,
            ping_interval=300, ping_timeout=20_000, **flags)
        page.open(server.url + "/page.html")
        page.check_passed(scenario, server.url, transports)

    @pytest.mark.parametrize("tls", [False, True], ids=["plain", "TLS"])
    @pytest.mark.parametrize("scenario", SCENARIOS[:3])
    def test_scenario_on_a_page_of_a_listed_origin(self, servers, page, other_origin, scenario, tls, transports):
        server = servers.get(suite="socket", threads=3, tls=tls, origins=other_origin.url)
        page.open(other_origin.url + "/page.html")
        page.check_passed(scenario, server.url, transports)

    def test_a_page_of_another_origin_is_refused(self, servers, page, other_origin, transports):
        server = servers.get(suite="socket", threads=3, origins="https://app.example")
        page.open(other_origin.url + "/page.html")
        page.check_passed("is refused", server.url, transports)

    @pytest.mark.parametrize("scenario", ["comes back to exactly what it missed", "comes back to several rooms"])
    def test_it_comes_back_to_its_rooms_without_asking_for_it(self, servers, page, other_origin, scenario, transports):
        server = servers.rooms(threads=3, origins=other_origin.url)
        page.open(other_origin.url + "/page.html")
        page.check_passed(scenario, server.url, transports)

    def test_it_comes_back_after_the_server_was_killed(self, own_server, chromium, page, other_origin, transports):
        server = own_server(suite="socket", threads=3, origins=other_origin.url)
        page.open(other_origin.url + "/page.html")
        page.evaluate("globalThis.outcome = null")
        start = f"void run('comes back after the server was killed', '{server.url}', {transports}).then((o) => outcome = o)"
        page.evaluate(start)
        eventually(lambda: page.evaluate("progressed.includes('connected')"))
        server.kill()
        server.restart()
        assert eventually(lambda: page.evaluate("outcome")) == "passed"
