#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""`detent durable` as its user sees it, on a file that is written as docs/durable.md says."""
import sqlite3
import sys

sys.dont_write_bytecode = True
from command_support import WithDirectory, detent, run_tests

DUE = 1_900_000_000_000_000  # 2030-03-17T17:46:40Z, in us


class Durable(WithDirectory):
    def store(self):
        """A store of one shard, whose tables the command makes itself; returns its path."""
        path = self.directory + "/timers"
        self.write("timers", b"")
        self.assertEqual(detent("durable", "cancel", "none", "--store", path).returncode, 1)
        with sqlite3.connect(path) as file:
            for number, key in enumerate((b"order:1", b"order:2", b"user\n\x1b[2J:1")):
                file.execute("INSERT INTO timers (shard, key, id, due, attempt, handler, schedule, payload) "
                             "VALUES (0, ?, ?, ?, 1, ?, ?, ?)",
                             (key, number + 1, DUE + number * 1_000_000, b"expire", b"nightly" if number == 1 else b"", b"body"))
            file.execute("INSERT INTO dead VALUES (0, ?, 9, ?, 3, ?, ?, ?, ?)",
                         (b"lost", DUE, b"expire", b"", b"", b"no such account"))
        file.close()
        return path

    def run_on(self, path, *words):
        done = detent("durable", *words, "--store", path)
        return done.returncode, done.stdout, done.stderr.replace(self.directory + "/", "")

    def test_lists_by_due_time_and_lets_no_key_move_the_cursor(self):
        path = self.store()
        status, text, trouble = self.run_on(path, "list")
        self.assertEqual((status, trouble), (0, ""))
        lines = text.splitlines()
        self.assertEqual([line.split()[:3] for line in lines[:2]],
                         [["2030-03-17T17:46:40Z", "expire", "order:1"], ["2030-03-17T17:46:41Z", "expire", "order:2"]])
        self.assertTrue(lines[1].endswith("on nightly"), lines)
        self.assertEqual(len(lines), 3)
        self.assertNotIn("\x1b", text)
        self.assertEqual(len(self.run_on(path, "list", "--key", "order:")[1].splitlines()), 2)
        self.assertEqual(len(self.run_on(path, "list", "--limit", "1")[1].splitlines()), 1)
        self.assertEqual(len(self.run_on(path, "list", "--until", "2030-03-17T17:46:41Z")[1].splitlines()), 1)
        self.assertIn("no such account", self.run_on(path, "list", "--dead")[1])

    def test_shows_cancels_and_revives_one(self):
        path = self.store()
        self.assertRegex(self.run_on(path, "show", "order:2")[1], r"(?s)on +nightly.*payload +4 bytes: body")
        self.assertRegex(self.run_on(path, "show", "lost")[1], r"dead +no such account")
        self.assertEqual(self.run_on(path, "cancel", "order:1"), (0, "'order:1': cancelled\n", ""))
        self.assertEqual(self.run_on(path, "cancel", "order:1"), (1, "'order:1': no such timer\n", ""))
        self.assertEqual(self.run_on(path, "revive", "lost"), (0, "'lost': lives again, due now\n", ""))
        self.assertEqual(self.run_on(path, "revive", "lost"), (1, "'lost': no such dead timer\n", ""))
        self.assertIn("lost", self.run_on(path, "list")[1])

    def test_refuses_what_is_no_store_in_one_line(self):
        self.assertIn("no such file", self.refused(1, "durable", "list", "--store", self.directory + "/none"))
        text = self.write("text", b"x" * 4096)
        self.assertIn("not a database", self.refused(1, "durable", "list", "--store", text))
        self.assertIn("--store is required", self.refused(2, "durable", "list"))
        self.assertIn("--limit", self.refused(2, "durable", "list", "--store", "x", "--limit", "0"))


if __name__ == "__main__":
    run_tests()
