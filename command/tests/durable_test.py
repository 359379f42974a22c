#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""`detent durable` as its user sees it, on a file that is written as docs/durable.md says."""
import os
import sqlite3
import sys

sys.dont_write_bytecode = True
from command_support import WithDirectory, run_tests
from durable_store import BURY, COUNT, DUE, ActionsOnAStore


class DurableInAFile(WithDirectory, ActionsOnAStore):
    def store(self):
        """A store of one shard, whose tables the command makes itself."""
        self.made = getattr(self, "made", 0) + 1
        path = self.write(f"timers{self.made}", b"")
        self.printed("durable", "put", "first", "--handler", "h", "--in", "1h", "--yes", "--store", path)
        self.printed("durable", "cancel", "first", "--yes", "--store", path)
        with sqlite3.connect(path) as file:
            for number, key in enumerate((b"order:1", b"order:2", b"user\n\x1b[2J:1")):
                file.execute("INSERT INTO timers (shard, key, id, due, attempt, by_rule, handler, schedule, payload) "
                             "VALUES (0, ?, ?, ?, 1, 0, ?, ?, ?)",
                             (b"\0" + key, number + 1, DUE + number * 1_000_000, b"expire", b"nightly" if number == 1 else b"", b"body"))
            file.execute(BURY,
                         (b"\0lost", DUE, b"expire", b"", b"", b"no account"))
            file.execute(COUNT)
        file.close()
        return path

    def test_lists_a_part_and_lets_no_key_move_the_cursor(self):
        path = self.store()
        lines = lambda *words: [line.split() for line in self.run_on(path, "list", *words)[1].splitlines()[1:]]
        self.assertEqual(len(lines()), 3)
        self.assertNotIn("\x1b", self.run_on(path, "list")[1])
        self.assertEqual(lines("--key", "order:"), lines()[:2])
        for words in (("--limit", "1"), ("--until", "2030-03-17T17:46:41Z")):
            self.assertEqual(lines(*words), lines()[:1])

    def test_refuses_what_is_no_store_in_one_line(self):
        self.assertIn("no such file", self.refused(1, "durable", "list", "--store", self.path("none")))
        self.assertIn("not a database", self.refused(1, "durable", "list", "--store", self.write("text", b"x" * 4096)))
        self.assertIn("--store is required", self.refused(2, "durable", "list"))
        self.assertIn("needs no migration", self.refused(2, "durable", "migrate", "--store", self.write("file", b"")))
        for words in (("list",), ("migrate", "--yes")):
            trouble = self.refused(1, "durable", *words, "--store", "postgresql://gateway:geheim@127.0.0.1:1/shop?password=geheim")
            self.assertNotIn("geheim", trouble)
        for words in (("list", "--from", "yesterday"), ("get", r"a\b"), ("put", "k", "--handler", "h", "--in", "soon"),
                      ("cancel",), ("move", "k"), ("purge", "--until", "tomorrow")):  # nor is the store looked for
            self.refused(2, "durable", *words, "--store", self.path("none"))
        empty, pipe = self.write("empty", b""), self.path("pipe")
        os.mkfifo(pipe)
        for words in (("cancel", "k"), ("revive", "--all"), ("purge", "--all"), ("move", "k", "--by", "1h"), ("list",)):
            self.assertIn("no timers were ever stored", self.refused(1, "durable", *words, "--json", "--store", empty))
            self.assertIn("not a regular file", self.refused(1, "durable", *words, "--store", pipe))
        self.assertEqual((os.path.getsize(empty), os.listdir(self.directory).count("empty.lock")), (0, 0))
        self.assertIn("--limit", self.refused(2, "durable", "list", "--store", "x", "--limit", "0"))


if __name__ == "__main__":
    run_tests()
