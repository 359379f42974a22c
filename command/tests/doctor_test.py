#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The page about `detent doctor` has what the command has; sessions/doctor.txt shows what it says."""
import json
import re
import subprocess
import sys
from pathlib import Path

sys.dont_write_bytecode = True
from command_support import ROOT, WithDirectory, detent, run_tests

PAGE = (ROOT / "docs/doctor.md").read_text(encoding="utf-8")


class Page(WithDirectory):
    def subjects(self, *options):
        return {finding["subject"] for finding in self.found(*options)}

    def found(self, *options):
        done = detent("doctor", *options, "--json")
        self.assertEqual(done.stderr, "")
        return json.loads(done.stdout)["findings"]

    def test_its_table_has_each_finding_and_no_other(self):
        for file, text in (("proc/sys/kernel/osrelease", "6.12.0\n"),
                           ("proc/10/task/11/stat", "11 (detent) S 0 1 1 0 -1 4194304" + 29 * " 0" + " 0 0 0 0 0\n")):
            path = Path(self.directory, file)
            path.parent.mkdir(parents=True)
            path.write_text(text, encoding="utf-8")
        root = ["--root", self.directory]
        subjects = (self.subjects(*root) | self.subjects(*root, "--cpu", "3", "--priority", "5") |
                    self.subjects(*root, "--pid", "10") | self.subjects("--seconds", "0.05"))
        plain = {re.sub(r"CPU \d+", "CPU N", re.sub(r"in .* of spinning", "in N of spinning", each)) for each in subjects}
        plain.add("the worker's load")  # of a live process alone: doctor_test.cpp
        plain.add("lateness of the timers")  # cures_test.py
        table = PAGE[PAGE.index("| finding |"):].split("\n\n")[0]
        self.assertEqual(set(re.findall(r"^\| (?!finding \|)([^|-][^|]*) \|", table, re.MULTILINE)), plain)

    def test_each_option_is_on_it(self):
        options = set(re.findall(r"--[a-z]+", self.printed("doctor", "--help"))) - {"--help"}
        self.assertEqual(set(re.findall(r"^\| `(--[a-z]+)", PAGE, re.MULTILINE)), options)

    def test_the_copy_that_it_makes_can_be_read(self):
        script = re.search(r"```sh\n(.*?)```", PAGE, re.DOTALL).group(1).replace("sleep 3", "sleep 0.2")
        subprocess.run(["bash", "-c", script], cwd=self.directory, check=True, timeout=100, stdin=subprocess.DEVNULL)
        found = self.found("--root", self.path("first"), "--later", self.path("second"), "--cpu", "0")
        known = {finding["subject"] for finding in found if finding["severity"] != "unknown"}
        self.assertLessEqual({"timer slack", "who else ran on CPU 0", "locked-memory limit", "stolen time"}, known)


if __name__ == "__main__":
    run_tests()
