#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""usage: profile_test.py DETENT: tools/profile draws a running process, and says in one line what it cannot do."""
import os
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree
from pathlib import Path

sys.dont_write_bytecode = True  # a test leaves the sources as they are
from trial import Skipped, need_sampling

PROFILE = Path(__file__).resolve().parents[3] / "tools/profile"
DETENT = sys.argv.pop(1)


class ProfileTest(unittest.TestCase):
    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.scratch = Path(directory.name)

    def profile(self, *arguments, path=None):
        environment = dict(os.environ, **({"PATH": path} if path else {}))
        return subprocess.run([sys.executable, PROFILE, *map(str, arguments)], stdin=subprocess.DEVNULL,
                              cwd=self.scratch, env=environment, capture_output=True, text=True, timeout=100,
                              check=False)

    def refused(self, *arguments, path=None):
        done = self.profile(*arguments, path=path)
        self.assertEqual((done.returncode, done.stdout), (1, ""), done.stderr)
        self.assertRegex(done.stderr, r"\Aprofile: [^\n]+\n\Z")
        return done.stderr

    def programs(self, **scripts):
        """A PATH with these programs alone."""
        for name, text in scripts.items():
            (self.scratch / name).write_text(f"#!/bin/sh\n{text}\n", encoding="utf-8")
            (self.scratch / name).chmod(0o755)
        return str(self.scratch)

    def test_bad_input_is_refused_in_one_line(self):
        self.assertIn("no process 4194305", self.refused("pid", 4194305))
        self.assertIn("no process -1", self.refused("pid", "--", -1))
        self.assertIn("--seconds 0", self.refused("pid", "--seconds", 0, os.getpid()))
        self.assertIn("--frequency 0", self.refused("pid", "--frequency", 0, os.getpid()))
        self.assertIn("/nowhere/x: no such directory", self.refused("pid", "--output", "/nowhere/x", os.getpid()))
        self.assertIn("there are: aged, bulk", self.refused("bench", "nothing"))
        self.assertIn("there are: aged, bulk", self.refused("bench", "../bench/bulk"))
        self.assertIn("bench_bulk is not built; ./tools/dev", self.refused("bench", "--build", self.scratch, "bulk"))
        self.assertEqual(self.profile().returncode, 2)
        self.assertEqual(self.profile("--help").returncode, 0)

    def test_without_perf_it_says_so(self):
        said = self.refused("pid", os.getpid(), path=self.programs())
        self.assertIn("apt-get install linux-perf", said)

    def test_where_perf_is_denied_it_says_why(self):
        denied = self.programs(perf="echo 'Permission denied' >&2; exit 1")
        said = self.refused("pid", os.getpid(), path=denied)
        self.assertIn("perf may not record here (kernel.perf_event_paranoid = ", said)
        self.assertIn("Permission denied", said)

    def test_where_perf_is_denied_a_bench_program_is_counted_by_callgrind(self):
        (self.scratch / "bench").mkdir()
        (self.scratch / "bench/bench_bulk").symlink_to("/bin/true")
        denied = self.programs(perf="exit 1", valgrind='echo "$@"')
        done = self.profile("bench", "--build", self.scratch, "bulk", "--its-option", path=denied)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("--tool=callgrind --callgrind-out-file=flame.callgrind", done.stdout)
        self.assertTrue(done.stdout.rstrip().endswith("--its-option"))
        self.assertIn("no flame graph", done.stderr)
        (self.scratch / "valgrind").unlink()
        self.assertIn("no valgrind", self.refused("bench", "--build", self.scratch, "bulk", path=denied))

    def test_draws_a_running_process(self):
        try:
            need_sampling()
        except Skipped as reason:
            self.skipTest(reason)
        with subprocess.Popen([DETENT, "run", "--duration", "20s", "--wait", "busy"], stdout=subprocess.DEVNULL,
                              stderr=subprocess.DEVNULL) as running:
            try:
                done = self.profile("pid", "--seconds", 1, "--output", "x.svg", running.pid)
            finally:
                running.kill()
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stderr, r"profile: \d+ samples by (cycles|cpu-clock) at 1999 Hz; flame graph: x.svg\n\Z")
        # The program says so if the processor counts no cycles.
        self.assertEqual("by cpu-clock at" in done.stderr, "no hardware counters here" in done.stderr)
        root = xml.etree.ElementTree.parse(self.scratch / "x.svg").getroot()
        self.assertTrue(root.tag.endswith("svg"))
        titles = [each.text for each in root.iter() if each.tag.endswith("title")]
        self.assertTrue(any("worker::work" in text for text in titles), titles[:20])


if __name__ == "__main__":
    unittest.main()
