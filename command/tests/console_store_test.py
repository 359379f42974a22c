#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What `detent console` shows of a store of durable timers: timers that are looked for, nodes, and the file that is there."""
import json
import os
import re
import shutil
import sqlite3
import struct
import sys
import time
import unittest
import urllib.parse

sys.dont_write_bytecode = True
from command_support import DETENT, detent, run_tests
from durable_store import BURY, COUNT
from http_support import WithServer
from redis_server import Server

SECRET = "secret: <script>alert(1)</script>"


def handler_hash(name):
    """As nodes tell each other which handlers they have."""
    value = ((0xcbf29ce484222325 ^ ord("h")) * 0x100000001b3) % (1 << 64)
    for byte in name:
        value = ((value ^ byte) * 0x100000001b3) % (1 << 64)
    return (value ^ value >> 32) % (1 << 32)


class ConsoleOfAStore(WithServer):
    def start(self, store):
        counters = self.path("counters")
        os.makedirs(counters, exist_ok=True)
        return self.serve(DETENT, "console", "--counters", counters, "--listen", "127.0.0.1:0", "--store", store)[1]

    def put(self, store, key, *words, handler="expire"):
        done = detent("durable", "put", key, "--handler", handler, "--store", store, "--yes", "--due", "2030-01-01T00:00:00Z", *words)
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def file(self, name, *keys):
        path = self.write(name, b"")
        for key in keys:
            self.put(path, key)
        return path

    def wait_for(self, port, what, path="/"):
        """Asks until the answer has it; a test's own time-out ends the rest."""
        while what not in (text := self.ask(port, path)[1]):
            time.sleep(0.1)
        return text

    def held(self, port):
        return json.loads(self.ask(port, "/api/durable.json")[1])

    def test_a_timer_is_found_by_key_or_handler_and_opened(self):
        store = self.file("timers", "order:1", "order:2", "bill:1")
        self.put(store, r"a\x0ab&#", "--partition", "eu & us", "--payload", SECRET, handler="post")
        with sqlite3.connect(store) as file:
            file.execute(BURY,
                         (b"\0order:3", 1_900_000_000_000_000, b"expire", b"", b"", b"no such account"))
            file.execute(COUNT)
        file.close()
        port = self.start(store)
        self.wait_for(port, "4 timers in 1 shard")
        found = lambda text: sorted(set(re.findall(r'href="\?key=([^"&]*)&amp;[^>]*>(?:<bdi>)?[^<]*', self.section(port, text))))
        self.assertEqual(found("order:"), ["order%3A1", "order%3A2", "order%3A3"])
        self.assertEqual(found("expire"), ["bill%3A1", "order%3A1", "order%3A2", "order%3A3"])
        self.assertEqual(found("post"), ["a%0Ab%26%23"])
        self.assertEqual(found(r"a\x0a"), ["a%0Ab%26%23"])
        self.assertEqual(found("none"), [])
        self.assertIn("after a backslash", self.section(port, "a\\"))
        link = re.search(r'href="(\?key=a%0Ab[^"#]*)#timer"', self.section(port, "post"))[1].replace("&amp;", "&")
        text = self.wait_for(port, "As text", "/" + link)
        for part in "eu &amp; us", "post", "&lt;script&gt;alert(1)", "73 65 63 72", "2030-01-01T00:00:00Z", "detent durable move":
            self.assertIn(part, text)
        self.assertEqual(text.count("<script"), 1)
        self.assertNotIn("secret", self.ask(port)[1])
        dead = self.wait_for(port, "no such account", "/?key=order:3&partition=")
        self.assertIn("detent durable revive", dead)
        self.wait_for(port, "There is no such timer", "/?key=none")

    def section(self, port, text):
        """What the page shows of a search that has ended."""
        path = "/?find=" + urllib.parse.quote(text)
        while "Searching" in (page := self.ask(port, path)[1]) or "searching on" in page:
            time.sleep(0.05)
        return page[page.index("<form id=\"find\""):page.index("id=\"shards\"")]

    def test_a_file_that_is_replaced_is_read_and_one_that_is_removed_is_missed(self):
        store = self.file("timers", "first:1")
        port = self.start(store)
        self.wait_for(port, "first:1")
        other = self.file("other", "second:1", "second:2")
        os.rename(other, store)
        for beside in "-wal", "-shm":
            if os.path.exists(store + beside):
                os.remove(store + beside)
        self.assertNotIn("first:1", self.wait_for(port, "second:2"))
        self.assertIn("second:2", self.section(port, "second:"))
        os.remove(store)
        self.assertIn("second:2", self.wait_for(port, "no such file"))
        self.assertIn("no such file", self.held(port)["trouble"])
        self.assertIn("detent_durable_up{store=", metrics := self.ask(port, "/metrics")[1])
        self.assertNotIn("detent_durable_dead", metrics)
        self.put(self.write("timers", b""), "third:1")
        self.wait_for(port, "third:1")

    def test_prometheus_has_what_the_store_has(self):
        store = self.file("timers", "order:1", "order:2")
        with sqlite3.connect(store) as file:
            file.executemany(BURY,
                             [(b"\0lost %d" % i, 1, b"expire", b"", b"", b"no such account") for i in range(3)])
            file.execute("UPDATE timers SET due = 1 WHERE key = ?", (b"\0order:1",))
            file.execute(COUNT)
        file.close()
        port = self.start(store)
        text = self.wait_for(port, "detent_durable_dead", "/metrics")
        label = re.search(r'detent_durable_up\{(store="[^"]+")\} 1\n', text)[1]
        self.assertIn("timers", label)
        for name, value in (("timers", 2), ("due", 1), ("dead", 3)):
            self.assertIn(f"# TYPE detent_durable_{name} gauge\ndetent_durable_{name}{{{label}}} {value}\n", text)
        self.assertEqual(self.held(port)["shards"][0]["backlog"], 1)

    def test_a_backlog_is_counted(self):
        store = self.file("timers", "order:1")
        with sqlite3.connect(store) as file:
            file.executemany("INSERT INTO timers (shard, key, id, due, attempt, by_rule, handler, schedule, payload) "
                             "VALUES (0, ?, 1, 1, 1, 0, ?, ?, ?)", [(b"\0k%d" % i, b"expire", b"", b"") for i in range(12_345)])
            file.execute(COUNT)
        file.close()
        port = self.start(store)
        self.wait_for(port, "12,345 due and not ended")

    @unittest.skipUnless(shutil.which("redis-server"), "no redis-server")
    def test_nodes_are_shown_and_handlers_that_none_has(self):
        server = Server(self.directory)
        self.addCleanup(server.end)
        store = server.url + "?prefix=shop"
        server.ask("HSET", "shop:{meta}:store", "shards", 2, "format", 2)
        for key, handler in (("order:1", "expire"), ("bill:1", "bill")):
            self.put(store, key, handler=handler)
        note = lambda node, *has: b"\0n" + bytes([len(node)]) + node + bytes(16) + b"".join(struct.pack(">I", handler_hash(each)) for each in has)
        call = lambda node, seconds, *has: [server.ask("ZADD", "shop:{nodes}:alive", int((time.time() + seconds) * 1e6), entry)
                                            for entry in (node, note(node, *has))]
        call(b"gateway-a", 600, b"expire")
        call(b"gateway-b", 600, b"expire", b"bill")
        call(b"gateway-c", 4, b"expire")
        port = self.start(store)
        self.wait_for(port, "gateway-c")
        state = lambda: {each["node"]: each["state"] for each in self.held(port)["nodes"]}
        while state() != {"gateway-a": "there", "gateway-b": "there", "gateway-c": "lost"}:
            time.sleep(0.1)
        self.assertEqual(self.held(port)["unrun"], [])
        self.assertIn("without a word", self.ask(port)[1])
        server.ask("ZREM", "shop:{nodes}:alive", b"gateway-b", note(b"gateway-b", b"expire", b"bill"))
        while state()["gateway-b"] != "left":
            time.sleep(0.1)
        self.assertEqual(self.held(port)["unrun"], [{"handler": "bill"}])
        self.wait_for(port, "no node runs bill")
        self.assertIn("detent_durable_handlers_unrun{", self.ask(port, "/metrics")[1])
        seen = {each["node"]: each["seen_us"] for each in self.held(port)["nodes"]}
        call(b"gateway-a", 700, b"expire")
        while {each["node"]: each["seen_us"] for each in self.held(port)["nodes"]}["gateway-a"] == seen["gateway-a"]:
            time.sleep(0.1)

    def test_a_large_store_is_searched_while_the_page_is_served(self):
        store = self.file("timers", "order:1")
        with sqlite3.connect(store) as file:
            file.executemany("INSERT INTO timers (shard, key, id, due, attempt, by_rule, handler, schedule, payload) "
                             "VALUES (0, ?, 1, ?, 1, 0, ?, ?, ?)",
                             ((b"\0k%d" % i, 1_800_000_000_000_000 + i, b"expire", b"", b"") for i in range(200_000)))
            file.execute("INSERT INTO timers (shard, key, id, due, attempt, by_rule, handler, schedule, payload) "
                         "VALUES (0, ?, 1, ?, 1, 0, ?, ?, ?)", (b"\2eulast", 1_900_000_000_000_000, b"expire", b"", b""))
            file.execute(COUNT)
        file.close()
        port = self.start(store)
        self.assertEqual(self.ask(port, "/?find=last")[0].status, 200)
        self.assertEqual(self.ask(port)[0].status, 200)
        self.assertIn("?key=last&amp;partition=eu", self.section(port, "last"))


if __name__ == "__main__":
    run_tests()
