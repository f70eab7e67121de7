"""The board in a browser window of its own, used as people use it: with mouse, fingers and keys."""

import base64
import json
import random
import time
import urllib.request

from support.browser_client import Page
from support.waiting import eventually

KEYS = {"Enter": ("Enter", 13, "\r"), "Escape": ("Escape", 27, None), "Tab": ("Tab", 9, None),
        "Delete": ("Delete", 46, None), "Backspace": ("Backspace", 8, None), "ArrowLeft": ("ArrowLeft", 37, None), "ArrowUp": ("ArrowUp", 38, None),
        "ArrowRight": ("ArrowRight", 39, None), "ArrowDown": ("ArrowDown", 40, None), "F2": ("F2", 113, None)}
ALT, CONTROL, SHIFT = 1, 2, 8


# The state of a page, for the message of a failure.
STATE = """JSON.stringify({
  document: document.readyState, client: globalThis.board?.client?.state, joined: globalThis.board?.room?.isJoined,
  self: globalThis.board?.room?.self, own: globalThis.sessionStorage?.["rooms-name"],
})"""


class BoardPage(Page):
    """A window with a profile of its own. `faults` has what the browser complained of since it was opened."""

    def __init__(self, chromium, *, width=1000, height=700, scheme="light", mobile=False, beside=None):
        """`beside` is a window whose profile this one shares; it is closed after this one."""
        self.faults = []
        self.has_been_offline = False
        self.layers = []
        # Whether the page has asked if it may be left, when it had not kept everything. The user stays then.
        self.has_asked = False
        self.browser = Page(self._browser_address(chromium.port))
        self.beside = beside
        self.is_phone = mobile
        self.context = beside.context if beside else self.browser.call("Target.createBrowserContext")["browserContextId"]
        target = self.browser.call(
            "Target.createTarget", url="about:blank", browserContextId=self.context, newWindow=True)["targetId"]
        super().__init__(f"ws://127.0.0.1:{chromium.port}/devtools/page/{target}")
        # Without "Network", which tells of each request and costs a seventh of the time in which the board is opened.
        for domain in ("Page", "Runtime", "Log"):
            self.call(f"{domain}.enable")
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=mobile)
        self.call("Emulation.setTouchEmulationEnabled", enabled=mobile, maxTouchPoints=5)
        self.call("Emulation.setFocusEmulationEnabled", enabled=True)
        self.prefer(scheme)

    @staticmethod
    def _browser_address(port):
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        return json.load(opener.open(f"http://127.0.0.1:{port}/json/version", timeout=20))["webSocketDebuggerUrl"]

    def prefer(self, scheme):
        self.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])

    def _heard(self, event):
        parameters = event.get("params", {})
        match event.get("method"):
            case "Runtime.exceptionThrown":
                self.faults.append(parameters["exceptionDetails"])
            case "Runtime.consoleAPICalled" if parameters["type"] in ("error", "warning", "assert"):
                self.faults.append([argument.get("value", argument.get("description")) for argument in parameters["args"]])
            case "Log.entryAdded" if parameters["entry"]["level"] in ("error", "warning"):
                # The browser complains of each attempt without a network.
                if not (self.has_been_offline and "ERR_INTERNET_DISCONNECTED" in str(parameters["entry"])):
                    self.faults.append(parameters["entry"])
            case "Page.javascriptDialogOpening":
                self.has_asked = True
                self._send("Page.handleJavaScriptDialog", {"accept": False})
            case "LayerTree.layerTreeDidChange":
                self.layers = parameters.get("layers", self.layers)

    # The board

    def open_board(self, server, room, *, joins=True):
        self.call("Page.navigate", url=f"{server.url}/?{time.monotonic_ns()}#{room}")
        self.wait("globalThis.board?.client")
        if joins:
            self.wait("board.room.isJoined")
            self.evaluate("document.getElementById('alone-close').click()")
        return self

    def wait(self, expression, timeout=15):
        """Waits until an expression holds. One that throws does not hold: a page that loads has little in it yet."""
        try:
            return eventually(lambda: self.holds(expression), timeout=timeout)
        except AssertionError:
            state = self.ask(STATE)
            raise AssertionError(f"{expression} did not come true; {state}; faults: {self.faults}") from None

    def holds(self, expression):
        return self.ask(f"(() => {{ try {{ return !!({expression}) }} catch {{ return false }} }})()")

    def texts(self):
        return self.ask("[...document.querySelectorAll('.card .text')].map((node) => node.textContent)")

    def elements(self):
        """What is on the board, as the server knows it, by id."""
        return self.ask(
            "Object.fromEntries([...board.room.elements].map(({key, isPending, ...rest}) => [rest.id, rest]))")

    def box(self, selector):
        """The middle of something, and its size, in the window."""
        return self.ask(
            f"(({{x, y, width, height}}) => ({{x: x + width / 2, y: y + height / 2, width, height}}))"
            f"(document.querySelector({json.dumps(selector)}).getBoundingClientRect())")

    def settled_box(self, selector):
        """The same once it moves no more."""
        before = None
        while (now := self.box(selector)) != before:
            before = now
            time.sleep(0.12)
        return now

    def loaded(self):
        """The addresses of what the page has loaded."""
        return self.ask("performance.getEntriesByType('resource').map(({ name }) => name)")

    # Hands

    def mouse(self, kind, x, y, buttons=0, clicks=0):
        # The browser answers when the page has handled it.
        button = "left" if buttons or kind in ("mousePressed", "mouseReleased") else "none"
        self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, buttons=buttons, button=button, clickCount=clicks)

    def move(self, x, y):
        self.mouse("mouseMoved", x, y)

    def click(self, selector):
        box = self.settled_box(selector)
        self.move(box["x"], box["y"])
        self.mouse("mousePressed", box["x"], box["y"], 1, 1)
        self.mouse("mouseReleased", box["x"], box["y"], 0, 1)

    def double_click(self, x, y):
        for clicks in (1, 2):
            self.mouse("mousePressed", x, y, 1, clicks)
            self.mouse("mouseReleased", x, y, 0, clicks)

    def drag(self, x, y, to_x, to_y, steps=12):
        self.move(x, y)
        self.mouse("mousePressed", x, y, 1, 1)
        for step in range(1, steps + 1):
            self.mouse("mouseMoved", x + (to_x - x) * step / steps, y + (to_y - y) * step / steps, 1)
            time.sleep(0.016)
        self.mouse("mouseReleased", to_x, to_y, 0, 1)

    def touch(self, kind, *points):
        self.call(
            "Input.dispatchTouchEvent", type=kind,
            touchPoints=[{"x": x, "y": y, "id": number} for number, (x, y) in enumerate(points)])

    def tap(self, selector):
        box = self.settled_box(selector)
        # Both at once: a finger that stays for half a second does something else.
        points = ({"touchPoints": [{"x": box["x"], "y": box["y"]}], "type": "touchStart"}, {"touchPoints": [], "type": "touchEnd"})
        self.calls_together(*(("Input.dispatchTouchEvent", point) for point in points))

    def edit(self, selector):
        """Opens the text of a card: by a double click, or with a finger by its tools."""
        if not self.is_phone:
            box = self.settled_box(selector + " .text")
            return self.double_click(box["x"], box["y"])
        self.tap(selector)
        self.wait(f"document.querySelector({json.dumps(selector)}).contains(document.activeElement)")
        self.tap(selector + " [aria-label='Edit']")

    def press(self, key, modifiers=0):
        code, number, text = KEYS.get(key) or (f"Key{key.upper()}", ord(key.upper()), key)
        parameters = {"key": key, "code": code, "windowsVirtualKeyCode": number, "modifiers": modifiers}
        if text and not modifiers & (ALT | CONTROL):
            parameters["text"] = text
        self.call("Input.dispatchKeyEvent", type="keyDown", **parameters)
        self.call("Input.dispatchKeyEvent", type="keyUp", **parameters)

    def type(self, text):
        self.call("Input.insertText", text=text)

    def focused(self):
        """What a screen reader would say of where the focus is."""
        return self.ask(
            "document.activeElement.getAttribute('aria-label') ?? document.activeElement.textContent.trim()")

    def painted_layers(self):
        """How many layers the browser paints and puts together: each costs time in each frame."""
        self.layers = []
        self.call("LayerTree.enable")
        # It tells of the layers once something is painted anew.
        self.evaluate(f"document.body.style.color = 'rgb(0 0 0 / {random.random()})'; 0")
        eventually(lambda: self.ask("new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))") and self.layers)
        self.call("LayerTree.disable")
        return sum(layer["drawsContent"] for layer in self.layers)

    # The network

    def block(self, *addresses):
        """From now on requests to these addresses fail, and all others go through."""
        self.call("Network.enable")
        self.call("Network.setBlockedURLs", urls=addresses)

    def go_offline(self, offline=True):
        self.has_been_offline = True
        self.call("Network.enable")
        self.call("Network.emulateNetworkConditions", offline=offline, latency=0, downloadThroughput=-1, uploadThroughput=-1)

    def screenshot(self, path):
        path.write_bytes(base64.b64decode(self.call("Page.captureScreenshot", format="png")["data"]))

    def close(self):
        if not self.beside:
            self.browser.call("Target.disposeBrowserContext", browserContextId=self.context)
        super().close()
        self.browser.close()
