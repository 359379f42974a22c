#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""`detent durable` on a store in PostgreSQL, which is written as docs/durable-postgres.md says. It starts and ends a server."""
import sys
import unittest

sys.dont_write_bytecode = True
from command_support import WithDirectory, detent, run_tests
from durable_store import DUE, ActionsOnAStore, MakesNoStore
from postgres_server import Server, programs

AT = "timestamptz 'epoch' + interval '1 microsecond' * "


@unittest.skipUnless(programs(), "no PostgreSQL (Debian: postgresql)")
class DurableOnPostgres(WithDirectory, ActionsOnAStore, MakesNoStore):
    KEYS = ActionsOnAStore.KEYS[:2]  # the others are no text

    @classmethod
    def setUpClass(cls):
        cls.server = Server()
        cls.addClassCleanup(cls.server.end)

    def store(self):
        """In a database of its own, whose schema the command makes."""
        self.database = self.server.new_database()
        store = self.server.url(self.database)
        self.assertIn("the schema detent is there", self.printed("durable", "migrate", "--store", store, "--yes"))
        for number, key in enumerate(("order:1", "order:2"), 1):
            self.server.ask(f"select detent.schedule_at('expire', {AT}{DUE + number}, 'body', '{key}')", self.database)
        self.server.ask("update detent.timers set schedule = 'nightly' where key = 'order:2'", self.database)
        self.server.ask("insert into detent.dead (shard, partition, key, id, due, attempt, by_rule, handler, schedule, payload, why, died) "
                        f"values (detent.shard_of('lost', ''), '', 'lost', 9, {AT}{DUE}, 1, false, 'expire', '', 'body', 'no account', "
                        f"{AT}{DUE})", self.database)
        return store

    def test_the_script_that_it_prints_makes_the_store(self):
        script = self.write("detent.sql", self.printed("durable", "migrate", "--print").encode())
        database = self.server.new_database()
        for _ in range(2):  # it may be run again
            done = self.server.psql("-c", "set detent.shards = 16", "-f", script, database=database)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
        store = self.server.url(database)
        self.assertEqual(self.done(store, "put", "k", "--handler", "h", "--in", "1h"), "'k': stored\n")
        self.assertEqual(self.server.ask("select handler, attempt, dead from detent.get('k')", database), "h|1|f")
        self.assertEqual(self.server.ask("select count(*) from detent.shards", database), "16")

    def test_a_migration_needs_consent_and_keeps_what_is_there(self):
        database = self.server.new_database()
        store = self.server.url(database)
        self.assertIn("nothing was changed", self.refused(1, "durable", "migrate", "--store", store))
        self.assertEqual(self.server.ask("select to_regnamespace('detent') is null", database), "t")
        store = self.store()
        self.printed("durable", "migrate", "--store", store, "--yes")
        self.assertEqual(self.keys(store), ["order:1", "order:2"])

    def nothing(self):
        database = self.server.new_database()
        return (self.server.url(database), "no schema detent: detent durable migrate makes it",
                lambda: self.server.ask("select to_regnamespace('detent') is null", database) == "t")

    def test_lists_go_on_through_all_shards(self):
        store = self.store()
        for i in range(24):
            self.done(store, "put", f"k{i}", "--handler", "h", "--due", "2029-01-01T00:00:00Z")
        first = self.objects(store, "list", "--handler", "h", "--limit", "9")
        rest = self.keys(store, "--handler", "h", "--after", first[-1]["after"])
        self.assertEqual(sorted([each["key"] for each in first] + rest), sorted(f"k{i}" for i in range(24)))
        self.assertEqual(self.done(store, "move", "--handler", "h", "--by", "400d"), "24 of 24 timers moved\n")
        self.assertEqual({each["due"] for each in self.objects(store, "list", "--handler", "h")}, {"2030-02-05T00:00:00Z"})

    def test_what_an_owner_has_in_hand_is_asked_of_it(self):
        store = self.store()
        self.server.ask("update detent.shards set node = 'gateway', fence = 7, until = 'infinity', level_due = 'infinity'", self.database)
        status, text, _ = self.run_on(store, "cancel", "order:1", "--yes")
        self.assertEqual((status, "did not answer" in text), (1, True), text)
        self.assertEqual(self.server.ask("select key, question <> 0 from detent.announced", self.database), "order:1|t")

    def test_names_that_are_no_text_are_refused(self):
        store = self.store()
        for action in "show", "get":
            self.assertIn("no such timer", self.refused(1, "durable", action, r"\xff", "--store", store))
        self.assertIn("UTF-8", self.refused(1, "durable", "put", r"\xff", "--handler", "h", "--in", "1h", "--yes", "--store", store))

    def test_what_cannot_be_used_is_refused_in_one_line(self):
        store = self.store()
        self.server.ask("create role shop login", self.database)
        as_shop = self.server.url(self.database, "shop")
        self.assertIn("the role shop has no right to USAGE on the schema detent",
                      self.refused(1, "durable", "list", "--store", as_shop))
        self.server.ask("update detent.store set format = 3", self.database)
        self.assertIn("format 3, and this version knows 2", self.refused(1, "durable", "list", "--store", store))
        self.assertIn("does not exist", self.refused(1, "durable", "list", "--store", self.server.url("none")))
        self.assertIn('"sharks"', self.refused(1, "durable", "list", "--store", store + "&sharks=3"))


if __name__ == "__main__":
    run_tests()
