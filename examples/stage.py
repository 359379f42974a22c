# SPDX-License-Identifier: MIT
"""What the demos of lease and orders have in common: a redis-server, and programs whose output is read as it comes."""
import shutil
import signal
import socket
import subprocess
import threading
import time
from pathlib import Path

PATIENCE = 60  # seconds that anything is waited for: a limit against hanging, and no measure


class Broken(Exception):
    """Something that a README.md promises did not hold."""


def demand(holds, text):
    if not holds:
        raise Broken(text)


def until(holds, what):
    """Waits for what must come, on a machine of any speed."""
    end = time.monotonic() + PATIENCE
    while not (value := holds()):
        demand(time.monotonic() < end, f"waited {PATIENCE} s for {what}")
        time.sleep(0.001)
    return value


def has_stopped(process):
    """Whether each of its threads has stopped."""
    tasks = Path(f"/proc/{process.pid}/task")
    return all(stat.read_text().rsplit(")", 1)[1].split()[0] == "T" for stat in tasks.glob("*/stat"))


class Redis:
    """A redis-server of its own, on a socket in `directory`. With `keeps`, what it has acknowledged it has after a kill: it
    writes before it answers, as it waits for no sync."""

    def __init__(self, directory, keeps):
        self.directory, self.path, self.keeps = directory, f"{directory}/redis", keeps
        self.start()

    @staticmethod
    def installed():
        return shutil.which("redis-server") is not None

    def start(self):
        self.process = subprocess.Popen(
            ["redis-server", "--port", "0", "--unixsocket", self.path, "--save", "", "--appendonly",
             "yes" if self.keeps else "no", "--appendfsync", "no", "--dir", self.directory, "--logfile", f"{self.directory}/redis.log"],
            stdin=subprocess.DEVNULL)
        until(self._answers, "redis-server")

    def _answers(self):
        demand(self.process.poll() is None, f"redis-server ended with status {self.process.returncode}")
        try:
            return self.command("PING") == b"+PONG\r\n"
        except OSError:
            return False

    def command(self, line):
        with socket.socket(socket.AF_UNIX) as connection:
            connection.connect(self.path)
            connection.sendall(line.encode() + b"\r\n")
            return connection.recv(4096)

    def kill(self):
        self.process.kill()
        self.process.wait()


class Program:
    """A process; `take` gets each line that it prints, in a thread of its own."""

    def __init__(self, command, take, stdin=subprocess.DEVNULL):
        # It takes SIGTERM by sigwait(); one that comes before it is so far waits, instead of ending it.
        mask = signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGTERM])
        try:
            self.process = subprocess.Popen(command, stdin=stdin, stdout=subprocess.PIPE, text=True)
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, mask)
        self.reader = threading.Thread(target=lambda: [take(line) for line in self.process.stdout], daemon=True)
        self.reader.start()

    def wait(self, name):
        status = self.process.wait(PATIENCE)
        self.reader.join()
        demand(status == 0, f"{name} ended with status {status}")

    def end(self, name):
        self.process.terminate()
        self.process.send_signal(signal.SIGCONT)
        self.wait(name)

    def kill(self):
        self.process.kill()
        self.process.wait()
        self.reader.join()
