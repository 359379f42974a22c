#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Recordings as `detent` makes and replays them, and the commands of docs/recording.md."""
import gzip
import os
import re
import resource
import subprocess
import sys

sys.dont_write_bytecode = True
import oracle
from command_support import DETENT, HEADER, ROOT, WithDirectory, detent, run_tests


class Recording(WithDirectory):
    def record(self, name="load.csv"):
        trace = self.path(name)
        return trace, self.said("run", "--timers", "300", "--producers", "3", "--rate", "30000", "--duration", "0.3", "--delay",
                                "100us..20ms", "--cancel", "0.5", "--record", trace)

    def test_a_recording_of_threads_replays_to_the_same_every_time(self):
        trace, live = self.record()
        said = []
        for wheel in ("hierarchical", "hierarchical", "hashed"):
            said.append(self.said("replay", "--virtual", "--wheel", wheel, trace))
            del said[-1]["wall_seconds"], said[-1]["wheel"]
        self.assertEqual(said[0], said[1])
        self.assertEqual(said[0], said[2])
        self.assertEqual(said[0]["dropped_by_the_recording"], 0)
        ops = [op for _, op, _, _ in oracle.rows_of(trace)]
        self.assertEqual((ops.count("S"), ops.count("C"), ops.count("X")),
                         (live["scheduled"], live["cancelled"], live["fired"]))
        self.assertEqual(detent("replay", "--virtual", trace).stdout,
                         oracle.expected_line(oracle.rows_of(trace), False) + "\n")

    def test_under_a_name_that_ends_in_gz_it_is_packed_and_replays_the_same(self):
        trace, live = self.record("load.csv.gz")
        with open(trace, "rb") as file:
            packed = file.read()
        plain = gzip.decompress(packed)
        self.assertTrue(plain.startswith(HEADER))
        self.assertLess(2 * len(packed), len(plain))
        self.assertEqual(subprocess.run(["gzip", "-t", trace], capture_output=True, text=True).stderr, "")
        rows = list(oracle.rows_of(trace))
        self.assertEqual([op for _, op, _, _ in rows].count("S"), live["scheduled"])
        said = self.printed("replay", "--virtual", trace)
        self.assertEqual(said, self.printed("replay", "--virtual", self.write("plain.csv", plain)))
        self.assertEqual(said, oracle.expected_line(rows, False) + "\n")

    def test_on_a_full_disk_a_packed_one_ends_with_a_whole_row_and_says_what_is_missing(self):
        trace = self.path("load.csv.gz")
        done = subprocess.run(
            [DETENT, "run", "--rate", "50000", "--duration", "1", "--record", trace], capture_output=True, text=True,
            timeout=60, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000)))
        self.assertEqual((done.returncode, done.stderr.count("\n")), (0, 1))
        self.assertIn(f'record = "{trace}": File too large; the recording ends here', done.stderr)
        with gzip.open(trace) as file:
            lines = file.read().splitlines(True)
        self.assertTrue(lines[-1].startswith(b"# dropped ") and lines[-1].endswith(b"\n"), lines[-1])
        self.assertIn("operations are missing", detent("replay", "--virtual", trace).stderr)


class Page(WithDirectory):
    def test_its_commands_do_what_it_says(self):
        page = (ROOT / "docs/recording.md").read_text(encoding="utf-8")
        blocks = re.findall(r"^```sh\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
        self.assertTrue(blocks)
        path = os.path.dirname(os.path.abspath(DETENT)) + os.pathsep + os.environ["PATH"]
        for block in blocks:
            done = subprocess.run(["sh", "-e", "-c", block], cwd=self.directory, env={**os.environ, "PATH": path},
                                  stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                  timeout=120)
            self.assertEqual((done.returncode, done.stderr), (0, ""), block)
            self.assertEqual(done.stdout.count("order_signature="), block.count("replay --virtual"))


if __name__ == "__main__":
    run_tests()
