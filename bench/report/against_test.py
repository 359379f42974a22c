#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Two builds are run by turns, and their figures paired round by round.  usage: against_test.py"""
import json
import sys
import tempfile
import unittest
from pathlib import Path

sys.dont_write_bytecode = True
import against
import against_record
from against_record import Record
from against_rows import ROWS, WORKS, Row, Work
from comparison import BadRecord

RECORDED = Path(__file__).resolve().parent / "recorded"


def answer(side, value, number=1, work="w", benchmark="b"):
    return {"side": side, "work": work, "benchmark": benchmark, "round": number, "figures": {"ns": value}}


def row(limit=None, of_ratio=True):
    return Row("r", ("w",), "what", "ns", lambda side: side.series("w", "b", "ns"), limit, of_ratio)


class MeasureTest(unittest.TestCase):
    def programs(self, directory, **scripts):
        sides = {}
        for side, script in scripts.items():
            program = Path(directory) / side / "p"
            program.parent.mkdir()
            program.write_text("#!/bin/sh\n" + script, encoding="utf-8")
            program.chmod(0o755)
            sides[side] = program.parent
        return sides

    def measured(self, rounds, work=Work("w", "p", pattern="."), **scripts):
        with tempfile.TemporaryDirectory() as directory:
            said = []
            answers, failures = against.measure([work], self.programs(directory, **scripts), lambda _: rounds, said.append)
        return answers, failures, [each.split(", ")[1] for each in said]

    def benchmark(self, ns):
        said = {"benchmarks": [{"run_name": "b/real_time", "run_type": "iteration", "real_time": ns, "cpu_time": 2 * ns,
                                "time_unit": "us", "repetition_index": 0, "cpu_ns": 7.0}]}
        return f"echo '{json.dumps(said)}'\n"

    def test_the_side_that_begins_changes_from_round_to_round(self):
        answers, failures, order = self.measured(3, this=self.benchmark(1), other=self.benchmark(2))
        self.assertEqual(order, ["other", "this", "this", "other", "other", "this"])
        self.assertEqual(failures, [])
        self.assertEqual(answers[0], {"side": "other", "work": "w", "benchmark": "b", "round": 1,
                                      "figures": {"cpu_ns": 7.0, "time_ns": 2000, "thread_ns": 4000}})

    def test_what_fails_is_named_and_not_tried_again(self):
        answers, failures, order = self.measured(3, this=self.benchmark(1), other="echo why >&2; exit 3\n")
        self.assertEqual(failures, [["other", "w", "why"]])
        self.assertEqual([each["side"] for each in answers], ["this"] * 3)
        self.assertEqual(order.count("other"), 1)

    def test_a_benchmark_that_fails_is_no_figure(self):
        said = {"benchmarks": [{"run_name": "b", "error_occurred": True, "error_message": "early"}]}
        self.assertEqual(self.measured(1, this=f"echo '{json.dumps(said)}'\n")[1], [["this", "w", "b: early"]])

    def test_a_program_that_speaks_the_protocol(self):
        script = 'echo \'{"ready":true}\'; read request; echo "{\\"ns\\":5,\\"asked\\":\\"$request\\"}"\n'
        answers, _, _ = self.measured(1, Work("w", "p", request="calls live=1"), this=script)
        self.assertEqual((answers[0]["benchmark"], answers[0]["figures"]), ("w", {"ns": 5}))


class RecordTest(unittest.TestCase):
    def record(self, this, other):
        return Record({"this": "abc", "other": "def"}, [answer("this", ns, i) for i, ns in enumerate(this)]
                      + [answer("other", ns, i) for i, ns in enumerate(other)])

    def test_a_ratio_is_taken_round_by_round(self):
        this, other, ratio = self.record([10, 40, 90], [10, 20, 30]).figures(row())
        self.assertEqual((this.median, other.median, ratio.by_round), (40, 20, {0: 1, 1: 2, 2: 3}))

    def test_a_bound_holds_for_the_ratio_or_for_this_side(self):
        record = self.record([30], [60])
        for limit, of_ratio, verdict in ((0.5, True, "met"), (0.4, True, "missed"), (30, False, "met"),
                                         (29, False, "missed"), (None, True, "")):
            self.assertEqual(record.verdict(row(limit, of_ratio)), verdict)

    def test_without_the_other_side_a_ratio_is_not_measured(self):
        record = self.record([30], [])
        self.assertEqual((record.verdict(row(1)), record.verdict(row(30, False))), ("not measured", "met"))

    def test_the_table_has_what_was_measured(self):
        text = against_record.table(Record.read(RECORDED / "against.json"))
        self.assertIn("| `pair-1` | schedule_after + cancel, 1 live, default options: CPU of the process | ", text)
        wheel = next(line for line in text.splitlines() if line.startswith("| `wheel`"))
        self.assertIn(" | – | – | ≤ 0.9 x | not measured |", wheel)
        self.assertNotIn("`pair-1`", against_record.table(Record({"this": "a", "other": "b"}, [])))

    def test_survives_writing_and_says_what_is_wrong(self):
        with tempfile.TemporaryDirectory() as directory:
            path = Path(directory) / "record.json"
            self.assertIsNone(Record.read(path))
            self.record([1], [2]).write(path)
            self.assertEqual(Record.read(path).figures(row())[2].median, 0.5)
            path.write_text("{}", encoding="utf-8")
            with self.assertRaisesRegex(BadRecord, "not a record of two builds"):
                Record.read(path)

    def test_each_row_has_its_work_and_a_figure_in_the_record(self):
        names = {work.name for work in WORKS}
        record = Record.read(RECORDED / "against.json")
        for each in ROWS:
            self.assertLessEqual(set(each.works), names, each.name)
            self.assertTrue(each.figure(record.this), each.name)
        self.assertEqual(len({each.name for each in ROWS}), len(ROWS))
        self.assertEqual({name for each in ROWS for name in each.works}, names)


if __name__ == "__main__":
    unittest.main()
