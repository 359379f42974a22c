#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""detent replay --compare: one trace, both wheels, every way to wait, one table."""
from command_support import HEADER, WithDirectory, data, run_tests

ENGINES = [(wheel, wait) for wheel in ("hierarchical", "hashed") for wait in ("busy", "hybrid", "sleep")]


class Compare(WithDirectory):
    def short_trace(self):
        """A row every quarter of a millisecond for 0.2 s; each timer is due a quarter of a millisecond later."""
        rows = b"".join(b"%d,S,%d,%d,x\n" % (i * 250_000, i, 250_000) for i in range(801))
        return self.write("short.csv", HEADER + rows)

    def compared(self, *arguments):
        return self.said("replay", "--compare", *arguments)

    def test_each_engine_replays_the_whole_trace(self):
        said = self.compared(self.short_trace())
        self.assertEqual([(run["wheel"], run["wait"]) for run in said["runs"]], ENGINES)
        for run in said["runs"]:
            self.assertEqual((run["operations"], run["fired_early"]), (801, 0))
            self.assertEqual(run["callbacks"], run["lateness_ns"]["samples"])
            self.assertGreaterEqual(run["callbacks"], 1)
            self.assertLessEqual(run["callbacks"], 801)
            self.assertGreaterEqual(run["wall_seconds"], 0.2)
            self.assertGreater(run["cpu_process"], 0)
            if run["wait"] == "busy":
                self.assertEqual(run["wakeups"], 0)
            else:
                self.assertGreater(run["wakeups"], 0)
        for floor in ("bare_spin_loop_ns", "bare_sleep_ns"):
            self.assertEqual(said[floor]["samples"], 2400)

    def test_the_virtual_check_says_what_a_virtual_replay_says(self):
        for trace in (self.short_trace(), data("ties.csv.gz")):
            alone = self.said("replay", trace, "--virtual")
            checked = self.compared(trace, "--seconds", "0.05")["virtual"]
            self.assertEqual(checked, {name: alone[name] for name in checked})
            self.assertEqual(len(checked), 9)

    def test_seconds_and_speed_bound_each_run_and_not_the_check(self):
        said = self.compared(self.short_trace(), "--seconds", "0.05")
        self.assertEqual({run["operations"] for run in said["runs"]}, {201})
        self.assertEqual(said["virtual"]["operations"], 801)
        said = self.compared(self.short_trace(), "--seconds", "0.05", "--speed", "2")
        self.assertEqual({run["operations"] for run in said["runs"]}, {401})

    def test_the_table_has_a_line_for_each_engine_and_two_floors(self):
        trace = self.short_trace()
        first, *table, last = self.printed("replay", "--compare", trace).splitlines()
        self.assertEqual(first, f"{trace}, speed 1, 6 runs of at most 10 s")
        time = r" +[\d.]+ [num]?s"
        for (wheel, wait), line in zip(ENGINES, table[2:8]):
            self.assertRegex(line, rf"\A  {wheel} +{wait}({time}){{4}}( +-|{time}){{2}} +[\d,]+( +[\d.]+ %){{2}} +[\d,]+ +[\d,]+\Z")
        for name, line in zip(("spin", "sleep"), table[8:], strict=True):
            self.assertRegex(line, rf"\A  no engine +{name}({time}){{4}}\Z")
        alone = self.printed("replay", trace, "--virtual").rstrip()
        self.assertEqual(last, f"in virtual time, whole trace, both wheels: {alone}")


if __name__ == "__main__":
    run_tests()
