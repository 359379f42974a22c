#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""`detent cron` as its user sees it: what it prints, what it refuses, and what it finds in a file of cases."""
import sys

sys.dont_write_bytecode = True
from command_support import WithDirectory, detent, run_tests

HEADER = "expression,dialect,zone,gap,overlap,from,expected,source\n"
NEW_YORK = ("--zone", "America/New_York", "--from", "2024-03-08T00:00:00Z")


class Cron(WithDirectory):
    def check(self, text):
        done = detent("cron", "--check", self.write("cases.csv", text.encode()))
        return done.returncode, done.stdout.replace(self.directory + "/", ""), done.stderr.replace(self.directory + "/", "")

    def test_due_times_are_lines_in_utc_and_by_the_clock_of_the_zone(self):
        done = detent("cron", "0 30 9 ? * MON-FRI", *NEW_YORK, "--count", "2")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual(done.stdout, "2024-03-08T14:30:00Z  Fri 2024-03-08 09:30:00 -05:00\n"
                                      "2024-03-11T13:30:00Z  Mon 2024-03-11 09:30:00 -04:00\n")
        self.assertEqual(detent("cron", "30 2 10 3 *", "--dialect=unix", "--gap=skip", *NEW_YORK, "--count=1").stdout,
                         "2025-03-10T06:30:00Z  Mon 2025-03-10 02:30:00 -04:00\n")
        self.assertEqual(detent("cron", "0 30 1 3 11 ? 2024", "--overlap=twice", *NEW_YORK).stdout.split()[::5],
                         ["2024-11-03T05:30:00Z", "2024-11-03T06:30:00Z", "none"])
        for start in ("2024-03-08", "2024-03-08T00:00", "2024-03-08T05:00:00Z", "2024-03-08 10:30+05:30"):
            self.assertEqual(detent("cron", "0 * * * * ?", "--zone=America/New_York", "--count=1", "--from", start).stdout,
                             "2024-03-08T05:01:00Z  Fri 2024-03-08 00:01:00 -05:00\n")
        self.assertEqual(len(detent("cron", "0 0 0 * * ?").stdout.splitlines()), 5)

    def test_nothing_is_due_on_a_holiday_and_nothing_is_guessed_beyond_the_file(self):
        days = self.write("days", b"2024-03-08 # closed\nuntil 2024-03-12\n")
        done = detent("cron", "0 30 9 ? * MON-FRI", *NEW_YORK, "--days", days)
        self.assertEqual((done.returncode, done.stdout.count("\n")), (1, 2))
        self.assertTrue(done.stdout.startswith("2024-03-11T13:30:00Z"), done)
        self.assertRegex(done.stderr, r"\Adetent: day 2024-03-13: [^\n]*2024-03-12[^\n]*\n\Z")
        self.assertIn("line 2: 'tomorrow'", self.refused(1, "cron", "0 0 0 * * ?", "--days",
                                                         self.write("bad", b"until 2024-03-12\ntomorrow\n")))

    def test_what_cannot_be_meant_is_one_line(self):
        self.assertIn("minute '*/0', column 3", self.refused(1, "cron", "0 */0 * * * ?"))
        self.assertIn("never due", self.refused(1, "cron", "0 0 0 30 2 ?"))
        self.assertIn("'../../etc/passwd'", self.refused(1, "cron", "0 0 0 * * ?", "--zone", "../../etc/passwd"))
        self.assertIn("'tomorrow'", self.refused(1, "cron", "0 0 0 * * ?", "--from", "tomorrow"))
        self.assertIn("'posix'", self.refused(2, "cron", "0 0 0 * * ?", "--dialect", "posix"))
        self.assertIn("EXPRESSION or --check", self.refused(2, "cron"))
        self.assertIn("--check", self.refused(2, "cron", "0 0 0 * * ?", "--check", "file"))
        self.assertNotIn("\x1b", self.refused(1, "cron", "\x1b[2J 0 0 * * ?"))

    def test_a_file_that_agrees(self):
        status, out, err = self.check(
            "# a comment\n" + HEADER + "\n"
            '"0 0,30 9 ? * MON",quartz,,,,2024-01-01T00:00:00Z,2024-01-01T09:00:00Z;2024-01-01T10:30:00+01:00,"by ""hand"""\r\n'
            "30 2 * * *,unix,America/New_York,after,once,2024-03-10T00:00:00Z,2024-03-10 03:00:00|2024-03-11T02:30,local times\n"
            "0 0 0 30 2 ?,,,,,2024-01-01T00:00:00Z,none,\n"
            "0 0 0 1 1 ? 2025,,,-,default,2024-01-01T00:00:00Z,2025-01-01T00:00:00Z none,\n"
            "0 0 0 * * *,,,,,2024-01-01T00:00:00Z,error: both day fields,\n"
            "0 0 0 31 2 ?,,,,,2024-01-01T00:00:00Z,never due,\n"
            "0 0 0 * * ?,,No/Where,,,,invalid,")
        self.assertEqual((status, out, err), (0, "cases.csv: 7 cases: 7 agree, 0 differ\n", ""))
        self.assertEqual(self.check("from,note,expected,expression\n2024-01-01T00:00:00Z,x,2024-01-02T00:00:00Z,0 0 0 * * ?")[0], 0)
        self.assertEqual(self.check('0 0 0 * * ?,quartz,UTC,,,2024-01-01T00:00:00Z,2024-01-02T00:00:00Z,no header')[0], 0)

    def test_each_difference_is_named(self):
        rows = (("0 0 0 * * ?", "2024-01-02T00:00:00Z 2024-01-03T00:00:01Z"), ("0 0 0 * * ?", "none"), ("0 0 0 * * ?", "error"),
                ("0 0 0 30 2 ?", "2024-01-02T00:00:00Z"), ("0 0 0 * * *", "none"), ("0 0 0 1 1 ? 2024", "2025-01-01T00:00:00Z"))
        status, out, err = self.check(HEADER + "".join(f"{e},,,,,2024-01-01T00:00:00Z,{x},who said\n" for e, x in rows))
        self.assertEqual((status, err), (1, ""))
        lines = out.splitlines()
        self.assertEqual(lines[-1], "cases.csv: 6 cases: 0 agree, 6 differ")
        for number, (line, (expression, expected)) in enumerate(zip(lines, rows), 2):
            self.assertTrue(line.startswith(f"cases.csv:{number}: '{expression}' quartz UTC gap=after overlap=once from "), line)
            self.assertIn(f"expected {expected}, and is ", line)
            self.assertTrue(line.endswith("[who said]"), line)

    def test_a_wrong_row_is_one_line_and_the_others_are_still_checked(self):
        good = "0 0 0 * * ?,,,,,2024-01-01T00:00:00Z,2024-01-02T00:00:00Z,\n"
        for row, complaint in (("0 0 0 * * ?,posix,,,,2024-01-01T00:00:00Z,none,", "dialect 'posix'"),
                               ("0 0 0 * * ?,,,before,,2024-01-01T00:00:00Z,none,", "gap 'before'"),
                               ("0 0 0 * * ?,,,,thrice,2024-01-01T00:00:00Z,none,", "overlap 'thrice'"),
                               ("0 0 0 * * ?,,,,,2024-01-01,none,", "from: '2024-01-01'"),
                               ("0 0 0 * * ?,,,,,2024-01-01T00:00:00,none,", "from: "),
                               ("0 0 0 * * ?,,,,,2024-01-01T00:00:00Z,soon,", "expected: 'soon'"),
                               ("0 0 0 * * ?,,,,,2024-01-01T00:00:00Z,,", "expected is empty"),
                               ("0 0 0 * * ?,,,", "4 fields, and not 8")):
            with self.subTest(row=row):
                status, out, err = self.check(HEADER + good + row + "\n" + good)
                self.assertEqual((status, out), (1, "cases.csv: 3 cases: 2 agree, 0 differ, 1 cannot be read\n"))
                self.assertRegex(err, r"\Adetent: cases.csv:3: [^\n]+\n\Z")
                self.assertIn(complaint, err)
        status, out, err = self.check(HEADER + good + '"0 0 0 * * ?,,,\n')
        self.assertEqual((status, err), (1, "detent: cases.csv:3: a quotation mark has no second one\n"))

    def test_a_file_without_cases_is_one_line(self):
        for text, complaint in (("", "no case"), (HEADER, "no case"), ("expression,zone\n", "no column from")):
            self.assertIn(complaint, self.refused(1, "cron", "--check", self.write("cases.csv", text.encode())))
        self.assertIn("cannot be read", self.refused(1, "cron", "--check", self.path("none")))
        self.assertIn("cannot be read", self.refused(1, "cron", "--check", self.directory))


if __name__ == "__main__":
    run_tests()
