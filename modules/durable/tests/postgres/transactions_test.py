#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Puts, cancels and ends in transactions of users: they happen with these or not at all, and hold up no owner.

usage: transactions_test.py [NAME...]
"""
import sys
import threading
import time
import unittest
from datetime import timedelta
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).parent))
import postgres_server
from postgres_server import in_seconds, psycopg, shard_of, token

LEVELS = psycopg.IsolationLevel


class Transactions(postgres_server.Test):
    def begin(self, level=LEVELS.READ_COMMITTED):
        connection = self.connect(autocommit=False)
        connection.isolation_level = level
        return connection

    def test_a_put_is_there_when_it_is_committed(self):
        for level in LEVELS:
            with self.subTest(level.name):
                key = level.name
                user = self.begin(level)
                self.put(key, on=user)
                self.assertIsNotNone(self.get(key, on=user))
                self.assertIsNone(self.get(key))
                user.rollback()
                self.assertIsNone(self.get(key))
                self.put(key, on=user)
                user.commit()
                self.assertIsNotNone(self.get(key))

    def test_a_cancel_is_decided_by_the_commit(self):
        for level in LEVELS:
            with self.subTest(level.name):
                self.put("k")
                user = self.begin(level)
                self.assertTrue(self.cancel("k", on=user))
                self.assertIsNotNone(self.get("k"))
                user.rollback()
                self.assertIsNotNone(self.get("k"))
                self.assertTrue(self.cancel("k", on=user))
                user.commit()
                self.assertIsNone(self.get("k"))

    def test_savepoints(self):
        user = self.begin()
        self.put("kept", on=user)
        user.execute("savepoint s")
        self.put("dropped", on=user)
        self.cancel("kept", on=user)
        user.execute("rollback to s")
        user.execute("savepoint t")
        self.put("released", on=user)
        user.execute("release t")
        user.commit()
        keys = self.db.execute("select key from detent.timers order by key").fetchall()
        self.assertEqual(keys, [("kept",), ("released",)])
        marks = self.db.execute("select distinct xid::text from detent.timers").fetchall()
        self.assertEqual(len(marks), 1)  # of the transaction, which snapshots name, and not of its savepoints

    def test_an_error_leaves_nothing(self):
        user = self.begin()
        self.put("k", on=user)
        self.refused("DT005", "may be keep", "select detent.schedule_at('h', now(), '', 'l', '', 'no')", on=user)
        user.rollback()
        self.assertIsNone(self.get("k"))

    def test_prepared_transactions(self):
        self.read_up_to(in_seconds(60))
        self.put("cancelled", due=in_seconds(1))
        for number, outcome in enumerate(("commit prepared", "rollback prepared")):
            key = f"k{number}"
            user = self.begin()
            xid = user.xid(1, key, "")
            user.tpc_begin(xid)
            self.put(key, on=user, due=in_seconds(0))  # near: its owner is told
            if number == 0:
                self.cancel("cancelled", on=user)
            user.tpc_prepare()
            self.assertIsNone(self.get(key))
            self.assertIsNotNone(self.get("cancelled") or number)
            (user.tpc_commit if number == 0 else user.tpc_rollback)()
            self.assertEqual(self.get(key) is not None, number == 0, outcome)
            self.assertIsNone(self.get("cancelled"))
        self.assertEqual(self.announced(), [("cancelled", False), ("k0", False), ("cancelled", False)])

    def test_a_transaction_that_is_prepared_by_either_protocol(self):
        self.read_up_to(in_seconds(60))
        user = self.connect()
        for name, prepare in (("simple", lambda text: user.pgconn.exec_(text)),
                              ("extended", lambda text: user.pgconn.exec_params(text, []))):
            with self.subTest(name):
                user.execute("begin")
                self.put(name, on=user, due=in_seconds(0))
                answer = prepare(f"Prepare  Transaction '{name}'".encode())
                self.assertEqual(answer.error_message, b"")
                user.execute(f"commit prepared '{name}'")
                self.assertIsNotNone(self.get(name))

    def test_a_key_that_another_transaction_puts(self):
        first, second = self.begin(LEVELS.SERIALIZABLE), self.begin(LEVELS.REPEATABLE_READ)
        self.one("select count(*) from detent.timers", on=second)  # its snapshot
        self.put("k", on=first)
        first.commit()
        self.refused("40001", "", "select detent.schedule_at('h', now(), '', 'k')", on=second)
        second.rollback()
        self.put("k", on=second)  # as users do after such an error
        second.commit()


class Waits(postgres_server.Test):
    def test_no_lock_of_an_owner_is_waited_for(self):
        self.put("cancelled")
        self.put("ended")
        its = token("ended", *self.row("ended"))
        owner = self.connect(autocommit=False)
        owner.execute("select from detent.shards for update")
        self.db.execute("set statement_timeout = '5s'")
        self.put("k", due=in_seconds(0))
        self.put("k", due=in_seconds(0), if_exists="replace")
        self.assertTrue(self.cancel("cancelled"))
        self.assertTrue(self.finish(its))

    def test_keep_holds_up_no_owner(self):
        self.put("k", due=in_seconds(0))
        user = self.connect(autocommit=False)
        self.put("k", on=user)
        self.db.execute("set statement_timeout = '5s'")
        self.db.execute("delete from detent.timers")
        user.commit()
        self.assertIsNotNone(self.get("k"))  # the successor of what has ended in between
        self.assertEqual(self.announced(), [("k", True)])
        self.assertTrue(self.one("select detent.promote(%s::smallint, '', 'k')", shard_of("k")))
        self.assertIsNotNone(self.row("k"))

    def finish_beside(self, outcome):
        """What finish() says beside a cancel that is committed, or rolled back, while it waits."""
        self.put("k", if_exists="replace")
        its = token("k", *self.row("k"))
        user, handler = self.connect(autocommit=False), self.connect(autocommit=False)
        self.cancel("k", on=user)
        said = []
        waiting = threading.Thread(target=lambda: said.append(self.finish(its, on=handler)))
        waiting.start()
        until = time.monotonic() + 30
        while not self.one("select count(*) from pg_locks where not granted"):
            self.assertLess(time.monotonic(), until, "it does not wait")
        getattr(user, outcome)()
        waiting.join()
        handler.commit()
        return said[0]

    def test_an_end_beside_a_cancel(self):
        self.assertFalse(self.finish_beside("commit"))
        self.assertTrue(self.finish_beside("rollback"))
        self.assertIsNone(self.get("k"))


class Announcements(postgres_server.Test):
    def listen(self):
        listener = self.connect()
        listener.execute("listen detent")
        return listener

    def notified(self, listener):
        """All that has come before now: a notification of the test's own comes after it."""
        self.db.execute("select pg_notify('detent', '-1')")
        found = []
        for one in listener.notifies():
            if one.payload == "-1":
                return found
            found.append(int(one.payload))
        return found

    def test_a_far_put_tells_nobody(self):
        self.read_up_to(in_seconds(2))
        listener = self.listen()
        self.put("k")
        self.assertEqual(self.announced(), [])
        self.assertEqual(self.notified(listener), [])

    def test_a_near_put_wakes_its_owner_when_it_is_committed(self):
        self.read_up_to(in_seconds(60))
        listener, user = self.listen(), self.connect(autocommit=False)
        self.put("k", on=user, due=in_seconds(0.02))
        self.put("l", on=user, due=in_seconds(30))  # announced; the next reading finds it in time
        self.assertEqual(self.notified(listener), [])
        self.assertEqual(self.announced(), [])
        user.commit()
        self.assertEqual(self.notified(listener), [shard_of("k")])
        self.assertEqual(self.announced(), [("k", False), ("l", False)])
        self.put("m", on=user, due=in_seconds(0))
        user.rollback()
        self.assertEqual(self.notified(listener), [])

    def test_what_may_be_in_hand_is_announced(self):
        for number, change in enumerate(("select detent.cancel(%s)", "select detent.restart_at(%s, now() + interval '1 hour')",
                                         "select detent.schedule_at('h', now() + interval '1 hour', '', %s, '', 'replace')")):
            with self.subTest(change):
                near, soon, far = f"near {number}", f"soon {number}", f"far {number}"
                self.put(near, due=in_seconds(0))
                self.put(soon, due=in_seconds(40))
                self.put(far)
                self.db.execute("truncate detent.announced")
                listener = self.listen()
                for key in (near, soon, far):
                    self.one(change, key)
                self.assertEqual(self.announced(), [(near, False), (soon, False)])
                self.assertEqual(self.notified(listener), [shard_of(near)])

    def test_an_old_snapshot_does_not_know_the_level(self):
        self.put("k", due=in_seconds(3600))
        user = self.connect(autocommit=False)
        user.isolation_level = LEVELS.REPEATABLE_READ
        self.one("select count(*) from detent.timers", on=user)
        self.read_up_to(in_seconds(7200))
        self.cancel("k", on=user)
        user.commit()
        self.assertEqual(self.announced(), [("k", False)])

    def test_a_recurring_one_that_is_due_at_once(self):
        self.put("k")
        number, due = self.row("k")
        self.read_up_to(due + timedelta(seconds=10))
        self.assertTrue(self.finish(token("k", number, due, due + timedelta(seconds=1))))
        self.assertEqual(self.announced(), [("k", False)])

    def test_a_keep_beside_a_far_timer_is_nothing(self):
        self.put("k")
        self.put("k", due=in_seconds(1))
        self.assertEqual(self.announced(), [])
        self.assertEqual(self.one("select count(*) from detent.successors"), 0)


if __name__ == "__main__":
    unittest.main()
