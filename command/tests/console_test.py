#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""`detent console` as a browser sees it, and as those see it who are not meant."""
import base64
import http.client
import json
import os
import re
import shutil
import signal
import socket
import sqlite3
import stat
import sys
import time

sys.dont_write_bytecode = True
from command_support import DETENT, detent, run_tests
from durable_store import BURY, COUNT
from http_support import WithConsole

HOSTILE = '"><script>alert(1)</script>&\u202e\x1b[2J'
TOKEN = "0123456789abcdef0123456789abcdef"


class UnixConnection(http.client.HTTPConnection):
    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.connect(self.host)


class Console(WithConsole):
    def raw(self, port, request):
        """The status of the answer to these bytes."""
        with socket.create_connection(("127.0.0.1", port), timeout=60) as connection:
            connection.sendall(request)
            return int(connection.makefile("rb").readline().split()[1])

    def test_page_and_figures_are_served_until_a_signal(self):
        sample = shutil.copy(self.sample("sample"), os.path.join(self.counters, "detent.2.0"))
        for end in (signal.SIGTERM, signal.SIGINT):
            console, port = self.start()
            self.assertEqual(self.ask(port, "/metrics")[1], self.printed("stat", "--prometheus", sample))
            untimed = lambda text: re.sub(r'"read_at_ns": \d+', "", text)
            self.assertEqual(untimed(self.ask(port, "/api/stat.json")[1]), untimed(self.printed("stat", "--json", sample)))
            page, text = self.ask(port)
            self.assertEqual((page.status, page.getheader("Content-Type")), (200, "text/html; charset=utf-8"))
            self.assertIn("default-src 'none'", page.getheader("Content-Security-Policy"))
            self.assertNotIn("unsafe", page.getheader("Content-Security-Policy"))
            head, nothing = self.ask(port, method="HEAD")
            self.assertEqual((head.status, nothing), (200, ""))
            for path in re.findall(r'(?:href|src)="(console\.\w+)"', text):
                self.assertEqual(self.status(port, "/" + path), 200, path)
            console.send_signal(end)
            self.assertEqual((console.wait(60), console.stderr.read()), (0, ""))

    def test_answers_are_compressed_for_those_who_take_that(self):
        self.beat()
        _, port = self.start()
        plain, _ = self.ask(port)
        self.assertEqual((plain.getheader("Content-Encoding"), plain.getheader("Vary")), (None, "Accept-Encoding"))
        for path in ("/", "/console.css", "/console.js"):
            taken = [("Accept-Encoding", "br, gzip;q=0.5")]
            answer, unpacked = self.ask(port, path, fields=taken)
            self.assertEqual((answer.status, answer.getheader("Content-Encoding")), (200, "gzip"), path)
            plain = self.ask(port, path)[1]
            self.assertTrue(path == "/" or unpacked == plain, path)
            self.assertLess(1.8 * int(answer.getheader("Content-Length")), len(plain), path)
            head, nothing = self.ask(port, path, method="HEAD", fields=taken)
            self.assertEqual((head.getheader("Content-Encoding"), nothing), ("gzip", ""))
        answer, _ = self.ask(port, "/none", fields=[("Accept-Encoding", "gzip")])  # too short to gain
        self.assertEqual((answer.status, answer.getheader("Content-Encoding")), (404, None))

    def test_requests_that_are_not_for_it_are_refused(self):
        _, port = self.start("--host", "timers.example")
        for own in ("localhost:9", "127.0.0.1", "[::1]:9", "Timers.example"):
            self.assertEqual(self.status(port, host=own), 200, own)
        for path in ("/", "/metrics", "/console.js", "/api/stat.json", "/none"):
            self.assertEqual(self.status(port, path, host="evil.example"), 421, path)
        for method in ("POST", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "CONNECT", "PROPFIND", "PRI", "get", "X-!#$%&'*+.^_`|~9"):
            refused, _ = self.ask(port, method=method)
            self.assertEqual((refused.status, refused.getheader("Allow")), (405, "GET, HEAD"), method)
        for line in (b"Content-Length : 3", b" folded", b"no colon", b": no name", b"X: a\rb", b"X: a\nb", b"X: a\0b", b"X\t: y"):
            self.assertEqual(self.raw(port, b"GET / HTTP/1.1\r\nHost: localhost\r\n" + line + b"\r\n\r\n"), 400, line)
        for line in (b"G(T / HTTP/1.1", b" / HTTP/1.1", b"", b"GET", b"GET / HTTP/9.9"):
            self.assertEqual(self.raw(port, line + b"\r\nHost: localhost\r\n\r\n"), 400, line)
        self.assertEqual(self.status(port, method="POST", fields=[("Content-Length", "500000")], body=b"x" * 500_000), 405)
        for field in (("Content-Length", "3"), ("Transfer-Encoding", "chunked"), ("Content-Length", "-1")):
            for path in ("/", "/metrics"):
                self.assertEqual(self.status(port, path, fields=[field], body=b"0\r\n"), 413, field)
        self.assertEqual(self.status(port, fields=[("Content-Length", "0")]), 200)
        self.assertEqual(self.status(port, fields=[("Content-Length", "3"), ("Expect", "100-continue")]), 413)
        self.assertEqual(self.status(port, fields=[("Host", "localhost")]), 400)
        self.assertEqual(self.status(port, "/" + "x" * 9000), 431)
        self.assertEqual(self.status(port, "/api/durable.json"), 404)
        self.assertEqual(self.status(port, "/..%2f..%2fetc/passwd"), 404)
        # In as many parts as fit: a page is sent once, and as a whole.
        parts, text = self.ask(port, fields=[("Range", "bytes=" + ",".join(["0-"] * 2000))])
        self.assertEqual((parts.status, text.count("</html>")), (200, 1))

    def test_a_file_that_is_damaged_is_a_line_and_the_others_go_on(self):
        file = self.beat()
        with open(file, "rb") as source:
            image = source.read()
        _, port = self.start()
        damaged = os.path.join(self.counters, "detent.1.9")

        def leave(content):
            with open(damaged, "wb") as out:
                out.write(content)

        for content, complaint in ((image[:1000], "detent.1.9: "), (b"", "shorter than the header"),
                                   (image[:8] + b"\xff" + image[9:], "is another layout than version")):
            leave(content)
            self.assertIn("heartbeat", self.wait_for(port, complaint))
        os.remove(damaged)
        os.symlink(self.write("foreign", b"secrets!" * 200), damaged)
        self.assertNotIn("secrets", self.wait_for(port, "detent.1.9: not a counters file of an engine: it is a symbolic link"))
        os.remove(damaged)
        shutil.copy(self.path("foreign"), damaged)
        self.assertNotIn("secrets", self.wait_for(port, "detent.1.9: not a counters file of an engine: it does not begin"))
        os.remove(damaged)
        self.assertIn("heartbeat", self.ask(port)[1])

    def test_other_hosts_need_the_token_of_a_file_that_is_closed_to_others(self):
        token = self.write("token", TOKEN.encode() + b"\n")
        os.chmod(token, 0o640)
        self.assertIn("chmod 600", self.refused(1, "console", "--listen", "0.0.0.0:0", "--token-file", token))
        os.chmod(token, 0o600)
        for wrong in (b"short\n", b"x" * 1025, b"two words that are long\n", b"two\nlines of a long token\n"):
            short = self.write("other", wrong)
            os.chmod(short, 0o600)
            self.assertIn("openssl rand", self.refused(1, "console", "--token-file", short))
        if os.geteuid() == 0:
            os.chown(short, 12345, -1)
            self.assertIn("chown 0", self.refused(1, "console", "--token-file", short))
        _, port = self.start("--token-file", token, listen="0.0.0.0:0")
        bearer = lambda text: [("Authorization", text)]
        basic = lambda name, password: "Basic " + base64.b64encode(f"{name}:{password}".encode()).decode()
        for path in ("/", "/console.css", "/metrics", "/none"):
            refused, _ = self.ask(port, path)
            ways = refused.headers.get_all("WWW-Authenticate")
            self.assertEqual((refused.status, [way.split()[0] for way in ways]), (401, ["Bearer", "Basic"]), path)
        for wrong in ("Bearer", "Bearer ", "Bearer " + TOKEN[:-1], "Bearer " + TOKEN + "0", "Basic " + TOKEN, TOKEN,
                      "Bearer " + TOKEN * 2, "Bearer " + TOKEN[:-1] + "g", basic("ann", TOKEN[:-1]), basic(TOKEN, ""),
                      basic("", TOKEN)[:-4], "Basic " + base64.b64encode(TOKEN.encode()).decode()):
            self.assertEqual(self.status(port, fields=bearer(wrong)), 401, wrong)
        self.assertEqual(self.status(port, fields=bearer("Bearer " + TOKEN) * 2), 401)
        for right in ("bearer " + TOKEN, basic("ann", TOKEN), basic("", TOKEN)):
            self.assertEqual(self.status(port, fields=bearer(right)), 200, right)
        self.assertEqual(self.status(port, host="evil.example", fields=bearer("Bearer " + TOKEN)), 421)

    def test_a_unix_socket_is_its_users_and_gone_with_it(self):
        path = self.path("socket")
        old = socket.socket(socket.AF_UNIX)
        old.bind(path)
        old.close()  # stale: the file stays
        console = self.spawn(DETENT, "console", "--counters", self.counters, "--socket", path)
        self.assertIn(path, console.stdout.readline())
        self.assertEqual(stat.S_IMODE(os.stat(path).st_mode), 0o600)
        self.assertEqual(self.status(0, connection=UnixConnection(path)), 200)
        self.assertEqual(self.status(0, host="evil.example", connection=UnixConnection(path)), 421)
        self.assertIn("another process listens", self.refused(1, "console", "--socket", path))
        console.terminate()
        self.assertEqual(console.wait(60), 0)
        self.assertFalse(os.path.exists(path))
        kept = self.write("file", b"text")
        self.assertIn("is not a socket", self.refused(1, "console", "--socket", kept))
        with open(kept) as file:
            self.assertEqual(file.read(), "text")

    def test_a_counters_file_of_any_name_is_shown_and_its_name_stays_text(self):
        os.rename(self.sample("sample"), os.path.join(self.counters, HOSTILE.replace("/", "") + "'"))
        _, port = self.start()
        text = self.ask(port)[1]
        engine = re.search(r'href="\?engine=([^#"]*)#engine"', text)[1]
        self.assertRegex(engine, r"\A[A-Za-z0-9.-]+\Z")
        for each in (text, self.ask(port, "/?engine=" + engine)[1]):
            self.assertNotIn("<script>alert", each)
            self.assertNotIn("onerror", each)
            self.assertEqual(each.count("<script"), 1)

    def test_clients_that_do_not_ask_hold_nobody_up(self):
        console, port = self.start()
        files = lambda: len(os.listdir(f"/proc/{console.pid}/fd"))
        silent = []
        try:
            for begun in (b"", b"GET / HTTP/1.1\r\nHost: localhost\r\nX: " + b"x" * 7000):
                for _ in range(400):
                    silent.append(socket.create_connection(("127.0.0.1", port)))
                    silent[-1].sendall(begun)
                self.assertEqual(self.status(port), 200)
                self.assertLess(files(), 300)
        finally:
            for each in silent:
                each.close()

    def test_a_store_is_shown_and_its_loss_is_a_line(self):
        if "no durable timers" in detent("durable", "list", "--store", self.path("none")).stderr:
            self.skipTest("built without durable timers")
        self.assertIn("no such file", self.refused(1, "console", "--store", self.path("none")))
        store = self.write("timers", b"")
        self.printed("durable", "put", "first", "--handler", "h", "--in", "1h", "--yes", "--store", store)  # makes the tables
        self.printed("durable", "cancel", "first", "--yes", "--store", store)
        with sqlite3.connect(store) as file:
            due = time.time_ns() // 1000
            file.execute("INSERT INTO timers (shard, key, id, due, attempt, by_rule, handler, schedule, payload) "
                         "VALUES (0, ?, 1, ?, 1, 0, ?, ?, ?)",
                         (HOSTILE.encode(), due + 3_600_000_000, b"expire", b"", b"secret"))
            file.executemany(BURY,
                             [(b"lost %d" % i, due + i, b"expire", b"", b"", b"no such account") for i in range(1000)])
            file.execute(COUNT)
        file.close()
        self.beat()
        _, port = self.start("--store", store)
        text = self.wait_for(port, "lost 999")
        for part in ("&lt;script&gt;alert(1)", "no such account", "heartbeat"):
            self.assertIn(part, text)
        self.assertNotIn("secret", text)
        held = json.loads(self.ask(port, "/api/durable.json")[1])
        self.assertEqual([each["key"] for each in held["dead"]], [f"lost {i}" for i in range(999, 949, -1)])
        self.assertEqual((held["trouble"], held["shards"][0]["timers"], held["shards"][0]["dead"]), ("", 1, 1000))
        with sqlite3.connect(store) as file:  # more of one due time than the store gives at once
            file.executemany(BURY,
                             [(b"late %d" % i, due + 9000 + (i > 300) * i, b"expire", b"", b"", b"no such account") for i in range(311)])
            file.execute(COUNT)
        file.close()
        while (held := json.loads(self.ask(port, "/api/durable.json")[1]))["shards"][0]["dead"] != 1311:
            time.sleep(0.1)
        latest = [each["key"] for each in held["dead"]]
        self.assertEqual((latest[:10], len(latest)), ([f"late {i}" for i in range(310, 300, -1)], 50))
        self.assertTrue(all(key.startswith("late") for key in latest), latest)
        with sqlite3.connect(store) as file:
            file.execute("DROP TABLE dead")
        file.close()
        while not (held := json.loads(self.ask(port, "/api/durable.json")[1]))["trouble"]:
            time.sleep(0.1)
        self.assertEqual(len(held["dead"]), 50)  # as they were
        self.assertIn("heartbeat", self.ask(port)[1])

    def test_a_port_that_is_taken_is_one_line(self):
        _, port = self.start()
        for command in ("console", "stat"):
            self.assertRegex(self.refused(1, command, "--listen", str(port)), f"--listen 127.0.0.1:{port}: .*in use")


if __name__ == "__main__":
    run_tests()
