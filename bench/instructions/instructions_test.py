#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""instructions.py reads what callgrind and the program write, and finds each rise and each bound that is missed.

recorded/ has dumps of callgrind 3.19, cut down to their heads and the total.
"""
import json
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.dont_write_bytecode = True  # a test leaves the sources as they are
import instructions

RECORDED = Path(__file__).resolve().parent / "recorded"
OUTPUT = (RECORDED / "output.txt").read_text()


def dump(name):
    return (RECORDED / f"{name}.dump").read_text()


class ReadingTest(unittest.TestCase):
    def problem(self, part, call, *arguments):
        with self.assertRaisesRegex(instructions.Problem, part):
            call(*arguments)

    def test_reads_name_and_total_of_a_dump(self):
        self.assertEqual(instructions.read_dump(dump("cancel_loop")), ("cancel_loop", 500021))
        self.assertEqual(instructions.read_dump(dump("cancel")), ("cancel", 4130409))

    def test_leaves_out_the_dump_at_the_end_of_the_program(self):
        self.assertIsNone(instructions.read_dump(dump("end")))
        self.assertEqual(instructions.read_dumps(map(dump, ("end", "cancel"))), {"cancel": 4130409})

    def test_finds_the_instructions_among_other_events(self):
        text = dump("cancel").replace("events: Ir", "events: Dr Ir").replace("totals: 4130409", "totals: 7 4130409")
        self.assertEqual(instructions.read_dump(text), ("cancel", 4130409))

    def test_refuses_a_dump_without_a_total(self):
        self.problem("cancel has no total", instructions.read_dump, dump("cancel").replace("totals:", ""))
        self.problem("cancel has no total", instructions.read_dump, dump("cancel").replace("events: Ir", "events: Dr"))

    def test_refuses_a_name_that_was_dumped_twice(self):
        self.problem("cancel was dumped twice", instructions.read_dumps, [dump("cancel"), dump("cancel")])

    def test_reads_what_the_program_printed(self):
        counted = {"cancel_loop": (100000, "-"), "cancel": (100000, "cancel_loop")}
        self.assertEqual(instructions.read_output(OUTPUT), ("12.2.0", counted))
        self.problem("none of its own: cancel 0 -", instructions.read_output, OUTPUT + "cancel 0 -\n")
        self.problem("did not say", instructions.read_output, "compiler 12.2.0\n")
        self.problem("did not say", instructions.read_output, "cancel 1 -\n")

    def test_takes_the_empty_loop_off(self):
        _, counted = instructions.read_output(OUTPUT)
        dumped = instructions.read_dumps(map(dump, ("cancel_loop", "cancel", "end")))
        self.assertEqual(instructions.per_operation(dumped, counted), {"cancel": 36.3})
        self.problem("cancel_loop was not counted", instructions.per_operation, {"cancel": 1}, counted)
        self.problem("gone was not counted", instructions.per_operation, {"cancel": 1}, {"cancel": (1, "gone")})
        self.assertEqual(instructions.per_operation({"fire": 700}, {"fire": (7, "-")}), {"fire": 100.0})


class ComparisonTest(unittest.TestCase):
    def failures(self, now, before, bound=None):
        bounds = {} if bound is None else {"cancel": bound}
        return list(instructions.failures({"cancel": now}, {"cancel": before}, bounds))

    def test_a_rise_is_more_than_three_percent_and_more_than_one(self):
        self.assertEqual(self.failures(103.0, 100.0), [])
        self.assertEqual(len(self.failures(103.1, 100.0)), 1)
        self.assertEqual(self.failures(11.0, 10.0), [])
        self.assertEqual(len(self.failures(11.1, 10.0)), 1)
        self.assertEqual(self.failures(50.0, 100.0), [])

    def test_the_bound_holds_or_what_is_asserted_instead(self):
        missed = {"bound": 35, "asserted": 40, "why": "it has to"}
        self.assertEqual(self.failures(35.0, 35.0, {"bound": 35}), [])
        self.assertEqual(len(self.failures(35.1, 35.1, {"bound": 35})), 1)
        self.assertEqual(self.failures(40.0, 40.0, missed), [])
        self.assertEqual(len(self.failures(40.1, 40.1, missed)), 1)

    def test_baseline_and_program_have_the_same_operations(self):
        found = list(instructions.failures({"new": 1.0}, {"old": 1.0}, {}))
        self.assertEqual([line.split(":")[0] for line in found], ["new", "old"])

    def test_the_output_has_the_reason_for_a_bound_that_is_missed(self):
        bounds = {"cancel": {"bound": 35, "asserted": 40, "why": "it has to"}}
        self.assertIn("it has to", *instructions.notes_on_bounds(bounds, {"cancel": 36.0}))
        self.assertIn("can go", *instructions.notes_on_bounds(bounds, {"cancel": 35.0}))
        self.assertEqual(list(instructions.notes_on_bounds({"cancel": {"bound": 35}}, {"cancel": 36.0})), [])
        self.assertIn("35 (40)", list(instructions.table({"cancel": 36.0}, {}, bounds))[1])

    def test_refuses_bounds_that_say_too_little(self):
        for entry in ({"bound": 35, "asserted": 40}, {"bound": 35, "asserted": 35, "why": "a"}, {"asserted": 40},
                      {"bound": 35, "asserted": 40, "why": " "}):
            with self.assertRaisesRegex(instructions.Problem, "cancel"):
                instructions.check_bounds({"cancel": entry}, {"cancel": 1.0})
        with self.assertRaisesRegex(instructions.Problem, "cancle is not an operation"):
            instructions.check_bounds({"cancle": {"bound": 35}}, {"cancel": 1.0})

    def test_compilers_compare_by_their_major_version(self):
        self.assertEqual(instructions.major("12.2.0"), instructions.major("12.3.1 20231014"))
        self.assertNotEqual(instructions.major("12.2.0"), instructions.major("Debian Clang 12.0.6"))


class CommandTest(unittest.TestCase):
    def run_with(self, *arguments):
        command = [sys.executable, "-B", instructions.__file__, *map(str, arguments)]
        return subprocess.run(command, capture_output=True, text=True, check=False)

    def test_says_in_one_line_what_is_missing(self):
        done = self.run_with("--program", "no/such/program")
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertEqual(done.stderr.splitlines(), [
            "instructions.py: no/such/program: no such program; ./tools/dev instructions builds it"])
        done = self.run_with("--program", sys.executable, "--valgrind", "no/such/valgrind")
        self.assertEqual(done.stderr.splitlines(), [
            "instructions.py: no/such/valgrind: not found; on Debian: apt-get install valgrind"])

    def test_runs_the_program_under_what_writes_dumps(self):
        with tempfile.TemporaryDirectory() as directory:
            stand_in = Path(directory) / "valgrind"
            stand_in.write_text(
                "#!/bin/sh\n"
                "for each; do case $each in --callgrind-out-file=*) out=${each#*=} ;; esac; done\n"
                f"for name in cancel_loop cancel end; do cat '{RECORDED}'/$name.dump >$out.$name; done\n"
                f"cat '{RECORDED}/output.txt'\n")
            stand_in.chmod(0o755)
            compiler, measured = instructions.run(sys.executable, str(stand_in))
            self.assertEqual((compiler, measured), ("12.2.0", {"cancel": 36.3}))
            stand_in.write_text("#!/bin/sh\necho first >&2; echo 'it broke' >&2; exit 3\n")
            with self.assertRaisesRegex(instructions.Problem, "ended with 3 under callgrind: it broke"):
                instructions.run(sys.executable, str(stand_in))

    def test_the_files_beside_it_are_in_order(self):
        baseline = json.loads(instructions.BASELINE.read_text())
        self.assertEqual(instructions.major(baseline["compiler"]), "12")
        instructions.check_bounds(json.loads(instructions.BOUNDS.read_text()), baseline["instructions"])


if __name__ == "__main__":
    unittest.main()
