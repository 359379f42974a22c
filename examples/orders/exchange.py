# SPDX-License-Identifier: MIT
"""The exchange, which has the orders: it takes each expiry once, and none from a gateway whose term with the symbol is over."""
import dataclasses
import socket
import sys
import threading
import time


@dataclasses.dataclass(frozen=True)
class Expiry:
    order: str
    symbol: str
    gateway: str
    fence: int
    late: float  # seconds after it was due, by the wall clock of this machine
    at: float
    verdict: str


class Exchange:
    """Listens at `path`. `checks`: whether it looks at fences, and remembers what has expired."""

    def __init__(self, path, checks):
        self.path, self.checks, self.record = path, checks, []
        self.names = {}  # of gateways, by the id of the process
        self.fences, self.expired = {}, set()
        self.lock = threading.Lock()
        self.listener = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self.listener.bind(path)
        self.listener.listen()
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self):
        while True:
            connection = self.listener.accept()[0]
            threading.Thread(target=self._serve, args=(connection,), daemon=True).start()

    def _serve(self, connection):
        peer = int.from_bytes(connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12)[:4], sys.byteorder)
        with connection:
            try:
                while request := connection.recv(512):
                    connection.send(self._judge(peer, request.decode()).encode())
            except OSError:
                pass  # it was killed

    def _judge(self, peer, request):
        order, symbol, fence, due = request.split()
        now = time.time()
        with self.lock:
            verdict = "expired"
            if self.checks and int(fence) < self.fences.get(symbol, 0):
                verdict = "fenced"
            elif self.checks and order in self.expired:
                verdict = "again"
            self.fences[symbol] = max(self.fences.get(symbol, 0), int(fence))
            self.expired.add(order)
            self.record.append(Expiry(order, symbol, self.names.get(peer, "?"), int(fence), now - int(due) / 1e6, now, verdict))
        return verdict

    def of(self, verdict):
        with self.lock:
            return [entry for entry in self.record if entry.verdict == verdict]

    def of_order(self, order):
        with self.lock:
            return [entry for entry in self.record if entry.order == order]
