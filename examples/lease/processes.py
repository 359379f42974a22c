# SPDX-License-Identifier: MIT
"""The programs on the stage: redis-server, and the contenders with what they say of themselves."""
import dataclasses
import re
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
        time.sleep(0.001)
    return value


def wait_stopped(process):
    """Returns when each of its threads has stopped."""
    tasks = Path(f"/proc/{process.pid}/task")
    until(lambda: all(stat.read_text().rsplit(")", 1)[1].split()[0] == "T" for stat in tasks.glob("*/stat")), "SIGSTOP")


def stop(process):
    process.send_signal(signal.SIGSTOP)
    wait_stopped(process)


class Redis:
    """A redis-server of its own, on a socket in `directory`, which keeps nothing when it ends."""

    def __init__(self, directory):
        self.directory, self.path = directory, f"{directory}/redis"
        self.start()

    @staticmethod
    def installed():
        return shutil.which("redis-server") is not None

    def start(self):
        self.process = subprocess.Popen(
            ["redis-server", "--port", "0", "--unixsocket", self.path, "--save", "", "--appendonly", "no", "--dir",
             self.directory, "--logfile", f"{self.directory}/redis.log"], stdin=subprocess.DEVNULL)
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

    def end(self):
        self.process.kill()
        self.process.wait()


@dataclasses.dataclass(frozen=True)
class Event:
    name: str  # of the contender
    kind: str
    fence: int
    at: int
    until: int
    why: str


class Contender:
    """A process that writes its events to the common record."""

    def __init__(self, name, command, record):
        self.name, self.record = name, record
        # It takes SIGTERM by sigwait(); one that comes before it is so far waits, instead of ending it.
        mask = signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGTERM])
        try:
            self.process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, mask)
        self.reader = threading.Thread(target=self._read, daemon=True)
        self.reader.start()

    def _read(self):
        for line in self.process.stdout:
            kind, numbers = line.split(maxsplit=1)[0], {k: int(v) for k, v in re.findall(r" (\w+)=(\d+)", line)}
            why = line.partition(" why=")[2].strip()
            self.record.append(Event(self.name, kind, numbers.get("fence", 0), numbers["at"], numbers.get("until", 0), why))

    def end(self):
        self.process.terminate()
        self.process.send_signal(signal.SIGCONT)
        status = self.process.wait(PATIENCE)
        self.reader.join()
        demand(status == 0, f"contender {self.name} ended with status {status}")

    def kill(self):
        self.process.kill()
        self.process.wait()
        self.reader.join()
