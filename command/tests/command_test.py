#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A synthetic load as its user sees it; sessions/options.txt has the options."""
import contextlib
import glob
import json
import os
import pty
import signal
import subprocess
import sys
import time

sys.dont_write_bytecode = True
from command_support import DETENT, WithDirectory, run_tests


class SyntheticLoad(WithDirectory):
    def test_a_synthetic_load_keeps_its_ledger_and_prints_its_seed(self):
        for options in (["--cancel", "0"], ["--cancel", "1"], ["--producers", "3", "--rate", "5000"],
                        ["--wheel", "hashed"], ["--executor", "1"]):
            said = self.said("run", "--duration", "2s", "--delay", "1ms..10ms", "--seed", "7", *options)
            self.assertEqual((said["seed"], said["fired_early"]), (7, 0))
            self.assertGreater(said["scheduled"], 0)
            self.assertEqual(said["fired"] + said["cancelled"] + said["pending_at_end"], said["scheduled"])

    def test_a_synthetic_load_draws_its_delays_from_the_range(self):
        said = self.said("run", "--timers", "500", "--duration", "2s", "--cancel", "0", "--delay", "3600s..7200s")
        self.assertEqual((said["scheduled"], said["fired"], said["pending_at_end"]), (500, 0, 500))

    def test_a_signal_ends_it_early_and_in_order(self):
        for end in (signal.SIGTERM, signal.SIGINT):
            load = self.spawn(DETENT, "run", "--duration", "3600s", "--delay", "600s..600s", "--cancel", "0", "--counters", "auto", "--json")
            files = f"/dev/shm/detent.{load.pid}.*"
            while not glob.glob(files) or self.said("stat", str(load.pid))["engines"][0]["counts"]["scheduled"] < 1000:
                time.sleep(0.05)
            load.send_signal(end)
            text, trouble = load.communicate(timeout=60)
            self.assertEqual((load.returncode, trouble, glob.glob(files)), (0, "", []))
            said = json.loads(text)
            self.assertEqual((said["scheduled"], said["fired"], said["pending_at_end"]), (1000, 0, 1000))

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
        said = self.printed("run", "--duration", "100ms")
        for row in ("operations", "fired early", "lateness of fired timers", "bare spin loop", "bare clock_nanosleep", "CPU",
                    "seed"):
            self.assertRegex(said, rf"(?m)^  {row}  ")


if __name__ == "__main__":
    run_tests()
