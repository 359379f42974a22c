#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Recordings as `detent` makes and replays them, and the commands of docs/recording.md."""
import gzip
import json
import os
import re
import resource
import subprocess
import sys

sys.dont_write_bytecode = True
import oracle
from command_support import DATA, DETENT, WithDirectory, detent, run_tests

HEADER = b"t_ns,op,id,delay_ns,source\n"
PAGE = os.path.join(DATA, "../../docs/recording.md")


class Recording(WithDirectory):
    def record(self, name="load.csv"):
        trace = self.path(name)
        done = detent("run", "--timers", "300", "--producers", "3", "--rate", "30000", "--duration", "0.3", "--delay",
                      "100us..20ms", "--cancel", "0.5", "--record", trace, "--json")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return trace, json.loads(done.stdout)

    def test_a_recording_of_threads_replays_to_the_same_every_time(self):
        trace, live = self.record()
        said = []
        for wheel in ("hierarchical", "hierarchical", "hashed"):
            done = detent("replay", "--virtual", "--json", "--wheel", wheel, trace)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            said.append(json.loads(done.stdout))
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
        rows = oracle.rows_of(trace)
        self.assertEqual([op for _, op, _, _ in rows].count("S"), live["scheduled"])
        said = detent("replay", "--virtual", trace)
        self.assertEqual((said.returncode, said.stderr), (0, ""))
        self.assertEqual(said.stdout, detent("replay", "--virtual", self.write("plain.csv", plain)).stdout)
        self.assertEqual(said.stdout, oracle.expected_line(oracle.rows_of(trace), False) + "\n")

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

    def test_a_file_that_cannot_be_made(self):
        path = self.path("none/load.csv")
        self.assertIn(f'record = "{path}": No such file or directory', self.refused(1, "run", "--record", path))
        self.refused(2, "run", "--record", "")


class Holes(WithDirectory):
    def test_are_reported_on_stderr_in_json_and_on_the_page(self):
        trace = self.write("holes.csv", HEADER + b"# dropped 40\n5,S,1,7,x\n# made by hand\n#\n6,C,1,,x\n# dropped 2\n")
        for virtual in (["--virtual"], []):
            page = self.path("page.html")
            done = detent("replay", trace, *virtual, "--json", "--report", page)
            self.assertEqual(done.returncode, 0)
            self.assertEqual(done.stderr, f"detent: {trace}: 42 operations are missing: the recording dropped them\n")
            said = json.loads(done.stdout)
            self.assertEqual((said["dropped_by_the_recording"], said["operations"]), (42, 2))
            with open(page, encoding="utf-8") as file:
                self.assertIn("42 operations, dropped by the recording", file.read())

    def test_without_a_number_are_refused(self):
        for number in (b"", b"-1", b"x", b"1 2", b"18446744073709551616"):
            trace = self.write("bad.csv", HEADER + b"5,S,1,7,x\n# dropped " + number + b"\n")
            said = self.refused(1, "replay", "--virtual", trace)
            self.assertTrue(said.startswith(f"detent: {trace}:3: field 't_ns': "), said)

    def test_do_not_excuse_a_first_line_that_is_no_header(self):
        self.refused(1, "replay", "--virtual", self.write("bad.csv", b"# dropped 1\n" + HEADER))


class Page(WithDirectory):
    def test_its_commands_do_what_it_says(self):
        with open(PAGE, encoding="utf-8") as file:
            blocks = re.findall(r"^```sh\n(.*?)^```$", file.read(), re.MULTILINE | re.DOTALL)
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
