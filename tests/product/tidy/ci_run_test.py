#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What the build server runs ends where its first part fails, goes on after any other failure, and fails by each.

usage: ci_run_test.py ROOT     tools/dev is a stand-in here
"""
import os
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(sys.argv.pop(1) if len(sys.argv) > 1 else Path(__file__).parents[3]).resolve()
STAND_IN = '#!/usr/bin/env bash\necho "ran: $*"\n[ "$*" != "$FAILS" ] || { echo "tools/dev: failed: $*" >&2; exit 3; }\n'
COMMANDS = ["gate", "test", "lint core alloc modules", "test --full"]
STEPS = ["gate", "test", "lint", "test --full"]


class CiRunTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name)
        for name in (".ci/run", "tools/dev.d/steps.bash"):
            (self.root / name).parent.mkdir(parents=True)
            shutil.copy(ROOT / name, self.root / name)
        (self.root / "tools/dev").write_text(STAND_IN, encoding="utf-8")
        (self.root / "tools/dev").chmod(0o755)

    def run_it(self, *words, fails=""):
        """The status, the commands that ran, and the lines of the last table."""
        done = subprocess.run([self.root / ".ci/run", *words], env=os.environ | {"FAILS": fails}, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
        lines = done.stdout.splitlines()
        table = lines[lines.index("== the steps of .ci/run") + 1:]
        return done.returncode, [line[5:] for line in lines if line.startswith("ran: ")], table

    def test_all_passes(self):
        status, ran, table = self.run_it()
        self.assertEqual((0, COMMANDS), (status, ran))
        self.assertEqual(len(STEPS), len(table))
        for step, line in zip(STEPS, table):
            self.assertRegex(line, rf"^step: {step} +passed, \d+ min \d\d s, \d+ s of CPU$")

    def test_each_failure_fails_the_whole_and_is_in_the_last_line(self):
        for step, command in zip(STEPS, COMMANDS):
            status, ran, table = self.run_it(fails=command)
            self.assertEqual(1, status)
            self.assertEqual(["gate"] if step == "gate" else COMMANDS, ran)
            self.assertEqual(f"failed: {step}", table[-1])
            self.assertRegex("\n".join(table), rf"step: {step} +FAILED, ")

    def test_arguments_are_those_of_the_tests(self):
        self.assertEqual((0, ["gate", "test gcc"]), self.run_it("gcc")[:2])
        self.assertEqual(1, self.run_it("gcc", fails="test gcc")[0])


if __name__ == "__main__":
    unittest.main()
