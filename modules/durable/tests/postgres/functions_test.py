#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What the functions of the schema `detent` do, each called alone.

usage: functions_test.py [NAME...]
"""
import os
import random
import sys
import unittest
from datetime import datetime, timedelta, timezone
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).parent))
import postgres_server
from postgres_server import in_seconds, shard_of, token

SEED = int(os.environ.get("DETENT_SEED", random.randrange(1 << 32)))
CALL = "select detent.schedule_at(%s, %s, %s, %s, %s, %s)"


class Puts(postgres_server.Test):
    def test_a_timer_is_as_it_was_put(self):
        due = datetime(2031, 5, 17, 8, 30, 0, 123457, timezone.utc)
        self.assertEqual(self.put("order:1", handler="expire", due=due, payload=b"\0\xff", partition="eu"), "order:1")
        self.assertEqual(self.get("order:1", "eu"), ("expire", due, b"\0\xff", 1, False))
        self.assertIsNone(self.get("order:1"))

    def test_handler_and_due_time_are_enough(self):
        key = self.one("select detent.schedule_at('h', now() + interval '1 hour')")
        self.assertEqual(self.get(key)[2:], (b"", 1, False))

    def test_nulls_mean_what_is_left_out(self):
        self.assertEqual(self.put("k", payload=None, partition=None), "k")
        self.assertEqual(self.get("k", None)[2], b"")

    def test_made_keys_differ_and_grow(self):
        keys = [self.put(None) for _ in range(100)]
        self.assertEqual(len(set(keys)), 100)
        self.assertEqual([key[:9] for key in keys], sorted(key[:9] for key in keys))
        for key in keys:
            self.assertRegex(key, "^[-0-9A-Z_a-z]{15}$")

    def test_a_key_that_is_there(self):
        first, second = in_seconds(100), in_seconds(200)
        self.put("k", due=first)
        self.assertEqual(self.put("k", due=second), "k")
        self.assertEqual(self.get("k")[1], first)
        self.put("k", due=second, if_exists="replace", payload=b"new", handler="other")
        self.assertEqual(self.get("k"), ("other", second, b"new", 1, False))
        self.refused("DT006", "'k'", CALL, "h", first, b"", "k", "", "fail")
        self.assertEqual(self.get("k")[1], second)
        self.put("l", if_exists="fail")
        self.put("m", if_exists="replace")
        self.assertTrue(self.get("l") and self.get("m"))

    def test_a_partition_has_keys_of_its_own(self):
        self.put("k", partition="a")
        self.put("k", partition="b", handler="other", if_exists="fail")
        self.assertTrue(self.cancel("k", "a"))
        self.assertEqual(self.get("k", "b")[0], "other")

    def test_times_outside_of_a_store(self):
        self.put("early", due=datetime(1961, 4, 12, tzinfo=timezone.utc))
        self.put("late", due=datetime(2500, 1, 1, tzinfo=timezone.utc))
        self.assertEqual(self.get("early")[1], datetime(1970, 1, 1, tzinfo=timezone.utc))
        self.assertEqual(self.get("late")[1], datetime(2200, 1, 1, tzinfo=timezone.utc))

    def test_what_is_refused(self):
        for due in (in_seconds(0), in_seconds(3600)):
            self.refuse_puts(due)
        self.assertEqual(self.one("select count(*) from detent.timers"), 0)

    def refuse_puts(self, now):
        for state, words, arguments in (
                ("DT001", "handler is null", (None, now, b"", "k", "", "keep")),
                ("DT001", "due time is null", ("h", None, b"", "k", "", "keep")),
                ("DT002", "key is empty", ("h", now, b"", "", "", "keep")),
                ("DT002", "name is empty", ("", now, b"", "k", "", "keep")),
                ("DT003", "65 bytes, and may have 64", ("h" * 65, now, b"", "k", "", "keep")),
                ("DT003", "129 bytes, and may have 128", ("h", now, b"", "k" * 129, "", "keep")),
                ("DT003", "130 bytes, and may have 128", ("h", now, b"", "ü" * 65, "", "keep")),
                ("DT003", "partition has 129 bytes, and may have 128", ("h", now, b"", "k", "p" * 129, "keep")),
                ("DT003", "65537 bytes, and may have 65536", ("h", now, b"x" * 65537, "k", "", "keep")),
                ("DT004", "-infinity", ("h", "-infinity", b"", "k", "", "keep")),
                ("DT004", "infinity", ("h", "infinity", b"", None, "", "keep")),
                ("DT005", "'Keep', and may be keep, replace or fail", ("h", now, b"", "k", "", "Keep")),
                ("DT005", "NULL", ("h", now, b"", "k", "", None))):
            with self.subTest(words, due=now):
                self.refused(state, words, CALL, *arguments)

    def test_what_else_is_refused(self):
        self.put("ü" * 64, handler="h" * 64, partition="p" * 128, payload=b"x" * 65536)
        self.refused("DT001", "key is null", "select detent.cancel(null)")
        self.refused("DT002", "key is empty", "select detent.cancel('')")
        self.refused("DT001", "key is null", "select * from detent.get(null)")
        self.refused("DT003", "130 bytes", "select * from detent.get(%s)", "ü" * 65)
        self.refused("DT001", "due time is null", "select detent.restart_at('k', null)")
        self.refused("DT004", "infinity", "select detent.restart_at('k', 'infinity')")


class Names(postgres_server.Test):
    def test_cancel_says_whether_it_was_there(self):
        self.put("k")
        self.assertTrue(self.cancel("k"))
        self.assertIsNone(self.get("k"))
        self.assertFalse(self.cancel("k"))

    def bury(self, key, attempt):
        self.db.execute("insert into detent.dead"
                        " (shard, partition, key, id, due, attempt, by_rule, handler, schedule, payload, why)"
                        " values (%s, '', %s, 1, '2030-01-01 00:00Z', %s, false, 'h', '', 'p', 'it failed')",
                        (shard_of(key), key, attempt))

    def test_the_dead(self):
        self.bury("k", 3)
        self.assertEqual(self.get("k"), ("h", datetime(2030, 1, 1, tzinfo=timezone.utc), b"p", 3, True))
        self.assertFalse(self.one("select detent.restart_at('k', now())"))
        self.assertTrue(self.cancel("k"))
        self.assertIsNone(self.get("k"))
        self.bury("k", 3)
        self.put("k", if_exists="fail")  # a dead one does not hold its key
        self.assertFalse(self.get("k")[4])
        self.assertEqual(self.one("select count(*) from detent.dead"), 0)

    def test_attempts_are_those_of_users(self):
        lost = 2 << 16 | 2 << 24  # starts that ended their process
        self.put("k")
        self.db.execute("update detent.timers set attempt = %s", (3 | lost,))
        self.assertEqual(self.get("k")[3], 5)
        self.bury("l", 3 | lost)
        self.assertEqual(self.get("l")[3], 4)
        self.db.execute("update detent.timers set attempt = %s", (4 - (1 << 31),))  # 128 marks
        self.assertEqual(self.get("k")[3], 4)

    def test_restart_at(self):
        self.put("k", payload=b"p")
        self.db.execute("update detent.timers set attempt = 4, by_rule = true")
        before, due = self.row("k")[0], in_seconds(30)
        self.assertTrue(self.one("select detent.restart_at('k', %s)", due))
        self.assertEqual(self.get("k"), ("h", due, b"p", 1, False))
        self.assertGreater(self.row("k")[0], before)
        self.assertFalse(self.one("select detent.restart_at('l', %s)", due))

    def test_shards_are_those_of_the_library(self):
        print(f"seed {SEED}")
        dice = random.Random(SEED)
        for _ in range(300):
            key, partition = ("".join(chr(dice.choice((dice.randrange(1, 128), dice.randrange(128, 0xd800))))
                                      for _ in range(dice.randrange(most))) for most in (40, 3))
            shards = dice.choice((1, 2, 16, 63, 64, 100, 1000, 1024))
            self.assertEqual(self.one("select detent.shard_of(%s, %s)", key, partition), shard_of(key, partition))
            self.assertEqual(self.one("select detent.shard_of(%s, %s, %s)", key, partition, shards),
                             shard_of(key, partition, shards))


class Ends(postgres_server.Test):
    def test_it_ends_once(self):
        self.put("k", partition="p")
        its = token("k", *self.row("k", "p"), partition="p")
        self.assertTrue(self.finish(its))
        self.assertIsNone(self.get("k", "p"))
        self.assertFalse(self.finish(its))

    def test_what_has_changed_does_not_end(self):
        self.put("k")
        number, due = self.row("k")
        self.assertFalse(self.finish(token("k", number + 1, due)))
        self.assertFalse(self.finish(token("k", number, due + timedelta(microseconds=1))))
        self.one("select detent.restart_at('k', now())")
        self.assertFalse(self.finish(token("k", number, due)))
        self.cancel("k")
        self.assertFalse(self.finish(token("k", number, due)))

    def test_a_recurring_one_goes_on(self):
        self.put("k", payload=b"p")
        self.db.execute("update detent.timers set attempt = 3, schedule = 'daily'")
        number, due = self.row("k")
        following = due + timedelta(days=1)
        its = token("k", number, due, following)
        self.assertTrue(self.finish(its))
        self.assertEqual(self.get("k"), ("h", following, b"p", 1, False))
        self.assertTrue(self.one("select by_rule from detent.timers"))
        self.assertFalse(self.finish(its))

    def test_its_successor_follows(self):
        self.put("k", due=in_seconds(-1))
        its = token("k", *self.row("k"))
        due = in_seconds(7)
        self.put("k", due=due, payload=b"next")  # it may run: this one follows
        self.assertEqual(self.announced(), [("k", True)])
        self.assertTrue(self.finish(its))
        self.assertEqual(self.get("k"), ("h", due, b"next", 1, False))
        self.assertEqual(self.one("select count(*) from detent.successors"), 0)

    def test_no_token(self):
        self.put("k")
        its = token("k", *self.row("k"))
        for bad in ("", "k", its[:-1], its + ".", "2" + its[1:], its.replace("6b", "6B"), its.replace("6b", "6"), its + "x",
                    its.replace("6b", ""), " " + its, token("k" * 129, *self.row("k")),
                    its.replace(str(self.row("k")[0]), "9223372036854775808")):
            with self.subTest(bad):
                self.refused("DT007", "no token", "select detent.finish(%s)", bad)
        self.refused("DT001", "token is null", "select detent.finish(null)")
        self.assertTrue(self.finish(its))


if __name__ == "__main__":
    unittest.main()
