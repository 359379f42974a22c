#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The command `detent` as its user sees it: options, reports, a synthetic load."""
import contextlib
import json
import os
import pty
import subprocess
import sys
import unittest

sys.dont_write_bytecode = True
from command_support import DETENT, WithDirectory, data, detent, run_tests


class ImpossibleOptions(WithDirectory):
    def test_each_is_a_usage_error_that_names_option_and_value(self):
        trace = data("ties.csv.gz")
        for arguments, words in (
                (["replay", trace, "--speed", "0"], ("--speed", "'0'")),
                (["replay", trace, "--speed", "fast"], ("--speed", "'fast'")),
                (["replay", trace, "--speed", "-2"], ("--speed", "'-2'")),
                (["replay", trace, "--speed", "inf"], ("--speed", "'inf'")),
                (["replay", trace, "--speed"], ("--speed",)),
                (["replay", trace, "--wheel", "square"], ("--wheel", "'square'")),
                (["replay", trace, "--wait", "never"], ("--wait", "'never'")),
                (["replay", trace, "--report", ""], ("--report", "''")),
                (["replay", trace, "--virtual", "--speed", "2"], ("--virtual", "--speed")),
                (["replay", trace, "--frob", "7"], ("'--frob' is not expected after detent replay", "--help")),
                (["replay"], ("TRACE",)),
                ([], ("no command", "replay")),
                (["frob"], ("'frob'", "replay")),
                (["--versio"], ("'--versio' is not an option", "--version")),
                (["run", "--timers", "0"], ("--timers", "'0'")),
                (["run", "--timers", "9" * 30], ("--timers", "'999")),
                (["run", "--producers", "-1"], ("--producers", "'-1'")),
                (["run", "--cancel", "1.5"], ("--cancel", "'1.5'")),
                (["run", "--delay", "5ms..1ms"], ("--delay", "'5ms..1ms'")),
                (["run", "--delay", "5"], ("--delay", "'5'")),
                (["run", "--duration", "0"], ("--duration", "'0'")),
                (["run", "--rate", "0"], ("--rate", "'0'")),
                (["run", "--seed", "-1"], ("--seed", "'-1'")),
                (["doctor", "--seconds", "none"], ("--seconds", "'none'"))):
            said = self.refused(2, *arguments)
            for word in words:
                self.assertIn(word, said)

    def test_help_and_version_are_none(self):
        for arguments in (["--help"], ["--version"], ["replay", "--help"], ["run", "--help"], ["doctor", "--help"]):
            done = detent(*arguments)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            self.assertNotEqual(done.stdout, "")


class Reports(WithDirectory):
    def test_a_path_that_cannot_be_written_is_refused_before_the_replay(self):
        for path in (self.path("none/report.html"), self.directory):
            for options in (["--virtual"], []):
                self.assertIn(path, self.refused(1, "replay", data("ties.csv.gz"), "--report", path, *options))
            self.assertIn(path, self.refused(1, "run", "--duration", "100", "--report", path))
        self.assertEqual(os.listdir(self.directory), [])

    def test_a_full_disk_is_no_success(self):
        with open("/dev/full", "w", encoding="utf-8") as full:
            done = detent("replay", data("ties.csv.gz"), "--virtual", stdout=full)
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stderr, r"\Adetent: [^\n]+\n\Z")


class SyntheticLoad(unittest.TestCase):
    def test_a_synthetic_load_keeps_its_ledger_and_prints_its_seed(self):
        for options in (["--cancel", "0"], ["--cancel", "1"], ["--producers", "3", "--rate", "5000"],
                        ["--wheel", "hashed"]):
            done = detent("run", "--duration", "2s", "--delay", "1ms..10ms", "--seed", "7", "--json", *options)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            said = json.loads(done.stdout)
            self.assertEqual((said["seed"], said["fired_early"]), (7, 0))
            self.assertGreater(said["scheduled"], 0)
            self.assertGreaterEqual(said["fired"] + said["cancelled"] + said["pending_at_end"], said["scheduled"])

    def test_a_synthetic_load_draws_its_delays_from_the_range(self):
        done = detent("run", "--timers", "500", "--duration", "2s", "--cancel", "0", "--delay", "3600s..7200s",
                      "--json")
        said = json.loads(done.stdout)
        self.assertEqual((said["scheduled"], said["fired"], said["pending_at_end"]), (500, 0, 500))

    def test_progress_is_shown_on_a_terminal_and_wiped_in_the_end(self):
        try:
            ours, theirs = pty.openpty()
        except OSError as refused:  # a container may have none
            self.skipTest(f"no pseudo-terminal here: {refused}")
        subprocess.run([DETENT, "run", "--duration", "400ms"], stdout=subprocess.DEVNULL, stderr=theirs, check=True,
                       timeout=60)
        os.close(theirs)
        shown = b""
        with contextlib.suppress(OSError), os.fdopen(ours, "rb", buffering=0) as screen:  # an error is the end
            while some := screen.read(1 << 16):
                shown += some
        shown = shown.decode()
        self.assertIn("running: ", shown)
        self.assertTrue(shown.endswith("\r\x1b[K"), repr(shown))

    def test_the_table_shows_lateness_beside_a_bare_spin_loop(self):
        said = detent("run", "--duration", "100ms").stdout
        for row in ("operations", "fired early", "lateness of fired timers", "bare spin loop", "bare clock_nanosleep", "CPU",
                    "seed"):
            self.assertRegex(said, rf"(?m)^  {row}  ")


if __name__ == "__main__":
    run_tests()
