"""Drives a headless Chromium over the DevTools protocol, through a pipe: standard library only."""

import base64
import itertools
import json
import os
import select
import shutil
import signal
import subprocess
import tempfile
import time

NAMES = ("chromium", "chromium-browser", "google-chrome-stable", "google-chrome")


def find():
    """Returns the path of a Chromium, or None."""
    chosen = os.environ.get("COMBO_CHROMIUM")
    return chosen or next(filter(None, map(shutil.which, NAMES)), None)


class Failure(Exception):
    """The browser refused a command, or the page's own code threw."""


class Browser:
    def __init__(self, path):
        self.folder = tempfile.mkdtemp(prefix="combo-browser-")
        to_browser, self._write = os.pipe()
        self._read, from_browser = os.pipe()
        arguments = [
            path, "--headless=new", "--remote-debugging-pipe", f"--user-data-dir={self.folder}", "--no-first-run",
            "--disable-gpu", "--disable-extensions", "--disable-background-networking", "--disable-component-update",
            "--disable-sync", "--mute-audio", "--hide-scrollbars", "--js-flags=--expose-gc", "--no-default-browser-check",
            # Nothing leaves this machine: the addresses of made-up gifts' pictures do not exist.
            "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1", "about:blank",
        ]
        if os.geteuid() == 0:
            arguments.insert(1, "--no-sandbox")
        self._log = open(os.path.join(self.folder, "log"), "wb")
        # The protocol uses the descriptors 3 and 4.
        shell = ["sh", "-c", f'exec 3<&{to_browser} 4>&{from_browser} && exec "$@"', "sh", *arguments]
        self._process = subprocess.Popen(
            shell, pass_fds=(to_browser, from_browser), stdin=subprocess.DEVNULL, stdout=self._log, stderr=self._log,
            start_new_session=True)
        os.close(to_browser)
        os.close(from_browser)
        self._ids = itertools.count(1)
        self._rest = b""
        self._answers = {}
        self.events = []

    def page(self, width=1280, height=800, mobile=False):
        target = self.call("Target.createTarget", {"url": "about:blank"})["targetId"]
        session = self.call("Target.attachToTarget", {"targetId": target, "flatten": True})["sessionId"]
        return Page(self, target, session, width, height, mobile)

    def call(self, method, parameters=None, session=None, timeout=300):
        number = next(self._ids)
        message = {"id": number, "method": method, "params": parameters or {}}
        if session:
            message["sessionId"] = session
        data = json.dumps(message).encode() + b"\0"
        while data:
            data = data[os.write(self._write, data):]
        # The time-out is generous, so that nothing fails on a busy machine.
        deadline = time.monotonic() + timeout
        while number not in self._answers:
            self._receive(deadline, method)
        answer = self._answers.pop(number)
        if "error" in answer:
            raise Failure(f"{method}: {answer['error']}")
        return answer["result"]

    def _receive(self, deadline, method):
        ready, _, _ = select.select([self._read], [], [], max(0, deadline - time.monotonic()))
        data = os.read(self._read, 1 << 20) if ready else b""
        if not data:
            words = open(self._log.name, errors="replace").read()[-2000:]
            raise Failure(f"{method}: the browser {'did not answer' if not ready else 'ended'}. Its last words: {words}")
        *messages, self._rest = (self._rest + data).split(b"\0")
        for message in map(json.loads, messages):
            if "id" in message:
                self._answers[message["id"]] = message
            else:
                self.events.append(message)

    def close(self):
        try:
            self.call("Browser.close", timeout=5)
            self._process.wait(10)
        except (Failure, OSError, subprocess.TimeoutExpired):
            pass
        finally:
            # Ends its helpers, too, which are in its process group.
            try:
                os.killpg(self._process.pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
            self._process.wait()
            os.close(self._write)
            os.close(self._read)
            self._log.close()
            shutil.rmtree(self.folder, ignore_errors=True)


class Page:
    def __init__(self, browser, target, session, width, height, mobile):
        self._browser, self._target, self._session = browser, target, session
        for domain in ("Page", "Runtime", "Log"):
            self.call(f"{domain}.enable")
        self.resize(width, height, mobile)

    def call(self, method, parameters=None):
        return self._browser.call(method, parameters, self._session)

    def resize(self, width, height, mobile=False, scale=1):
        self.call("Emulation.setDeviceMetricsOverride", {
            "width": width, "height": height, "deviceScaleFactor": scale, "mobile": mobile})
        self.call("Emulation.setTouchEmulationEnabled", {"enabled": mobile})

    def media(self, scheme="dark", motion="no-preference"):
        self.call("Emulation.setEmulatedMedia", {"features": [
            {"name": "prefers-color-scheme", "value": scheme}, {"name": "prefers-reduced-motion", "value": motion}]})

    def open(self, address):
        self.call("Page.navigate", {"url": address})
        self.wait(f"document.readyState === 'complete' && location.href.startsWith({json.dumps(address)})")

    def run(self, code):
        """Runs JavaScript, awaits a promise, and returns the value."""
        answer = self.call("Runtime.evaluate", {
            "expression": code, "awaitPromise": True, "returnByValue": True, "userGesture": True})
        if "exceptionDetails" in answer:
            raise Failure(answer["exceptionDetails"].get("exception", {}).get("description", str(answer)))
        return answer["result"].get("value")

    def wait(self, condition, seconds=60):
        """Waits until the condition is true. A failure has its last value."""
        deadline = time.monotonic() + seconds
        while True:
            try:
                value = self.run(condition)
            except Failure as failure:
                # The page is being replaced by the next one.
                value = failure
            if value and not isinstance(value, Failure):
                return value
            if time.monotonic() > deadline:
                raise Failure(f"did not come true: {condition} (last: {value}); page: {self.faults()}")
            time.sleep(0.03)

    def key(self, key, code=None, text=None, modifiers=0):
        codes = {"Tab": 9, "Enter": 13, "Escape": 27, "ArrowUp": 38, "ArrowDown": 40, "/": 191}
        common = {"key": key, "code": code or key, "modifiers": modifiers, "windowsVirtualKeyCode": codes.get(key, 0)}
        text = text or {"Enter": "\r", "/": "/"}.get(key)
        self.call("Input.dispatchKeyEvent", {
            "type": "keyDown" if text else "rawKeyDown", **common, **({"text": text} if text else {})})
        self.call("Input.dispatchKeyEvent", {"type": "keyUp", **common})

    def type(self, text):
        self.call("Input.insertText", {"text": text})

    def screenshot(self, path):
        data = self.call("Page.captureScreenshot", {"format": "png"})["data"]
        with open(path, "wb") as file:
            file.write(base64.b64decode(data))

    def heap(self):
        """Returns the bytes in use after a collection, and the number of the document's nodes, including detached ones."""
        for _ in range(3):
            self.call("HeapProfiler.collectGarbage")
        return self.call("Runtime.getHeapUsage")["usedSize"], self.call("Memory.getDOMCounters")["nodes"]

    def faults(self):
        """Returns the errors that the page threw, and violations of its policy."""
        found = []
        for event in self._browser.events:
            if event.get("sessionId") != self._session:
                continue
            if event["method"] == "Runtime.exceptionThrown":
                found.append(event["params"]["exceptionDetails"].get("exception", {}).get("description", "thrown"))
            if event["method"] == "Log.entryAdded":
                entry = event["params"]["entry"]
                # Pictures and connections may fail.
                if entry["level"] == "error" and entry["source"] != "network":
                    found.append(entry["text"])
        return found

    def forget_faults(self):
        self._browser.events = [event for event in self._browser.events if event.get("sessionId") != self._session]

    def close(self):
        self._browser.call("Target.closeTarget", {"targetId": self._target})
