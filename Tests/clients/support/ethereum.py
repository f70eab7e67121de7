"""A wallet in a browser: what a page finds as `window.ethereum`, with keys and signatures of a test."""

import json

PROVIDER = """
    globalThis.wallet = { address: %s, asked: null, count: 0 };
    globalThis.ethereum = {
      isMetaMask: true,
      request: ({ method, params }) => new Promise((resolve, reject) => {
        if (method === 'eth_requestAccounts') return resolve([globalThis.wallet.address]);
        if (method !== 'personal_sign') return reject({ code: 4200, message: 'no such method' });
        globalThis.wallet.count += 1;
        globalThis.wallet.asked = { text: params[0], address: params[1], resolve, reject };
      }),
    };"""


class BrowserWallet:
    """The wallet of a page, which is loaded with it."""

    def __init__(self, page, wallet, **options):
        self.page, self.wallet = page, wallet
        page.call("Page.addScriptToEvaluateOnNewDocument", source=PROVIDER % json.dumps(wallet.address.lower()))
        page.open_pages(page.server, **options)

    def asked(self):
        """Waits until the page wants something signed, and gives the text."""
        self.page.wait("wallet.asked !== null")
        assert self.page.ask("wallet.asked.address") == self.wallet.address.lower()
        return bytes.fromhex(self.page.ask("wallet.asked.text").removeprefix("0x")).decode()

    def sign(self):
        self.answer(f"resolve({json.dumps(self.wallet.sign(self.asked()))})")

    def refuse(self, code=4001):
        self.asked()
        self.answer(f"reject({{ code: {code}, message: 'User rejected the request.' }})")

    def answer(self, call):
        self.page.evaluate(f"{{ const {{ asked }} = wallet; wallet.asked = null; asked.{call}; }} 0")

    @property
    def count(self):
        """How often it was asked to sign."""
        return self.page.ask("wallet.count")
