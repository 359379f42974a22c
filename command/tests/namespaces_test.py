#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""`detent` sees engines of other namespaces, as containers have them: it takes the dead for dead and the living for
living, and their times for what they are."""
import json
import json
import os
import signal
import struct
import subprocess
import sys

sys.dont_write_bytecode = True
from command_support import DETENT, WithDirectory, detent, run_tests

TEN_DAYS = "864000"
TIMES = (["--time", "--boottime", TEN_DAYS], ["--time", "--monotonic", TEN_DAYS],
         ["--time", "--boottime", TEN_DAYS, "--monotonic", TEN_DAYS])
PROCESSES = ["--pid"]
HOUR = 3_600_000_000_000


def permitted(options):
    tried = subprocess.run(["unshare", *options, "--fork", "true"], stdin=subprocess.DEVNULL, capture_output=True,
                           timeout=60)
    return tried.returncode == 0


class EngineOfAnotherNamespace(WithDirectory):
    def start(self, options, *words):
        if not permitted(options):
            self.skipTest(f"unshare {' '.join(options)} is not permitted")
        return self.engine(*words, inside=("unshare", *options, "--fork", "--kill-child"))

    def check_live(self, file):
        engine, = self.said("stat", file)["engines"]
        self.assertEqual(engine["state"], "live")
        for time in ("made_at_ns", "last_pass_ns", "next_deadline_ns"):
            self.assertLess(abs(engine["read_at_ns"] - engine[time]), HOUR, time)
        self.assertRegex(self.printed("stat", file), r"(?m)^ *age +[\d.]+ m?s$")
        self.assertRegex(self.printed("stat", "--prometheus", file), r"(?m)^detent_engine_live\{.*\} 1$")
        top = self.printed("top", "--once", file)
        self.assertIn("heartbeat", top)
        self.assertNotIn("stale", top)
        self.assertLess(self.said("pending", file)["engines"][0]["next_due_in_ns"], HOUR)

    def check_stale(self, file):
        engine, = self.said("stat", file)["engines"]
        self.assertEqual(engine["state"], "gone")
        self.assertRegex(engine["gone"], r"\Aprocess \d+ (of another namespace )?is gone\Z")

    def whole_life(self, options):
        file = self.path("counters")
        process = self.start(options, file, "heartbeat")
        self.check_live(file)
        for child in subprocess.run(["pgrep", "-P", str(process.pid)], capture_output=True, text=True,
                                    check=True).stdout.split():
            os.kill(int(child), signal.SIGKILL)
        process.wait(60)
        self.check_stale(file)

    def test_with_a_clock_of_its_own_is_live_until_it_is_gone(self):
        for options in TIMES:
            with self.subTest(options=options):
                self.whole_life(options)

    def test_that_has_come_into_one_later_is_shown_with_the_clock_that_it_has(self):
        # As a process has it that was restored from a checkpoint: what its file says of the clock is of another host.
        file = self.path("counters")
        self.start(TIMES[-1], file, "heartbeat")
        with open(file, "r+b") as header:
            header.seek(504)
            self.assertEqual(header.read(8), struct.pack("=q", int(TEN_DAYS) * 1_000_000_000))
            header.seek(504)
            header.write(struct.pack("=q", 0))
        self.check_live(file)

    def test_with_process_ids_of_its_own_is_live_until_it_is_gone(self):
        self.whole_life(PROCESSES)

    def test_with_both_of_its_own_is_live_until_it_is_gone(self):
        self.whole_life(["--pid", *TIMES[-1]])

    def test_is_seen_from_one_as_well(self):
        file = self.path("counters")
        self.start(PROCESSES, file, "heartbeat")
        inside = subprocess.run(["unshare", *TIMES[-1], "--pid", "--fork", DETENT, "stat", "--json", file],
                                capture_output=True, text=True, timeout=60)
        self.assertEqual((inside.returncode, inside.stderr), (0, ""))
        engine, = json.loads(inside.stdout)["engines"]
        self.assertLess(abs(engine["read_at_ns"] - engine["made_at_ns"]), HOUR)

    def test_is_found_among_all_of_the_host(self):
        process = self.start(TIMES[0], "auto", "heartbeat", "of-ten-days", "beat")
        self.addCleanup(process.wait, 60)
        self.addCleanup(process.stdin.close)  # so that its file goes
        self.assertEqual([each["state"] for each in json.loads(detent("stat", "--json").stdout)["engines"] if each["name"] == "of-ten-days"], ["live"])
        self.assertIn("of-ten-days", detent("top", "--once").stdout)


if __name__ == "__main__":
    run_tests()
