#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The page says what the records in recorded/ say.  usage: report_test.py"""
import json
import sys
import tempfile
import unittest
from pathlib import Path

sys.dont_write_bytecode = True
import page
import tables
import target_list
import targets
from against_record import Record
from comparison import BadRecord, Comparison, is_own, is_rival
from plan import FULL, QUICK, Part
from programs import Programs
from run import Run, Size
from series import Series, figure, number

RECORDED = Path(__file__).resolve().parent / "recorded"
MACHINE = {"machine": {"cpu": "a", "cores": 2, "kernel": "b", "load": 0, "compiler": "c", "flags": "d", "date": "e"}}


def recorded():
    return targets.Results(Comparison.read(RECORDED / "comparison.jsonl"), Programs.read(RECORDED / "programs.json"),
                           Record.read(RECORDED / "against.json"))


def compared(*lines):
    return Comparison([json.dumps(each) for each in (MACHINE, *lines)])


def pair(system, wall_ns, number_of_round=1, **changed):
    return {"system": system, "work": "pair", "live": 1, "producers": 1, "round": number_of_round, "pairs": 10,
            "wall_ns": wall_ns, "cpu_ns": 2 * wall_ns, "fired": 0, **changed}


class SeriesTest(unittest.TestCase):
    def test_a_ratio_is_taken_round_by_round(self):
        ratio = Series({1: 10, 2: 40, 3: 90}) / Series({1: 10, 2: 20, 3: 30, 4: 1})
        self.assertEqual(ratio.by_round, {1: 1, 2: 2, 3: 3})
        self.assertEqual((ratio.median, ratio.least, ratio.most), (2, 1, 3))

    def test_what_was_not_measured_leaves_nothing(self):
        self.assertFalse(Series({}) / Series({1: 2}) * 3)
        self.assertEqual(figure(Series({})), "–")

    def test_numbers(self):
        said = [number(value) for value in (0, 0.0012345, 0.12345, 1.2345, 12.345, 123.45, 1234567, -5)]
        self.assertEqual(said, ["0", "0.0012", "0.123", "1.23", "12.3", "123", "1\u202f234\u202f567", "-5.00"])
        self.assertEqual(figure(Series({1: 3, 2: 1, 3: 2})), "2.00 (1.00–3.00)")
        self.assertEqual(figure(Series({1: 3})), "3.00")


class ComparisonTest(unittest.TestCase):
    def test_reads_each_kind_of_line(self):
        read = recorded().compared
        self.assertEqual(read.machine["cores"], 2)
        self.assertEqual(read.skipped, {"go": "golang-go is not installed"})
        self.assertEqual(read.failures, [("libev", "memory timers=1000000", "it ended without an answer")])
        self.assertEqual(read.rounds(), 2)
        self.assertGreater(read.seconds, 0)
        self.assertIn("Netty", read.systems["netty"]["version"])

    def test_figures_by_request_and_round(self):
        read = compared({"system": "x", "version": "", "how": ""}, pair("x", 100), pair("x", 300, 2),
                        pair("x", 500, live=1000), pair("y", 700))
        self.assertEqual(read.series("x", "pair", "pair_wall_ns", live=1, producers=1).by_round, {1: 10, 2: 30})
        self.assertEqual(read.series("x", "pair", "pair_cpu_ns", live=1000).by_round, {1: 100})
        self.assertFalse(read.series("x", "pair", "pair_wall_ns", live=7))
        self.assertEqual(read.requests("pair", "live"), [1, 1000])
        self.assertEqual(read.who_did("pair", live=1), ["x"])  # y never introduced itself

    def test_shows_which_fired_in_pairs(self):
        self.assertEqual(compared(pair("x", 1, fired=5), pair("x", 1, 2, fired=1)).pairs_fired(), {"x": 0.5})

    def test_names_the_line_that_is_none(self):
        for bad in ("{", "[]", '{"work": "pair", "round": "first"}', '{"system": "x"}'):
            with self.assertRaisesRegex(BadRecord, "^file:2: not a line of bench_peers"):
                Comparison([json.dumps(MACHINE), bad], "file")
        with self.assertRaisesRegex(BadRecord, "describes the machine"):
            Comparison([], "file")
        with self.assertRaisesRegex(BadRecord, "No such file"):
            Comparison.read(RECORDED / "none.jsonl")

    def test_tells_floors_from_rivals(self):
        self.assertTrue(is_own("detent-steady") and is_rival("libev"))
        self.assertFalse(is_rival("floor-spin") or is_rival("detent") or is_own("detention"))


class ProgramsTest(unittest.TestCase):
    def test_reads_repetitions_and_counters(self):
        own = Programs({"p": [
            {"run_name": "a/iterations:3/real_time", "run_type": "iteration", "repetition_index": i,
             "real_time": i + 1.0, "time_unit": "us", "cpu_ns": 7} for i in range(3)] + [
            {"run_name": "a/iterations:3/real_time", "run_type": "aggregate", "real_time": 9, "time_unit": "us"}]})
        self.assertEqual(own.names("p"), ["a"])
        self.assertEqual(own.series("p", "a").by_round, {0: 1000, 1: 2000, 2: 3000})
        self.assertEqual(own.series("p", "a", "cpu_ns").median, 7)
        self.assertFalse(own.series("p", "a", "none") or own.series("q", "a"))

    def test_finds_errors(self):
        found = [("fire_cost", "fire/tick_1ms_uniform/timers:1000000", "out of memory")]
        self.assertEqual(recorded().own.errors(), found)

    def test_survives_writing(self):
        with tempfile.TemporaryDirectory() as directory:
            recorded().own.write(f"{directory}/own.json")
            again = Programs.read(f"{directory}/own.json")
        self.assertEqual(again.answers, recorded().own.answers)
        self.assertEqual(again.left_out, recorded().own.left_out)

    def test_quick_asks_what_the_full_run_asks(self):
        self.assertLessEqual({part.asks for part in QUICK}, {part.asks for part in FULL})
        bench = RECORDED.parents[1]
        programs = {each.stem for each in [*bench.glob("*.cpp"), *bench.parent.glob("modules/*/bench/*.cpp")]}
        self.assertLessEqual({part.program for part in FULL + QUICK}, programs)


class TargetsTest(unittest.TestCase):
    def test_a_target_is_met_missed_or_not_measured(self):
        at_most = targets.Target("", "", 2, lambda results: results)
        at_least = targets.Target("", "", 2, lambda results: results, at_least=True)
        for median, most, least in ((1.9, "met", "missed"), (2.0, "met", "met"), (2.1, "missed", "met")):
            figures = Series({1: 0, 2: median, 3: 9})
            self.assertEqual((at_most.verdict(figures)[0], at_least.verdict(figures)[0]), (most, least))
        self.assertEqual(at_most.verdict(Series({})), ("not measured", "–"))

    def test_no_target_is_left_out(self):
        rows, counts = targets.verdicts(recorded(), target_list.ALL)
        self.assertEqual(sum(counts.values()), len(target_list.ALL))
        # poll() and the other build's wheel were not run; everything else was.
        self.assertEqual([target.what.split(",")[0] for target, verdict, _ in rows if verdict == "not measured"],
                         ["the wheel alone: insert + expire of a million", "next_deadline()",
                          "poll() with wake_fd open", "poll() with nothing due"])
        self.assertGreater(counts["missed"], 0)

    def test_without_an_earlier_build_its_targets_are_not_measured(self):
        alone = targets.Results(recorded().compared, recorded().own)
        verdicts = {target.what: verdict for target, verdict, _ in targets.verdicts(alone, target_list.ALL)[0]}
        self.assertEqual(verdicts["hybrid: p99"], "not measured")

    def test_the_ratio_is_that_of_the_lines(self):
        results = targets.Results(compared(pair("detent", 100), pair("netty", 250), pair("detent", 100, 2),
                                           pair("netty", 350, 2)), Programs())
        rows = {target.what: said for target, _, said in targets.verdicts(results, target_list.PAIRS)[0]}
        self.assertEqual(rows["schedule_after + cancel, 1 live: rate by CPU"], "3.00 (2.50–3.50) x")


class PageTest(unittest.TestCase):
    def setUp(self):
        facts = page.Facts("./tools/dev bench", 700, ["A note."], "/tree")
        self.text = page.page(recorded(), facts, "benchmarks", ["memory"])

    def test_says_where_its_figures_are_from(self):
        for said in ("`./tools/dev bench`", "11.7 minutes", "AMD EPYC", "GNU 12.2.0", "2026-", "A note."):
            self.assertIn(said, self.text)

    def test_opens_with_what_was_found_and_its_plot(self):
        facts = page.Facts("", 0, [], "/tree")
        opens, picture, first = page.page(recorded(), facts, "benchmarks", ["cpu-against-lateness"]).split("\n\n")[1:4]
        self.assertEqual(opens.count(". ") + 1, 3)
        self.assertRegex(opens, r"^A timer fires a median of .* With 100,000 timers live, .* One call of .* in 10,000 ")
        self.assertIn("cpu-against-lateness.svg", picture)
        self.assertEqual(first, "## Lateness")
        self.assertLess(self.text.index("## Memory"), self.text.index("## Targets"))

    def test_shows_a_call_of_those_that_have_it(self):
        restarts = self.text[self.text.index("| restart, ns"):].split("\n\n")[0]
        self.assertIn("| multimap |", restarts)
        self.assertNotIn("libuv", restarts)

    def test_names_who_was_skipped_or_failed_and_what_was_left_out(self):
        for said in ("| go | golang-go is not installed |", "| libev | `memory timers=1000000` | it ended",
                     "`poll`: no time", "out of memory", "ev_timer \\| ev_async"):
            self.assertIn(said, self.text)

    def test_each_table_is_one(self):
        for block in self.text.split("\n\n"):
            rows = [line for line in block.splitlines() if line.startswith("|")]
            widths = {row.replace("\\|", "").count("|") for row in rows}
            self.assertLessEqual(len(widths), 1, block)

    def test_shows_the_plots_that_there_are(self):
        self.assertEqual(self.text.count("!["), 1)
        self.assertIn("(benchmarks/memory.svg)", self.text)

    def test_shows_nobody_where_the_tree_is(self):
        self.assertEqual(page.Facts("", 0, [], "/tree").plain("/tree/build/x is not built"), "build/x is not built")

    def test_names_the_best_rival(self):
        lines = [{"system": s, "version": "", "how": ""} for s in ("detent", "slow", "fast")]
        lines += [pair("detent", 100), pair("slow", 900), pair("fast", 300)]
        text = tables.PairTable(targets.Results(compared(*lines), Programs()), "wall").text()
        self.assertIn("| best rival ÷ detent | 3.00 (fast) |", text)
        self.assertLess(text.index("| fast"), text.index("| slow"))


class RunTest(unittest.TestCase):
    def going(self, directory, script, seconds, takes):
        """A run in which `script` stands for each program; `seconds` for all of it."""
        for name in ("bench/bench_p", "bench/peers/bench_peers"):
            program = Path(directory) / name
            program.parent.mkdir(exist_ok=True)
            program.write_text("#!/bin/sh\n" + script, encoding="utf-8")
            program.chmod(0o755)
        size = Size("s", (), (Part("p", "", ".", (), "", takes=takes),), seconds, seconds, least_left=0)
        return Run(directory, size, directory, say=lambda what: None)

    def run_parts(self, directory, script, seconds, takes=0):
        self.going(directory, script, seconds, takes).measure_own()
        return Programs.read(Path(directory) / "programs.json")

    def test_a_program_that_fails_is_an_error(self):
        with tempfile.TemporaryDirectory() as directory:
            own = self.run_parts(directory, "echo described; echo why >&2; exit 3\n", 60)
        self.assertEqual(own.errors(), [("p", "p", "ended with 3: why")])

    def test_a_program_that_takes_too_long_is_cut_off(self):
        with tempfile.TemporaryDirectory() as directory:
            own = self.run_parts(directory, "exec sleep 60\n", 2)
        self.assertIn("cut off", own.errors()[0][2])

    def test_what_no_time_is_left_for_is_named(self):
        with tempfile.TemporaryDirectory() as directory:
            own = self.run_parts(directory, "exit 0\n", 60, takes=61)
        self.assertIn("no time", own.left_out["p"])

    def test_a_comparison_that_takes_too_long_counts_as_far_as_it_came(self):
        with tempfile.TemporaryDirectory() as directory:
            going = self.going(directory, f"echo '{json.dumps(MACHINE)}' >$2; exec sleep 60\n", 2, 0)
            going.compare()
            self.assertEqual(Comparison.read(going.comparison_file).machine["cpu"], "a")
        self.assertIn("cut off", going.notes[0])

    def test_a_driver_that_crashes_ends_the_run(self):
        with tempfile.TemporaryDirectory() as directory, self.assertRaisesRegex(BadRecord, "ended with 3"):
            self.going(directory, "exit 3\n", 60, 0).compare()


if __name__ == "__main__":
    unittest.main()
