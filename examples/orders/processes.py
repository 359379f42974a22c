# SPDX-License-Identifier: MIT
"""Gateways and a trader, with what they say."""
import subprocess
import threading

from stage import Program, has_stopped


class Speaker(Program):
    """A process and the lines that it has printed, each split into words."""

    def __init__(self, command, stdin=subprocess.DEVNULL):
        self.lines = []
        super().__init__(command, lambda line: self.lines.append(line.split()), stdin)

    def said(self, word):
        """What followed that word, of each line that began with it."""
        return [line[1] for line in list(self.lines) if line[0] == word]


class Gateway(Speaker):
    def __init__(self, program, redis, exchange, name, lease_ms):
        super().__init__([program, redis.path, exchange.path, name, str(lease_ms)])
        self.name = name
        exchange.names[self.process.pid] = name

    def shards(self):
        owned = self.said("owns")
        return int(owned[-1]) if owned else 0

    def has_stopped(self):
        return has_stopped(self.process)

    def end(self):
        super().end(f"gateway {self.name}")


class Trader(Speaker):
    """It places orders and cancels them; by any thread."""

    def __init__(self, program, redis, lease_ms):
        super().__init__([program, redis.path, str(lease_ms)], stdin=subprocess.PIPE)
        self.lock = threading.Lock()

    def ask(self, *words):
        with self.lock:
            self.process.stdin.write(" ".join(map(str, words)) + "\n")
            self.process.stdin.flush()

    def answers(self):
        """What became of each cancel, by order."""
        wanted = ("cancelled", "running", "gone", "unknown")
        return {line[1]: line[0] for line in list(self.lines) if line[0] in wanted}

    def end(self):
        self.process.stdin.close()
        self.wait("the trader")


class Expirer(Speaker):
    """A node that expires the orders of a database. `words` come after those that it needs."""

    def __init__(self, program, url, name, lease_ms, *words):
        super().__init__([program, url, name, str(lease_ms), *words])
        self.name = name

    def shards(self):
        owned = self.said("owns")
        return int(owned[-1]) if owned else 0

    def end(self):
        super().end(f"expirer {self.name}")


class Desk(Speaker):
    """It places, refuses and fills orders, each in a transaction of its own."""

    def __init__(self, program, url):
        super().__init__([program, url], stdin=subprocess.PIPE)

    def ask(self, *words):
        self.process.stdin.write(" ".join(map(str, words)) + "\n")
        self.process.stdin.flush()

    def end(self):
        self.process.stdin.close()
        self.wait("the desk")
