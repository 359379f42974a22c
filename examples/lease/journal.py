# SPDX-License-Identifier: MIT
"""The resource that the lock protects: a journal. It decides by itself, from the permit that comes with each entry."""
import dataclasses
import selectors
import socket
import threading
import time


def boot_ns():
    return time.clock_gettime_ns(time.CLOCK_BOOTTIME)  # the contenders' clock


@dataclasses.dataclass(frozen=True)
class Entry:
    """What somebody wanted to do: whether the lock was theirs they asked at `checked`, and it came at `received`."""
    fence: int
    checked: int
    until: int
    received: int
    verdict: str


class Journal:
    """`late`: its permit had run out, which only a resource on the same machine can say, as it has the same clock.
    `fenced`: somebody with a higher fence has been here, which every resource can say."""

    def __init__(self, path):
        self.entries, self.highest = [], 0
        self.listener = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self.listener.bind(path)
        self.listener.listen()
        threading.Thread(target=self._serve, daemon=True).start()

    def decide(self, fence, until, now):
        if fence < self.highest:
            return "fenced"
        self.highest = fence
        return "late" if now >= until else "ok"

    def _serve(self):
        selector = selectors.DefaultSelector()
        selector.register(self.listener, selectors.EVENT_READ)
        while True:
            for key, _ in selector.select():
                if key.fileobj is self.listener:
                    selector.register(self.listener.accept()[0], selectors.EVENT_READ)
                elif not self._answer(key.fileobj):
                    selector.unregister(key.fileobj)
                    key.fileobj.close()

    def _answer(self, client):
        try:
            message = client.recv(256)
            if message:
                fence, checked, until = map(int, message.split())
                now = boot_ns()
                verdict = self.decide(fence, until, now)
                self.entries.append(Entry(fence, checked, until, now, verdict))
                client.send(verdict.encode())
            return bool(message)
        except ConnectionError:  # killed meanwhile
            return False
