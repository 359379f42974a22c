# SPDX-License-Identifier: MIT
"""A server of PostgreSQL: the chaos's own, in a directory, on sockets there and ports of 127.0.0.1."""
import collections
import contextlib
import os
import re
import shutil
import signal
import subprocess
from pathlib import Path

from stage import until

DATABASE = "detent"
DISK = "size=1g"
CONFIGURATION = """
listen_addresses = '127.0.0.1'
unix_socket_directories = '{directory}'
max_connections = 80
max_prepared_transactions = 100
shared_buffers = 64MB
dynamic_shared_memory_type = mmap
max_wal_size = 256MB
fsync = on
synchronous_commit = on
hot_standby = on
wal_receiver_status_interval = 1s
wal_retrieve_retry_interval = 100ms
log_min_messages = warning
logging_collector = off
"""


def programs():
    """Where initdb and postgres of the newest version are; None: nowhere."""
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=lambda path: int(path.parts[-3]))
    if found and (found[-1].parent / "postgres").exists() and shutil.which("psql"):
        return found[-1].parent
    return None


def as_postgres():
    """What Popen takes, since initdb refuses root."""
    return {"user": "postgres", "group": "postgres", "extra_groups": []} if os.getuid() == 0 else {}


def is_alive(process):
    try:
        return Path(f"/proc/{process}/stat").read_text(encoding="ascii").rsplit(")", 1)[1].split()[0] not in "ZX"
    except OSError:
        return False


class Server:
    """What it has answered it has after kill -9: commits are synced. The directory is the user postgres's."""

    def __init__(self, directory, name, port, on_disk_of_its_own=False):
        self.directory, self.port, self.log = directory, port, f"{directory}/{name}.log"
        self.data, self.process, self.disk = f"{directory}/{name}", None, None
        if on_disk_of_its_own:
            self.disk = f"{directory}/{name}.disk"
            os.mkdir(self.disk)
            owner = os.stat(directory)
            subprocess.run(["mount", "-t", "tmpfs", "-o", f"{DISK},mode=0700,uid={owner.st_uid},gid={owner.st_gid}", "tmpfs", self.disk],
                           check=True)
            self.data = f"{self.disk}/{name}"

    def _run(self, program, *words):
        with open(self.log, "ab") as log:
            subprocess.run([programs() / program, *words], stdin=subprocess.DEVNULL, stdout=log, stderr=log, cwd="/", check=True,
                           **as_postgres())

    def make(self):
        self._run("initdb", "-D", self.data, "-U", "postgres", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync")
        with open(f"{self.data}/postgresql.conf", "a", encoding="ascii") as configuration:
            configuration.write(CONFIGURATION.format(directory=self.directory))

    def copy(self, other):
        """Becomes a standby of the other one, which runs."""
        shutil.rmtree(self.data, ignore_errors=True)
        self._run("pg_basebackup", "-D", self.data, "-h", self.directory, "-p", str(other.port), "-U", "postgres", "-R", "-c", "fast",
                  "--no-sync")

    def start(self):
        with open(self.log, "ab") as log:
            self.process = subprocess.Popen([programs() / "postgres", "-D", self.data, "-p", str(self.port)], stdin=subprocess.DEVNULL,
                                            stdout=log, stderr=log, cwd="/", start_new_session=True, **as_postgres())
        until(lambda: self.ask("select 1", "postgres") == "1" or self.process.poll() is not None, f"the server on {self.port}")

    def revive(self):
        """After what may have ended it, or made it recover."""
        until(self._answers_again, f"the server on {self.port}")

    def _answers_again(self):
        if self.process.poll() is not None:
            self.start()
        return self.ask("create temporary table its_disk (one int); select 1", "postgres") == "1"

    def processes(self):
        children = Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children")
        try:
            return [self.process.pid, *map(int, children.read_text(encoding="ascii").split())]
        except OSError:
            return [self.process.pid]

    def signal_all(self, number):
        """The first stops first, so that it begins no more of them."""
        self.process.send_signal(signal.SIGSTOP)
        found = self.processes()
        for one in reversed(found):
            with contextlib.suppress(ProcessLookupError):
                os.kill(one, number)
        return found

    def kill(self):
        """kill -9 of all its processes, as a power cut does it."""
        if self.process is None or self.process.poll() is not None:
            return
        found = self.signal_all(signal.SIGKILL)
        self.process.wait()
        until(lambda: not any(map(is_alive, found)), "the server's processes to end")
        self._forget_memory()

    def _forget_memory(self):
        """The segment that a killed server leaves, unless its next start removes it."""
        with contextlib.suppress(OSError, IndexError):
            segment = Path(f"{self.data}/postmaster.pid").read_text(encoding="ascii").splitlines()[6].split()[1]
            subprocess.run(["ipcrm", "-m", segment], stderr=subprocess.DEVNULL, check=False)

    def stop(self):
        self.signal_all(signal.SIGSTOP)

    def go_on(self):
        for one in reversed(self.processes()):
            with contextlib.suppress(ProcessLookupError):
                os.kill(one, signal.SIGCONT)

    def shut_down(self, number):
        """SIGINT: fast; SIGQUIT: at once, and the next start recovers."""
        self.process.send_signal(number)
        self.process.wait()

    def fill(self):
        until(self._fill, "a full disk")

    def _fill(self):
        """False: it has grown since."""
        size = shutil.disk_usage(self.disk).used // 4096 * 4096 + 4096
        return subprocess.run(["mount", "-o", f"remount,size={size}", self.disk], stderr=subprocess.DEVNULL, check=False).returncode == 0

    def make_room(self):
        subprocess.run(["mount", "-o", f"remount,{DISK}", self.disk], check=True)

    def ask(self, sql, database=DATABASE, role="postgres"):
        """The last statement's rows, a column apart by |; an error, or no server: None."""
        command = [programs() / "psql", "-XAtq", "-v", "ON_ERROR_STOP=1", "-h", self.directory, "-p", str(self.port), "-U", role, "-d",
                   database, "-c", sql]
        ended = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False,
                               env={**os.environ, "PGCONNECT_TIMEOUT": "10", "PGOPTIONS": "-c statement_timeout=60s"})
        return ended.stdout.decode().strip() if ended.returncode == 0 else None

    def run_script(self, text, role="postgres", stops=True):
        """Statement by statement; without `stops`, also after one that failed."""
        command = [programs() / "psql", "-Xq", "-v", f"ON_ERROR_STOP={int(stops)}", "-h", self.directory, "-p", str(self.port), "-U", role, "-d",
                   DATABASE, "-f", "-"]
        subprocess.run(command, input=text, text=True, stdout=subprocess.DEVNULL, stderr=None if stops else subprocess.DEVNULL,
                       check=stops)

    def complaints(self):
        """Its log's errors, by how often, without numbers."""
        text = Path(self.log).read_text(encoding="utf-8", errors="replace") if Path(self.log).exists() else ""
        found = re.findall(r"(?:ERROR|FATAL|PANIC):.*", text)
        return collections.Counter(re.sub(r"[0-9]+", "N", line) for line in found).most_common()

    def end(self):
        if self.process is not None:
            self.kill()
        if self.disk:
            subprocess.run(["umount", self.disk], check=False)


def may_mount(directory):
    """Whether a file system of its own can be made there: as root, and where containers do not forbid it."""
    probe = Path(directory) / "probe"
    probe.mkdir()
    mounted = os.getuid() == 0 and subprocess.run(["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", probe], check=False,
                                                  stderr=subprocess.DEVNULL).returncode == 0
    if mounted:
        subprocess.run(["umount", probe], check=True)
    probe.rmdir()
    return mounted
