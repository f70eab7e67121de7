"""Windows whose connection can be cut while the server's files can be loaded, as where only WebSockets and polls fail."""

import pytest

# While localStorage has `cut`, the page loads but Socket.IO cannot be reached.
CUT = """
{
  const [Real, fetched] = [WebSocket, fetch];
  const isCut = () => localStorage.getItem('cut') !== null;
  globalThis.WebSocket = class {
    static OPEN = 1;
    constructor(url) {
      if (!isCut()) return new Real(url);
      setTimeout(() => this.onclose?.({}));
    }
    send() {}
    close() {}
  };
  globalThis.fetch = async (url, options) => {
    if (isCut() && String(url).includes('/socket.io/')) throw new TypeError('cut');
    return fetched(url, options);
  };
}"""


@pytest.fixture
def cuttable(windows, rooms_server, room):
    """Makes windows whose connection can be cut while the server's files can be loaded."""
    def make(*, to=room, joins=True, **options):
        page = windows(joins=False, **options)
        page.call("Page.addScriptToEvaluateOnNewDocument", source=CUT)
        return page.open_board(rooms_server, to, joins=joins)

    return make


def cut(page):
    page.evaluate("localStorage.setItem('cut', 'yes'); 0")
    page.go_offline()
    page.wait("board.client.state !== 'online'")
    page.go_offline(False)


def mend(page):
    page.evaluate("localStorage.removeItem('cut'); dispatchEvent(new Event('online')); 0")
