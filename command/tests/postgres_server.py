# SPDX-License-Identifier: MIT
"""A PostgreSQL server of a test's own, in a directory of its own and on a socket there. No server of the machine is touched."""
import os
import shutil
import signal
import subprocess
import tempfile
import time
from pathlib import Path


def programs():
    """Where the programs of the newest version are; None: nowhere."""
    found = [path for path in Path("/usr/lib/postgresql").glob("*/bin") if (path / "initdb").is_file() and (path / "psql").is_file()]
    return max(found, key=lambda path: float(path.parent.name), default=None)


class Server:
    def __init__(self):
        self.directory = tempfile.mkdtemp(prefix="detent-sql-", dir="/tmp")  # short: a socket's path has 107 bytes
        self.databases = 0
        identity = {}
        if os.geteuid() == 0:  # which initdb and postgres refuse to run as
            shutil.chown(self.directory, "postgres", "postgres")
            identity = {"user": "postgres", "group": "postgres", "extra_groups": []}
        how = {"cwd": self.directory, "stdin": subprocess.DEVNULL, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, **identity}
        subprocess.run([programs() / "initdb", "-D", f"{self.directory}/data", "-U", "postgres", "-A", "trust", "-E", "UTF8",
                        "--no-locale", "--no-sync"], check=True, **how)
        self.process = subprocess.Popen([programs() / "postgres", "-D", f"{self.directory}/data", "-k", self.directory,
                                         "-c", "listen_addresses=", "-c", "fsync=off", "-c", "dynamic_shared_memory_type=mmap"], **how)
        until = time.monotonic() + 60
        while self.psql("-c", "select 1").returncode != 0:
            if self.process.poll() is not None or time.monotonic() > until:
                raise RuntimeError("postgres does not start")
            time.sleep(0.02)

    def psql(self, *commands, database="postgres", user="postgres"):
        """With these options of psql's, such as -c SQL."""
        return subprocess.run([programs() / "psql", "-XAtq", "-v", "ON_ERROR_STOP=1", "-h", self.directory, "-U", user, "-d", database,
                               *commands], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60, check=False)

    def ask(self, sql, database="postgres"):
        done = self.psql("-c", sql, database=database)
        if done.returncode != 0:
            raise RuntimeError(done.stderr)
        return done.stdout.rstrip("\n")

    def new_database(self):
        self.databases += 1
        name = f"d{self.databases}"
        self.ask(f"create database {name}")
        return name

    def url(self, database, user="postgres"):
        return f"postgresql://{user}@/{database}?host={self.directory}"

    def end(self):
        self.process.send_signal(signal.SIGINT)
        self.process.wait()
        shutil.rmtree(self.directory)
