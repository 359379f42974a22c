#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The migration: how it is run, run again and refused, and what roles may do after it.

usage: script_test.py [NAME...]
"""
import sys
import unittest
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).parent))
import postgres_server
from postgres_server import script, shard_of


class Script(postgres_server.Test):
    databases = 0

    def new_database(self, options=""):
        Script.databases += 1
        name = f"d{Script.databases}"
        self.db.execute(f"create database {name} {options}")
        return name

    def shards(self, database):
        with self.server.connect(database) as db:
            return db.execute("select shards from detent.store").fetchone()[0], db.execute(
                "select count(*), min(shard), max(shard) from detent.shards").fetchone()

    def test_it_may_be_run_again(self):
        self.put("k")
        self.db.execute("create role again; grant execute on function detent.cancel to again")
        before = self.db.execute("select * from detent.timers").fetchall()
        with self.connect(autocommit=False) as other:
            other.execute("set detent.shards = 16")
            other.execute(script())
        self.assertEqual(self.db.execute("select * from detent.timers").fetchall(), before)
        self.assertEqual(self.shards("postgres"), (64, (64, 0, 63)))
        self.assertTrue(self.one("select has_function_privilege('again', 'detent.cancel(text, text)', 'execute')"))
        self.assertTrue(self.cancel("k"))

    def test_psql_runs_it(self):
        database = self.new_database()
        file = self.server.directory / "script.sql"
        file.write_text(script(), encoding="utf-8")
        for _ in range(2):
            done = self.server.run("psql", "-X", "-v", "ON_ERROR_STOP=1", "-c", "set detent.shards = 100", "-f", file,
                                   database=database)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual(self.shards(database), (100, (100, 0, 99)))
        with self.server.connect(database) as db:
            for key in ("a", "k" * 128, "ü€"):
                self.assertEqual(self.one("select detent.shard_of(%s, '')", key, on=db), shard_of(key, "", 100))

    def test_how_many_shards(self):
        for count in (1, 512, 1024):
            database = self.new_database()
            with self.server.connect(database) as db:
                db.execute(f"set detent.shards = {count}")
                db.execute(script())
                for key in ("a", "b", "order:4711"):
                    self.assertEqual(self.one("select detent.shard_of(%s, 'p')", key, on=db), shard_of(key, "p", count))
                    self.assertEqual(self.one("select detent.shard_of(%s, '')", key, on=db), shard_of(key, "", count))
            self.assertEqual(self.shards(database), (count, (count, 0, count - 1)))

    def refused_there(self, state, words, database, before=""):
        """The script is refused, and leaves all as it is."""
        with self.server.connect(database) as db:
            db.execute(before)
            there = "select relname, relnamespace::regnamespace::text from pg_class order by 1, 2"
            old = db.execute(there).fetchall()
            self.refused(state, words, script(), on=db)
            db.rollback()
            self.assertEqual(db.execute(there).fetchall(), old)

    def test_what_it_refuses(self):
        for count in ("0", "1025", "many", "99999"):
            self.refused_there("DT009", f"'{count}', and may be 1 to 1024", self.new_database(), f"set detent.shards = '{count}'")
        latin = self.new_database("encoding 'LATIN1' template template0")
        self.refused_there("DT009", "LATIN1", latin)
        newer = self.new_database()
        with self.server.connect(newer) as db:
            db.execute(script())
        self.refused_there("DT008", "has format 3, and this script makes format 2", newer, "update detent.store set format = 3")


class Roles(postgres_server.Test):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        with cls.server.connect() as db:
            db.execute("create role stranger login; create role shop login; create role nodes login;"
                       "grant usage on schema detent to shop; grant create on database postgres to shop;"
                       "grant execute on function detent.schedule_at, detent.cancel to shop;"
                       "grant usage on schema detent to nodes;"
                       "grant select, insert, update, delete on all tables in schema detent to nodes;"
                       "grant execute on all functions in schema detent to nodes")

    def test_a_role_that_puts_and_cancels(self):
        shop = self.connect(user="shop")
        self.put("k", on=shop)
        self.put("k", on=shop, if_exists="replace")
        self.put("near", on=shop, due=postgres_server.in_seconds(0))
        self.assertTrue(self.cancel("near", on=shop))
        for text in ("select * from detent.get('k')", "select detent.restart_at('k', now())", "select detent.finish('1')",
                     "select * from detent.timers", "delete from detent.timers", "select nextval('detent.timers_tie_seq')",
                     "select detent.announce(1::smallint, '', 'k', 0, 0)", "select detent.promote(1::smallint, '', 'k')",
                     "select detent.cancel_one(1::smallint, '', 'k', 1)", "select detent.new_id()",
                     "create table detent.mine (x int)"):
            with self.subTest(text):
                self.refused("42501", "permission denied", text, on=shop)
        self.assertTrue(self.get("k"))

    def test_a_role_without_grants(self):
        stranger = self.connect(user="stranger")
        self.refused("42501", "permission denied for schema detent", "select detent.schedule_at('h', now())", on=stranger)
        self.db.execute("grant usage on schema detent to stranger")
        functions = self.db.execute("select oid::regprocedure::text from pg_proc where pronamespace = 'detent'::regnamespace"
                                    " and has_function_privilege('stranger', oid, 'execute')").fetchall()
        self.assertEqual(functions, [])

    def test_a_search_path_changes_nothing(self):
        shop = self.connect(user="shop")
        shop.execute("create schema mine; create table mine.stolen (who text);"
                     "create function mine.octet_length(text) returns int language plpgsql as"
                     " $$ begin insert into mine.stolen values (current_user); return 1; end $$;"
                     "create function mine.same(text, text) returns boolean language plpgsql as"
                     " $$ begin insert into mine.stolen values (current_user); return false; end $$;"
                     "create operator mine.= (function = mine.same, leftarg = text, rightarg = text);"
                     "set search_path = mine, pg_catalog, public")
        self.put("k", on=shop)
        self.assertTrue(self.cancel("k", on=shop))
        self.assertEqual(self.db.execute("select * from mine.stolen").fetchall(), [])

    def test_a_role_of_nodes(self):
        nodes = self.connect(user="nodes")
        put = "select detent.put_one(%s::smallint, '', 'k', %s, now(), 1, false, 'h', '', '', 0::smallint, false)"
        self.assertEqual(self.one(put, shard_of("k"), 1, on=nodes), 0)
        self.assertEqual(self.one("select detent.cancel_one(%s::smallint, '', 'k', 7)", shard_of("k"), on=nodes), 6)
        self.refused("42501", "must be owner", "drop table detent.timers", on=nodes)


if __name__ == "__main__":
    unittest.main()
