"""A headless Chromium for checks of pages, by the DevTools protocol over a pipe."""

import base64
import json
import os
import select
import shutil
import subprocess
import time

BROWSERS = ("chromium-headless-shell", "chrome-headless-shell", "chromium",
            "chromium-browser", "google-chrome")


def find_browser():
    """The program of a Chromium, or None."""
    return next(filter(None, map(shutil.which, BROWSERS)), None)


class Problem(Exception):
    """The browser did not execute a command."""


class Browser:
    """A headless Chromium; commands go to its one page."""

    def __init__(self, program: str, directory: str):
        to_browser, from_browser = os.pipe(), os.pipe()
        self.write_end, self.read_end = to_browser[1], from_browser[0]
        ends = (to_browser[0], from_browser[1])
        # Without a sandbox, which containers and root lack: the pages are our own.
        command = [program, "--headless", "--remote-debugging-pipe", "--disable-gpu",
                   "--no-first-run", "--disable-extensions", "--mute-audio",
                   "--disable-background-networking", "--disable-dev-shm-usage",
                   "--force-color-profile=srgb", f"--user-data-dir={directory}", "--no-sandbox",
                   "about:blank"]
        # The browser requires the descriptors 3 and 4.
        script = f'exec "$@" 3<&{ends[0]} 4>&{ends[1]}'
        self.process = subprocess.Popen(
            ["bash", "-c", script, "bash", *command], pass_fds=ends,
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        for end in ends:
            os.close(end)
        self.buffer = b""
        self.number = 0
        self.session = None
        self.events = []
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target,
                                 flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Network", "Log"):
            self.call(domain + ".enable")

    def close(self):
        self.process.terminate()
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()

    def receive(self, deadline: float) -> dict:
        """Returns the next message, and stores it if it is an event."""
        while b"\0" not in self.buffer:
            ready, _, _ = select.select([self.read_end], [], [],
                                        max(0, deadline - time.monotonic()))
            if not ready:
                raise Problem("the browser does not respond")
            data = os.read(self.read_end, 1 << 20)
            if not data:
                raise Problem("the browser has ended")
            self.buffer += data
        data, self.buffer = self.buffer.split(b"\0", 1)
        message = json.loads(data)
        if "method" in message:
            self.events.append(message)
        return message

    def call(self, method: str, **params):
        self.number += 1
        message = {"id": self.number, "method": method, "params": params}
        if self.session:
            message["sessionId"] = self.session
        data = json.dumps(message).encode() + b"\0"
        while data:
            data = data[os.write(self.write_end, data):]
        deadline = time.monotonic() + 120
        while True:
            message = self.receive(deadline)
            if message.get("id") == self.number:
                if "error" in message:
                    raise Problem(f"{method}: {message['error']['message']}")
                return message["result"]

    def evaluate(self, code: str):
        """The value of an expression in the page."""
        done = self.call("Runtime.evaluate", expression=code, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in done:
            raise Problem("in the page: " + str(done["exceptionDetails"]))
        return done["result"].get("value")

    def show(self, url: str, width: int, scheme: str, media="screen"):
        """Loads a page, and waits until it is drawn."""
        self.view(width, scheme, media)
        self.events = []
        self.call("Page.navigate", url=url)
        deadline = time.monotonic() + 120
        while not any(e["method"] == "Page.loadEventFired" for e in self.events):
            self.receive(deadline)
        self.settle()

    def view(self, width: int, scheme: str, media="screen"):
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=900,
                  deviceScaleFactor=1, mobile=False)
        self.call("Emulation.setEmulatedMedia", media=media, features=[
            {"name": "prefers-color-scheme", "value": scheme}])

    def settle(self):
        """Waits until the page has drawn its changes."""
        self.evaluate("new Promise(done => requestAnimationFrame(() => "
                      "requestAnimationFrame(() => setTimeout(done, 20))))")

    def picture(self, scale=1.0) -> bytes:
        size = self.call("Page.getLayoutMetrics")["cssContentSize"]
        return base64.b64decode(self.call(
            "Page.captureScreenshot", format="png", captureBeyondViewport=True,
            clip={"x": 0, "y": 0, "width": size["width"],
                  "height": size["height"], "scale": scale})["data"])
