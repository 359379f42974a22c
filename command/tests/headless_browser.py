# SPDX-License-Identifier: MIT
"""Headless Chromium, driven by its DevTools protocol over a WebSocket; the standard library alone."""
import base64
import contextlib
import json
import os
import pathlib
import re
import shutil
import socket
import struct
import subprocess
import tempfile
import time

NAMES = ("chromium", "chromium-browser", "google-chrome")
PAGE_GONE = re.compile("navigated or closed|context was destroyed|Cannot find .*context")


class PageGone(RuntimeError):
    """The page was left for another while the browser was asked about it."""


def installed():
    """The path of the browser; None: there is none."""
    return next(filter(None, map(shutil.which, NAMES)), None)


class WebSocket:
    """A client of RFC 6455 for text messages, which may come in fragments."""

    def __init__(self, port, path, timeout):
        self.socket = socket.create_connection(("127.0.0.1", port), timeout)
        key = base64.b64encode(os.urandom(16)).decode()
        self.socket.sendall((f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nUpgrade: websocket\r\n"
                             f"Connection: Upgrade\r\nSec-WebSocket-Key: {key}\r\nSec-WebSocket-Version: 13\r\n\r\n")
                            .encode())
        self.stream = self.socket.makefile("rb")
        status = self.stream.readline()
        if b" 101 " not in status:
            raise RuntimeError(f"no WebSocket: {status!r}")
        while self.stream.readline().strip():
            pass

    def send(self, text):
        payload, mask = text.encode(), os.urandom(4)
        length = len(payload)
        head = struct.pack("!BB", 0x81, 0x80 | length) if length < 126 else \
            struct.pack("!BBH", 0x81, 0xFE, length) if length < 1 << 16 else struct.pack("!BBQ", 0x81, 0xFF, length)
        self.socket.sendall(head + mask + bytes(byte ^ mask[i % 4] for i, byte in enumerate(payload)))

    def receive(self):
        message = b""
        while True:
            first, length = struct.unpack("!BB", self._read(2))
            if length == 126:
                length, = struct.unpack("!H", self._read(2))
            elif length == 127:
                length, = struct.unpack("!Q", self._read(8))
            payload = self._read(length)
            if first & 0xF == 8:
                raise ConnectionError("the browser has closed the connection")
            if first & 0xF < 8:  # not a ping or a pong
                message += payload
                if first & 0x80:
                    return message.decode()

    def _read(self, length):
        data = self.stream.read(length)
        if len(data) != length:
            raise ConnectionError("the browser has gone")
        return data

    def close(self):
        self.stream.close()
        self.socket.close()


class Tab:
    """One page. `errors` has what the browser's console would show in red, exceptions among them."""

    def __init__(self, port, target):
        self.websocket = WebSocket(port, f"/devtools/page/{target}", timeout=60)
        self.number, self.errors, self.events = 0, [], []
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")

    def call(self, method, **parameters):
        self.number += 1
        self.websocket.send(json.dumps({"id": self.number, "method": method, "params": parameters}))
        while True:
            message = json.loads(self.websocket.receive())
            if message.get("id") == self.number:
                if "error" in message:
                    what = message["error"]["message"]
                    raise (PageGone if PAGE_GONE.search(what) else RuntimeError)(f"{method}: {what}")
                return message["result"]
            self._note(message)

    def _note(self, message):
        method, its = message.get("method"), message.get("params", {})
        self.events.append(method)
        if method == "Runtime.exceptionThrown":
            self.errors.append(its["exceptionDetails"].get("exception", {}).get("description", "exception"))
        elif method == "Log.entryAdded" and its["entry"]["level"] in ("error", "warning"):
            self.errors.append(f"{its['entry']['text']} {its['entry'].get('url', '')}")
        elif method == "Runtime.consoleAPICalled" and its["type"] in ("error", "warning", "assert"):
            self.errors.append(str(its["args"]))

    def show(self, width, height=900, scheme="light", scripts=True):
        """The size of the window in CSS pixels, the colour scheme, and whether scripts may run, from the next page on."""
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1,
                  mobile=width < 600)
        self.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
        self.call("Emulation.setScriptExecutionDisabled", value=not scripts)

    def open(self, url):
        self.events.clear()
        self.call("Page.navigate", url=url)
        self.wait_for(lambda: "Page.loadEventFired" in self.events, f"{url} to load")

    def wait_for(self, ready, what, seconds=60):
        until = time.monotonic() + seconds
        while not ready():
            if time.monotonic() > until:
                raise TimeoutError(f"waited {seconds} s for {what}")
            self.call("Runtime.getIsolateId")  # takes in the events that have come
            time.sleep(0.02)

    def run(self, expression):
        """The value of an expression of JavaScript in the page; works with the page's own scripts off as well."""
        result = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in result:
            raise RuntimeError(f"{expression}: {result['exceptionDetails']}")
        return result["result"].get("value")

    def press(self, key, code):
        for kind in ("keyDown", "keyUp"):
            self.call("Input.dispatchKeyEvent", type=kind, key=key, windowsVirtualKeyCode=code,
                      **({"text": "\r"} if key == "Enter" and kind == "keyDown" else {}))

    def picture(self, whole=True):
        """PNG."""
        return base64.b64decode(self.call("Page.captureScreenshot", captureBeyondViewport=whole)["data"])

    def close(self):
        self.websocket.close()


@contextlib.contextmanager
def browser():
    """A browser of its own, with a profile that goes with it; yields a function that opens a Tab."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        process = subprocess.Popen(
            [installed(), "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
             "--no-first-run", "--hide-scrollbars", "--remote-debugging-port=0", f"--user-data-dir={profile}",
             "about:blank"], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        tabs = []
        try:
            port = _port_of(pathlib.Path(profile) / "DevToolsActivePort", process)

            def tab():
                target = _ask(port, "PUT", "/json/new?about:blank")["id"]
                tabs.append(Tab(port, target))
                return tabs[-1]
            yield tab
        finally:
            for each in tabs:
                each.close()
            process.terminate()
            process.wait()


def _port_of(file, process):
    until = time.monotonic() + 60
    while time.monotonic() < until:
        if process.poll() is not None:
            raise RuntimeError(f"the browser has ended with status {process.returncode}")
        if file.exists() and "\n" in file.read_text():
            return int(file.read_text().split("\n")[0])
        time.sleep(0.05)
    raise TimeoutError("the browser did not say its port")


def _ask(port, method, path):
    with socket.create_connection(("127.0.0.1", port), 60) as connection:
        connection.sendall(f"{method} {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nConnection: close\r\n\r\n".encode())
        stream = connection.makefile("rb")
        length = None
        while (line := stream.readline().strip()):
            if line.lower().startswith(b"content-length:"):
                length = int(line.split(b":")[1])
        return json.loads(stream.read(length))
