#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Recordings as `detent` makes and replays them, and the commands of docs/recording.md."""
import json
import os
import re
import subprocess
import sys

sys.dont_write_bytecode = True
import oracle
from command_support import DATA, DETENT, WithDirectory, detent, run_tests

HEADER = b"t_ns,op,id,delay_ns,source\n"
PAGE = os.path.join(DATA, "../../docs/recording.md")


class Recording(WithDirectory):
    def record(self):
        trace = self.path("load.csv")
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
            self.assertEqual(len(re.findall(r"order_signature=", done.stdout)), 2)


if __name__ == "__main__":
    run_tests()
