# SPDX-License-Identifier: MIT
"""A PostgreSQL server of a test's own, of Debian's package postgresql-15 or a newer one: in a directory of its own, on a Unix
socket there and on a port of 127.0.0.1. No server of the machine is touched. A test that cannot have one is skipped."""
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import unittest
from datetime import datetime, timedelta, timezone
from pathlib import Path

SOURCES = Path(__file__).resolve().parents[2] / "src" / "postgres"
EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)


def skip(why):
    print(f"skipped: {why}")
    sys.exit(77)


try:
    import psycopg
except ImportError:
    skip("no psycopg (Debian: python3-psycopg)")


def programs():
    """The directory of the newest server's programs."""
    found = [path for path in Path("/usr/lib/postgresql").glob("*/bin") if (path / "initdb").is_file()]
    if not found:
        skip("no PostgreSQL (Debian: postgresql-15)")
    return max(found, key=lambda path: float(path.parent.name))


def script():
    """The migration, as the library has it in one text."""
    return "".join((SOURCES / name).read_text() for name in ("schema.sql", "changes.sql", "functions.sql", "node.sql"))


def free_port():
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return found.getsockname()[1]


class Server:
    def __init__(self, **settings):
        """`settings` are those of postgresql.conf. Without `fsync="on"` it loses what it has if the machine fails."""
        self.directory = Path(tempfile.mkdtemp(prefix="detent-sql-", dir="/tmp"))  # short: a socket's path has 107 bytes
        self.port = free_port()
        self.programs = programs()
        self._as = {}
        if os.geteuid() == 0:  # which initdb and postgres refuse to run as
            shutil.chown(self.directory, "postgres", "postgres")
            self._as = {"user": "postgres", "group": "postgres", "extra_groups": []}
        self._settings = {"listen_addresses": "127.0.0.1", "port": self.port, "unix_socket_directories": self.directory,
                          "fsync": "off", "dynamic_shared_memory_type": "mmap", **settings}  # not in /dev/shm
        self._process = None
        made = subprocess.run([self.programs / "initdb", "-D", self.directory / "data", "-U", "postgres", "-A", "trust", "-E",
                               "UTF8", "--no-locale", "--no-sync"], cwd=self.directory, capture_output=True, text=True, **self._as)
        if made.returncode != 0:
            raise RuntimeError(made.stderr)
        self.start()

    def start(self):
        options = [word for name, value in self._settings.items() for word in ("-c", f"{name}={value}")]
        with open(self.directory / "log", "a", encoding="utf-8") as log:
            self._process = subprocess.Popen([self.programs / "postgres", "-D", self.directory / "data", *options],
                                             cwd=self.directory, stdin=subprocess.DEVNULL, stdout=log, stderr=log, **self._as)
        until = time.monotonic() + 60
        while True:
            try:
                self.connect().close()
                return
            except psycopg.OperationalError:
                if self._process.poll() is not None or time.monotonic() > until:
                    raise RuntimeError((self.directory / "log").read_text()) from None
                time.sleep(0.02)

    def stop(self):
        """Ends it, and removes its directory."""
        self._process.send_signal(signal.SIGINT)  # it ends its sessions, and does not wait for them
        self._process.wait()
        shutil.rmtree(self.directory)

    def connect(self, database="postgres", user="postgres", **options):
        """A connection that commits each statement, unless it is told otherwise."""
        options.setdefault("autocommit", True)
        return psycopg.connect(host=str(self.directory), port=self.port, dbname=database, user=user, **options)

    def run(self, program, *arguments, database="postgres", **options):
        """psql or pg_dump, against this server."""
        return subprocess.run([self.programs / program, "-h", self.directory, "-p", str(self.port), "-U", "postgres", *arguments,
                               database], capture_output=True, text=True, timeout=60, **options)


def shard_of(key, partition="", shards=64):
    """FNV-1a of 64 bits, as shard_of() in <detent/durable_store.hpp> has it."""
    value = 0xcbf29ce484222325
    for byte in (partition or key).encode():
        value = (value ^ byte) * 0x100000001b3 & (1 << 64) - 1
    return value % shards


def microseconds(due):
    return (due - EPOCH) // timedelta(microseconds=1)


def token(key, number, due, following=None, partition=""):
    """As job::token() makes it."""
    then = "" if following is None else microseconds(following)
    return f"1.{partition.encode().hex()}.{key.encode().hex()}.{number}.{microseconds(due)}.{then}"


class Test(unittest.TestCase):
    """A case with a server, which has the schema in the database postgres. Each test begins with empty tables."""

    server = None

    @classmethod
    def setUpClass(cls):
        cls.server = Server(max_prepared_transactions=10)
        cls.addClassCleanup(cls.server.stop)
        with cls.server.connect() as connection:
            connection.execute(script())

    def setUp(self):
        self.db = self.connect()
        tables = ("timers", "successors", "dead", "announced")
        self.db.execute("truncate " + ", ".join(f"detent.{table}" for table in tables))
        self.db.execute("update detent.shards set level_due = '-infinity', level_tie = 0, until = '-infinity'")

    def connect(self, **options):
        connection = self.server.connect(**options)
        self.addCleanup(connection.close)
        return connection

    def one(self, text, *arguments, on=None):
        """The first column of the first row."""
        row = (on or self.db).execute(text, arguments).fetchone()
        return None if row is None else row[0]

    def put(self, key, on=None, due=None, **named):
        """schedule_at() of a handler `h`, in an hour unless told otherwise."""
        named = {"handler": "h", "due": due or in_seconds(3600), "key": key, **named}
        names = ", ".join(f"{name} => %s" for name in named)
        return self.one(f"select detent.schedule_at({names})", *named.values(), on=on)

    def cancel(self, *names, on=None):
        return self.one(f"select detent.cancel({', '.join(['%s'] * len(names))})", *names, on=on)

    def get(self, *names, on=None):
        return (on or self.db).execute(f"select * from detent.get({', '.join(['%s'] * len(names))})", names).fetchone()

    def finish(self, its, on=None):
        return self.one("select detent.finish(%s)", its, on=on)

    def row(self, key, partition=""):
        """The id and the due time of a live timer."""
        return self.db.execute("select id, due from detent.timers where partition = %s and key = %s", (partition, key)).fetchone()

    def read_up_to(self, due):
        """As if an owner had read all shards so far."""
        self.db.execute("update detent.shards set level_due = %s, level_tie = 0, until = 'infinity'", (due,))

    def announced(self):
        return self.db.execute("select key, kept <> 0 from detent.announced order by seq").fetchall()

    def refused(self, state, words, text, *arguments, on=None):
        with self.assertRaises(psycopg.Error) as caught:
            (on or self.db).execute(text, arguments or None)
        self.assertEqual(caught.exception.sqlstate, state, caught.exception)
        self.assertIn(words, str(caught.exception))


def in_seconds(seconds):
    return datetime.now(timezone.utc) + timedelta(seconds=seconds)
