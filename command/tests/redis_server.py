# SPDX-License-Identifier: MIT
"""A Redis of a test's own, and a connection to it."""
import os
import socket
import subprocess
import time


class Server:
    """A Redis on a socket in the directory."""

    def __init__(self, directory, *options):
        self.path = os.path.join(directory, "redis.sock")
        self.process = subprocess.Popen(["redis-server", "--port", "0", "--unixsocket", self.path, "--save", "", "--dir", directory,
                                         "--logfile", os.path.join(directory, "redis.log"), *options])
        self.url = "redis+unix://" + self.path
        self.link = socket.socket(socket.AF_UNIX)
        for _ in range(1000):
            if os.path.exists(self.path) and self.link.connect_ex(self.path) == 0:
                break
            time.sleep(0.01)
        self.replies = self.link.makefile("rb")

    def ask(self, *words):
        words = [word if isinstance(word, bytes) else str(word).encode() for word in words]
        self.link.sendall(b"*%d\r\n" % len(words) + b"".join(b"$%d\r\n%s\r\n" % (len(word), word) for word in words))
        return self.read()

    def read(self):
        line = self.replies.readline().rstrip(b"\r\n")
        if line[:1] == b"*":
            return [self.read() for _ in range(int(line[1:]))]
        if line[:1] == b"$" and line != b"$-1":
            return self.replies.read(int(line[1:]) + 2)[:-2]
        return line

    def end(self):
        self.replies.close()
        self.link.close()
        self.process.terminate()
        self.process.wait()
