# SPDX-License-Identifier: MIT
"""usage: delay_test.py EXAMPLE BUILD

Redis's answers come late. A lease counts from before the request all the same, so a holder has that much less of it.
"""
import socket
import sys
import tempfile
import threading
import time
from pathlib import Path

sys.path[:0] = [sys.argv[1], str(Path(sys.argv[1]).parent)]
from journal import Journal
from processes import Contender
from stage import Redis, until

SKIPPED, LEASE_MS, DELAY_MS = 77, 1200, 150


def forward(source, target, delay):
    try:
        while data := source.recv(4096):
            time.sleep(delay)
            target.sendall(data)
    except OSError:
        pass  # one end has hung up: so does the other
    for end in (source, target):
        try:
            end.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass


def serve(listener, redis_path):
    while True:
        client, server = listener.accept()[0], socket.socket(socket.AF_UNIX)
        server.connect(redis_path)
        for way in ((client, server, 0), (server, client, DELAY_MS / 1000)):
            threading.Thread(target=forward, args=way, daemon=True).start()


def main(build):
    if not Redis.installed() or not Path(build, "contender").exists():
        sys.exit(SKIPPED)
    with tempfile.TemporaryDirectory(prefix="lease-") as directory:
        redis, record, contender = Redis(directory, keeps=False), [], None
        Journal(f"{directory}/journal")
        try:
            listener = socket.socket(socket.AF_UNIX)
            listener.bind(f"{directory}/slow")
            listener.listen()
            threading.Thread(target=serve, args=(listener, redis.path), daemon=True).start()
            contender = Contender("A", [f"{build}/contender", "--redis", f"{directory}/slow", "--journal",
                                        f"{directory}/journal", "--lease", str(LEASE_MS), "--hold", "3000"], record)
            until(lambda: sum(event.kind == "renewed" for event in list(record)) >= 4, "renewals")
            contender.end()
        finally:
            if contender:
                contender.kill()
            redis.kill()
    for event in record:
        if event.kind in ("granted", "renewed"):
            left = event.until - event.at
            assert left <= (LEASE_MS - DELAY_MS) * 1_000_000, f"{left} ns left of a lease that was asked for long ago"


if __name__ == "__main__":
    main(sys.argv[2])
