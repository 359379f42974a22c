# SPDX-License-Identifier: MIT
"""The programs on the stage: redis-server, gateways and a trader, with what they say."""
import shutil
import signal
import socket
import subprocess
import threading
import time
from pathlib import Path

PATIENCE = 60  # seconds that anything is waited for: a limit against hanging, and no measure


class Broken(Exception):
    """Something that README.md promises did not hold."""


def demand(holds, text):
    if not holds:
        raise Broken(text)


def until(holds, what):
    """Waits for what must come, on a machine of any speed."""
    end = time.monotonic() + PATIENCE
    while not (value := holds()):
        demand(time.monotonic() < end, f"waited {PATIENCE} s for {what}")
        time.sleep(0.002)
    return value


class Redis:
    """A redis-server on a socket in `directory`, with an append-only file: what it has acknowledged it has after a kill."""

    def __init__(self, directory):
        self.directory, self.path = directory, f"{directory}/redis"
        self.start()

    @staticmethod
    def installed():
        return shutil.which("redis-server") is not None

    def start(self):
        self.process = subprocess.Popen(
            ["redis-server", "--port", "0", "--unixsocket", self.path, "--save", "", "--appendonly", "yes", "--dir",
             self.directory, "--logfile", f"{self.directory}/redis.log"], stdin=subprocess.DEVNULL)
        until(self._answers, "redis-server")

    def _answers(self):
        demand(self.process.poll() is None, f"redis-server ended with status {self.process.returncode}")
        try:
            with socket.socket(socket.AF_UNIX) as connection:
                connection.connect(self.path)
                connection.sendall(b"PING\r\n")
                return connection.recv(4096) == b"+PONG\r\n"
        except OSError:
            return False

    def kill(self):
        self.process.kill()
        self.process.wait()


class Program:
    """A process and the lines that it has printed, each split into words."""

    def __init__(self, *command, stdin=subprocess.DEVNULL):
        # A gateway waits for SIGTERM; one that comes before it does so must not end it.
        mask = signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGTERM])
        try:
            self.process = subprocess.Popen(command, stdin=stdin, stdout=subprocess.PIPE, text=True)
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, mask)
        self.lines = []
        self.reader = threading.Thread(target=self._read, daemon=True)
        self.reader.start()

    def _read(self):
        for line in self.process.stdout:
            self.lines.append(line.split())

    def said(self, word):
        """What followed that word, of each line that began with it."""
        return [line[1] for line in list(self.lines) if line[0] == word]

    def wait(self, name):
        status = self.process.wait(PATIENCE)
        self.reader.join()
        demand(status == 0, f"{name} ended with status {status}")

    def kill(self):
        self.process.kill()
        self.process.wait()
        self.reader.join()


class Gateway(Program):
    def __init__(self, program, redis, exchange, name, lease_ms):
        super().__init__(program, redis.path, exchange.path, name, str(lease_ms))
        self.name = name
        exchange.names[self.process.pid] = name

    def shards(self):
        owned = self.said("owns")
        return int(owned[-1]) if owned else 0

    def has_stopped(self):
        tasks = Path(f"/proc/{self.process.pid}/task")
        return all(stat.read_text().rsplit(")", 1)[1].split()[0] == "T" for stat in tasks.glob("*/stat"))

    def end(self):
        self.process.terminate()
        self.process.send_signal(signal.SIGCONT)
        self.wait(f"gateway {self.name}")


class Trader(Program):
    """It places orders and cancels them; by any thread."""

    def __init__(self, program, redis, lease_ms):
        super().__init__(program, redis.path, str(lease_ms), stdin=subprocess.PIPE)
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
