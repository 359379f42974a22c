#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""`detent durable` on a store in Redis, which is written as docs/durable-redis.md says. It starts and ends a server."""
import os
import shutil
import struct
import sys
import threading
import time
import unittest

sys.dont_write_bytecode = True
from command_support import WithDirectory, detent, run_tests
from durable_store import DUE, ActionsOnAStore, MakesNoStore
from redis_server import Server


def body(number, handler=b"expire", schedule=b"", payload=b"body"):
    return (struct.pack("<QQIBBH", number, DUE + number, 1, 0, len(handler), len(schedule)) + handler + schedule + payload)


@unittest.skipUnless(shutil.which("redis-server"), "no redis-server")
class DurableOnRedis(WithDirectory, ActionsOnAStore, MakesNoStore):
    def server(self, *options):
        server = Server(self.directory, *options)
        self.addCleanup(server.end)
        return server

    def store(self):
        """One shard in the prefix `shop`."""
        if not hasattr(self, "redis"):
            self.redis = self.server()
        server = self.redis
        server.ask("FLUSHALL")
        server.ask("HSET", "shop:{meta}:store", "shards", 1, "format", 2)
        for number, key in enumerate(("order:1", "order:2"), 1):
            server.ask("ZADD", "shop:{00}:due", DUE + number, "\0" + key)
            server.ask("HSET", "shop:{00}:body", "\0" + key, body(number, schedule=b"nightly" if number == 2 else b""))
        server.ask("ZADD", "shop:{00}:dead", DUE, "\0lost")
        server.ask("HSET", "shop:{00}:grave", "\0lost", struct.pack("<H", 10) + b"no account" + body(9))
        return server.url + "?prefix=shop"

    def owner(self, upto, answer):
        """A node that has read up to then, and answers the first question that is announced to it, if there is an answer."""
        server = self.redis
        server.ask("HSET", "shop:{00}:own", "node", "gateway", "until", 4_000_000_000_000_000, "fence", 7, "format", 2,
                   "upto", upto, "channel", "owner")

        def reply():
            for _ in range(3000):
                for line in server.ask("LRANGE", "shop:{00}:announced", 0, -1):
                    question = struct.unpack("<Q", line[1:9])[0]
                    if line[:1] == b"q":
                        server.ask("SET", f"shop:{{00}}:answer:{question}", answer)
                        return
                time.sleep(0.01)

        if answer is None:
            return
        thread = threading.Thread(target=reply)
        thread.start()
        self.addCleanup(thread.join)

    def test_what_an_owner_has_in_hand_is_cancelled_by_the_owner(self):
        store = self.store()
        self.owner(DUE + 1, 1)
        for key in ("order:1", "order:2"):
            self.assertEqual(self.run_on(store, "cancel", key, "--yes"), (0, f"'{key}': cancelled\n", ""))

    def test_a_run_that_goes_on_is_not_cancelled(self):
        store = self.store()
        self.owner(DUE + 1, 2)
        status, text, _ = self.run_on(store, "cancel", "order:1", "--yes")
        self.assertEqual((status, text.startswith("'order:1': runs now")), (1, True), text)

    def test_a_revived_one_is_announced_to_the_owner(self):
        store = self.store()
        self.owner(3_000_000_000_000_000, None)
        self.assertEqual(self.run_on(store, "revive", "lost", "--yes")[0], 0)
        self.assertEqual(self.redis.ask("LRANGE", "shop:{00}:announced", 0, -1), [b"p" + b"\0" * 9 + b"lost"])

    def test_lists_go_on_through_all_shards(self):
        """Timers of one instant in four shards, one cancelled between two pages."""
        self.store()
        self.redis.ask("HSET", "four:{meta}:store", "shards", 4, "format", 2)
        store = self.redis.url + "?prefix=four"
        for i in range(24):
            self.done(store, "put", f"k{i}", "--handler", "h", "--due", "2029-01-01T00:00:00Z" if i < 20 else "2029-01-02T00:00:00Z")
        shards = [each["shard"] for each in self.objects(store, "list")]
        self.assertEqual(shards[:20], sorted(shards[:20]))
        self.assertEqual(set(shards), {0, 1, 2, 3})
        first = self.objects(store, "list", "--limit", "9")
        self.done(store, "cancel", first[2]["key"])
        rest = self.keys(store, "--after", first[-1]["after"])
        self.assertEqual(sorted([each["key"] for each in first] + rest), sorted(f"k{i}" for i in range(24)))
        self.done(store, "cancel", first[-1]["key"])
        repeated = self.keys(store, "--after", first[-1]["after"])
        self.assertEqual(set(repeated) - set(rest) - {each["key"] for each in first}, set())
        self.assertEqual(set(rest) - set(repeated), set())
        self.assertEqual(self.done(store, "move", "--handler", "h", "--by", "400d"), "22 of 22 timers moved\n")
        self.assertEqual({each["due"] for each in self.objects(store, "list")}, {"2030-02-05T00:00:00Z", "2030-02-06T00:00:00Z"})

    def nothing(self):
        server = self.server()
        return server.url + "?prefix=none", "no store has the prefix 'none'", lambda: server.ask("DBSIZE") == b":0"

    def test_the_password_comes_from_the_url_a_file_or_the_environment(self):
        server = self.server("--requirepass", "right p@ss")
        server.ask("AUTH", "right p@ss")
        server.ask("HSET", "detent:{meta}:store", "shards", 1, "format", 2)
        place = server.path
        file = self.write("secret", b"right p@ss\n")
        self.assertIn("DETENT_REDIS_PASSWORD", self.refused(1, "durable", "list", "--store", f"redis+unix://{place}"))
        self.assertIn("WRONGPASS", self.refused(1, "durable", "list", "--store", f"redis+unix://:wrong@{place}"))
        for url in (f"redis+unix://:right%20p%40ss@{place}", f"redis+unix://default:right%20p%40ss@{place}",
                    f"redis+unix://{place}?password-file={file}"):
            self.assertEqual(detent("durable", "list", "--store", url).returncode, 0, url)
        os.environ["DETENT_REDIS_PASSWORD"] = "right p@ss"
        self.addCleanup(os.environ.pop, "DETENT_REDIS_PASSWORD")
        self.assertEqual(detent("durable", "list", "--store", f"redis+unix://{place}").returncode, 0)

    def test_what_cannot_be_used_is_refused_in_one_line_without_the_password(self):
        server = self.server()
        server.ask("HSET", "newer:{meta}:store", "shards", 1, "format", 3)
        for store, word in ((server.url + "?prefix=newer", "of format 3, and this version knows 2"),
                            (f"redis+unix://{self.directory}/none", "No such file"),
                            ("redis://127.0.0.1:1/shop", "Connection refused"),
                            ("redisx://:geheim@host/shop", "'redisx' is not known"),
                            ("redis-sentinel://:geheim@host:1", "no name of a master"),
                            ("redis-sentinel://:geheim@host:1/m?sentinel-user=u", "set DETENT_SENTINEL_PASSWORD"),
                            ("redis-sentinel://:geheim@127.0.0.1:1/m/shop", "Connection refused"),
                            (f"redis-sentinel://:geheim@127.0.0.1:1/m?ca-file={self.directory}", "'ca-file' of the URL is not known"),
                            ("rediss://:geheim@127.0.0.1:1/shop?key-file=x", "give both or none"),
                            ("redis://:geheim@/shop", "no host"),
                            ("redis://:geheim@host:99999/shop", "from 1 to 65535"),
                            ("redis://user@host/shop", "without a password"),
                            ("redis://:geheim@host/shop?prefix=x", "'prefix' of the URL is not known"),
                            ("redis://:geheim@host/shop?password-file=x", "give one of them"),
                            ("redis://:ge%heim@host/shop", "write it as %25"),
                            ("redis://gateway:geheim/1@host/shop", "write / as %2F and ? as %3F"),
                            ("redis://gateway:1?geheim@host/shop", "write / as %2F and ? as %3F"),
                            ("redis://gateway:1@geheim/1@host/shop", "write / as %2F and ? as %3F"),
                            ("redis+unix://:geheim/1@/run/redis.sock", "write / as %2F and ? as %3F"),
                            ("redis://host/shop?password-file=/none", "no password there"),
                            ("redis://host/a%7Bb", "without braces")):
            trouble = self.refused(1, "durable", "list", "--store", store)
            self.assertIn(word, trouble)
            self.assertNotIn("geheim", trouble)


if __name__ == "__main__":
    run_tests()
