#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""`detent stat` as its user sees it: what it prints, what it complains of, and with which status it ends."""
import os
import subprocess
import sys

sys.dont_write_bytecode = True
from command_support import DATA as SAMPLE, WithDirectory, detent, run_tests


class Stat(WithDirectory):
    def sample(self, name="live", *arguments):
        subprocess.run([SAMPLE, self.path(name), *arguments], check=True, timeout=60)
        return self.path(name)

    def test_a_live_engine_is_shown_in_tables(self):
        done = detent("stat", self.sample())
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        for row in (r"engine +a \"quoted\" back\\x5cslash\\x0aand Größe\\xff", rf"process +{os.getpid()}, .*, live",
                    r"scheduled +1,234 +fired +1,100", r"lateness +1,100 +2\d\d ns", r"  worker +1,100 +0 ns",
                    r"label 1 +7 +10 +3"):
            self.assertRegex(done.stdout, rf"(?m)^ *{row}")
        self.assertNotIn("\x1b", done.stdout)
        self.assertTrue(all(len(line) <= 120 for line in done.stdout.splitlines()))

    def test_what_is_no_counters_file_is_one_line_and_status_1(self):
        good = self.sample()
        with open(good, "rb") as file:
            whole = file.read()
        self.assertIn("not a counters file", self.refused(1, "stat", self.write("foreign", b"rubbish" * 99)))
        self.assertIn("was cut", self.refused(1, "stat", self.write("cut", whole[:5000])))
        self.assertIn("'version'", self.refused(1, "stat", self.write("later", whole[:8] + b"\x02" + whole[9:])))
        self.assertIn("no regular file", self.refused(1, "stat", self.directory))
        self.assertIn("No such file", self.refused(1, "stat", self.path("none")))
        self.assertIn("no process", self.refused(1, "stat", "999999999"))

    def test_a_stale_file_is_one_line_and_status_1(self):
        script = f"import subprocess; subprocess.run([{SAMPLE!r}, {self.path('stale')!r}], check=True)"
        subprocess.run([sys.executable, "-c", script], check=True, timeout=60)
        self.assertRegex(self.refused(1, "stat", self.path("stale")), "stale: (process|another process)")

    def test_impossible_options_are_usage_errors(self):
        self.assertIn("--json", self.refused(2, "stat", "--json", "--prometheus"))
        self.assertIn("--frob", self.refused(2, "stat", "--frob"))
        self.assertEqual(detent("stat", "--help").returncode, 0)

    def test_what_was_typed_moves_no_cursor(self):
        self.assertIn("'-v\\x16'", self.refused(2, "doctor", "-v\x16"))
        self.assertNotIn("\x1b", self.refused(2, "stat", "--\x1b[2J\x7f"))


if __name__ == "__main__":
    run_tests()
