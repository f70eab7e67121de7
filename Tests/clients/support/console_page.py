"""The operators' console in a browser window of its own."""

import json
import urllib.parse

from support.board_page import BoardPage

OPERATOR = "operators-token-of-thirty-two-bytes-or-more"


# Keeps what the page tells: it takes each notice down after some seconds.
KEEP_NOTICES = """globalThis.told = [];
addEventListener("DOMContentLoaded", () => {
  const notice = document.getElementById("notice");
  new MutationObserver(() => told.push(notice.textContent)).observe(notice, { childList: true });
});"""


class ConsolePage(BoardPage):
    def __init__(self, chromium, **options):
        super().__init__(chromium, **options)
        self.call("Page.addScriptToEvaluateOnNewDocument", source=KEEP_NOTICES)

    def open_console(self, server, *, room=None, comes_in=True):
        self.call("Page.navigate", url=f"{server.url}/console" + (f"#{urllib.parse.quote(room)}" if room else ""))
        self.wait("document.getElementById('door').open")
        if comes_in:
            self.come_in()
        return self

    def come_in(self, token=OPERATOR):
        self.type(token)
        self.press("Enter")
        self.wait("document.getElementById('state').dataset.state === 'online'")
        self.wait("document.querySelector('#tiles div') && document.querySelector('figure')")

    def wait_told(self, text):
        self.wait(f"told.includes({json.dumps(text)})")

    def text(self, selector):
        return self.ask(f"document.querySelector({selector!r})?.textContent.replace(/\\s+/g, ' ').trim()")

    def tile(self, name):
        return self.ask(
            f"[...document.querySelectorAll('#tiles div')].find((tile) => tile.firstChild.textContent === {name!r})"
            "?.querySelector('dd').firstChild.data")

    def tile_note(self, name):
        """What stands below the number of a tile."""
        return self.ask(
            f"[...document.querySelectorAll('#tiles div')].find((tile) => tile.firstChild.textContent === {name!r})"
            "?.querySelector('dd small').textContent")

    def rows(self, table):
        return self.ask(
            f"[...document.querySelectorAll('#{table} tbody tr')].map((row) => [...row.children].map((cell) => cell.textContent))")

    def press_button(self, selector):
        self.evaluate(f"document.querySelector({selector!r}).click()")

    def search(self, *texts):
        """Several are sought one right after another, before there is an answer."""
        self.evaluate(f"""for (const text of {list(texts)}) {{
            document.getElementById('find-text').value = text;
            document.querySelector('#find button').click();
        }}""")

    def be_sure(self, sure=True):
        """Answers the question that is asked before anything is done."""
        self.wait("document.getElementById('sure').open")
        self.press_button("#sure-yes" if sure else "#sure button")
        self.wait("!document.getElementById('sure').open")
