#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""`detent stat --listen` as Prometheus sees it, and as those see it who are not meant."""
import os
import signal
import socket
import sys
import threading

sys.dont_write_bytecode = True
from command_support import DETENT, run_tests
from http_support import WithServer


class Listen(WithServer):
    def start(self, *arguments):
        """Returns the server and its port."""
        return self.serve(DETENT, "stat", "--listen", *arguments)

    def ask(self, port, path="/metrics", **named):
        return super().ask(port, path, **named)

    def test_it_serves_what_stat_prints_and_ends_by_a_signal(self):
        for end in (signal.SIGTERM, signal.SIGINT):
            server, port = self.start("0", self.sample())
            answer, body = self.ask(port)
            self.assertEqual(body, self.printed("stat", "--prometheus", self.path("counters")))
            self.assertEqual(answer.getheader("Content-Type"), "text/plain; version=0.0.4; charset=utf-8")
            head, nothing = self.ask(port, method="HEAD")
            self.assertEqual((head.status, nothing, head.getheader("Content-Length")), (200, "", str(len(body.encode()))))
            server.send_signal(end)
            self.assertEqual(server.wait(60), 0)
            self.assertEqual(server.stderr.read(), "")

    def test_an_answer_is_compressed_for_those_who_take_gzip_and_for_no_others(self):
        _, port = self.start("0", self.sample())
        expected = self.printed("stat", "--prometheus", self.path("counters"))
        for coding, accepts in ((None, ["br"]), (None, ["zstd"]), (None, ["deflate"]), (None, ["gzip;q=0"]), ("gzip", ["gzip"]),
                                ("gzip", ["*"]), ("gzip", ["br;q=1.0, gzip"]), ("gzip", ["identity", "gzip, br"])):
            answer, body = self.ask(port, fields=[("Accept-Encoding", each) for each in accepts])
            self.assertEqual((answer.status, answer.getheader("Content-Encoding")), (200, coding), accepts)
            self.assertEqual(body, expected)

    def test_only_its_own_names_are_answered_and_only_questions(self):
        _, port = self.start("127.0.0.1:0", self.sample(), "--host", "timers.example")
        for host, status in [(own, 200) for own in ("localhost", "LOCALHOST:80", f"127.0.0.1:{port}", "[::1]:9", "127.1.2.3",
                                                    "Timers.Example:9464")] + \
                [(foreign, 421) for foreign in ("evil.example", "localhost.evil.example", "192.0.2.1", "[2001:db8::1]",
                                                "localhost:x", "[::1", "::1", "[localhost]")] + [("", 400)]:
            self.assertEqual(self.status(port, host=host), status, host)
        self.assertEqual(self.status(port, method="POST"), 405)
        self.assertEqual(self.status(port, path="/metric"), 404)

    def test_another_address_than_loopback_answers_to_addresses_and_the_names_it_was_given(self):
        _, port = self.start("0.0.0.0:0", self.sample())
        for own in ("192.0.2.1:9464", "[2001:db8::1]", "localhost", socket.gethostname()):
            self.assertEqual(self.status(port, host=own), 200, own)
        self.assertEqual(self.status(port, host="evil.example"), 421)

    def test_a_file_that_is_gone_is_an_error_of_the_answer_and_one_line(self):
        server, port = self.start("0", self.sample())
        os.remove(self.path("counters"))
        for _ in range(2):
            answer, body = self.ask(port)
            self.assertEqual(answer.status, 503)
            self.assertIn("cannot be opened", body)
        self.sample()
        self.assertEqual(self.status(port), 200)
        server.terminate()
        self.assertEqual(server.wait(60), 0)
        self.assertRegex(server.stderr.read(), r"\Adetent: [^\n]+ cannot be opened[^\n]+\n\Z")

    def test_clients_that_dawdle_hold_up_neither_others_nor_the_end(self):
        server, port = self.start("0", self.sample())
        stop = threading.Event()
        slow = [socket.create_connection(("127.0.0.1", port)) for _ in range(16)]

        def drip():
            for letter in "GET /metrics HTTP/1.1\r\nHost: localhost\r\nX: " + "x" * 1000:
                for each in slow:
                    try:
                        each.send(letter.encode())
                    except OSError:
                        pass  # ended, as it should be
                if stop.wait(0.5):
                    return

        thread = threading.Thread(target=drip)
        thread.start()
        try:
            self.assertEqual(self.status(port), 200)  # after ten seconds at most
            slow += [socket.create_connection(("127.0.0.1", port)) for _ in range(20)]
            server.terminate()
            self.assertEqual(server.wait(60), 0)
        finally:
            stop.set()
            thread.join()
            for each in slow:
                each.close()


if __name__ == "__main__":
    run_tests()
