#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The hour that `detent console` keeps: over a restart, and with files that it cannot or must not use."""
import os
import re
import resource
import sys
import time

sys.dont_write_bytecode = True
from command_support import run_tests
from http_support import WithConsole


class Hour(WithConsole):
    def kept(self, *arguments):
        """Starts a console that keeps its hour in a file of the test."""
        return self.start("--history", self.path("history"), *arguments)

    def test_the_hour_survives_the_console(self):
        self.beat()
        console, port = self.kept("--keep", "10min")  # in steps of 1.7 s
        engine = re.search(r'href="\?engine=([^#"]*)#engine"', self.wait_for(port, "heartbeat"))[1]
        hour = lambda: self.ask(port, f"/?engine={engine}&span=long")[1]
        curve = lambda: re.search(r'<path class="line series1" d="([^"]*)"', hour().split('<h2 id="engine">')[1])
        points = lambda: len(re.findall("[ML]", its[1])) if (its := curve()) else 0
        while points() < 4:
            time.sleep(0.2)
        self.assertIn("At most, in the last 10 min", hour())
        before = points()
        console.terminate()
        self.assertEqual((console.wait(60), console.stderr.read()), (0, ""))
        _, port = self.kept("--keep", "10min")
        self.assertGreaterEqual(points(), before - 1)

    def test_what_cannot_be_its_file_is_refused_or_begun_anew_by_one_line(self):
        self.beat()
        first, port = self.kept()
        others = ("console", "--counters", self.counters, "--listen", "0", "--history")
        self.assertIn("another console has it", self.refused(1, *others, self.path("history")))
        self.assertIn("not a history", self.refused(1, *others, self.write("text", b"text")))
        self.assertIn("No such file", self.refused(1, *others, self.path("none/history")))
        os.mkfifo(self.path("pipe"))
        self.assertIn("not a regular file", self.refused(1, *others, self.path("pipe")))
        first.terminate()
        self.assertEqual((first.wait(60), first.stderr.read()), (0, ""))
        later, port = self.kept("--keep", "2h")
        self.assertIn("started over: it keeps 3600 s, and --keep says 7200 s", self.wait_for(port, "started over"))
        later.terminate()
        self.assertEqual(later.wait(60), 0)
        self.assertRegex(later.stderr.read(), r"\Adetent: --history: [^\n]*started over[^\n]*\n\Z")

    def test_without_the_option_a_second_console_does_its_work_without_a_file(self):
        self.beat()
        first, port = self.start()
        self.assertTrue(os.path.exists(self.path("state/detent/console.history")))
        second, other = self.start()
        self.assertIn("the history ends with this console", self.wait_for(other, "another console has it"))
        self.assertNotIn("another console has it", self.ask(port)[1])
        for each in (first, second):
            each.terminate()
            self.assertEqual(each.wait(60), 0)
        self.assertEqual((first.stderr.read(), second.stderr.read().count("\n")), ("", 1))

    def test_a_full_disk_is_one_line_and_the_page_goes_on(self):
        self.beat()
        console, port = self.kept("--keep", "10min")
        resource.prlimit(console.pid, resource.RLIMIT_FSIZE, (4096, resource.RLIM_INFINITY))
        self.wait_for(port, "cannot be written")
        self.assertIn("heartbeat", self.ask(port)[1])
        resource.prlimit(console.pid, resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
        while "cannot be written" in self.ask(port)[1]:
            time.sleep(0.2)
        console.terminate()
        self.assertEqual((console.wait(60), console.stderr.read().count("\n")), (0, 1))


if __name__ == "__main__":
    run_tests()
