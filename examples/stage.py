# SPDX-License-Identifier: MIT
"""What the demos of lease and orders have in common: servers, and programs whose output is read as it comes."""
import os
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


class Postgres:
    """A server of its own, on a socket in `directory`, which it makes. What it has acknowledged it has after a kill. As root, it is
    the user postgres's."""

    def __init__(self, directory):
        self.directory, self.process = directory, None
        os.mkdir(directory)
        self.user = {}
        if os.getuid() == 0:
            shutil.chown(directory, "postgres", "postgres")
            self.user = {"user": "postgres", "group": "postgres", "extra_groups": []}
        self._run("initdb", "-D", f"{directory}/data", "-U", "postgres", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync")
        self.start()

    @staticmethod
    def programs():
        """Where the newest version's are; None: nowhere."""
        found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=lambda path: int(path.parts[-3]))
        return found[-1].parent if found and (found[-1].parent / "postgres").exists() and shutil.which("psql") else None

    @property
    def url(self):
        return f"postgresql://postgres@/postgres?host={self.directory}"

    def _run(self, program, *words):
        with open(f"{self.directory}.log", "ab") as log:
            subprocess.run([self.programs() / program, *words], stdin=subprocess.DEVNULL, stdout=log, stderr=log, cwd="/", check=True,
                           **self.user)

    def start(self):
        with open(f"{self.directory}.log", "ab") as log:
            self.process = subprocess.Popen(
                [self.programs() / "postgres", "-D", f"{self.directory}/data", "-c", "listen_addresses=", "-c",
                 f"unix_socket_directories={self.directory}", "-c", "dynamic_shared_memory_type=mmap"],
                stdin=subprocess.DEVNULL, stdout=log, stderr=log, cwd="/", **self.user)
        until(self._answers, "postgres")

    def _answers(self):
        demand(self.process.poll() is None, f"postgres ended with status {self.process.returncode}")
        return self.ask("select 1", is_needed=False) == "1"

    def ask(self, sql, is_needed=True):
        """The rows of the last statement, their columns apart by |."""
        done = subprocess.run(["psql", "-XAtq", "-v", "ON_ERROR_STOP=1", "-d", self.url, "-f", "-"], input=sql, capture_output=True,
                              text=True, check=False)
        demand(done.returncode == 0 or not is_needed, f"psql: {done.stderr}")
        return done.stdout.strip() if done.returncode == 0 else None

    def crash(self):
        """kill -9 of all of its processes."""
        self.process.send_signal(signal.SIGSTOP)  # it starts no more of them
        children = Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children").read_text(encoding="ascii").split()
        for one in [*map(int, children), self.process.pid]:
            os.kill(one, signal.SIGKILL)
        self.process.wait()
        until(lambda: not any(Path(f"/proc/{one}/status").exists() and "State:\tZ" not in Path(f"/proc/{one}/status").read_text()
                              for one in children), "postgres to end")

    def kill(self):
        if self.process is not None and self.process.poll() is None:
            self.process.send_signal(signal.SIGQUIT)
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
