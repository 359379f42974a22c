#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""kernel-trace --from: what each tracepoint becomes."""
import os

from kernel_trace_support import (DETENT, KERNEL_TRACE, SAMPLES, WithDirectory, hrtimer_expiry, hrtimer_start, line, run,
                                  run_tests, timer_expiry, timer_start)

A, B = "00000000c0ffee01", "00000000c0ffee02"
J = 4_294_892_296  # a jiffy that begins at 7200 s
TICK = 4_000  # us, at 250 a second


def ticking(count=30):
    """Shows jiffies at 250 a second, by a timer that was armed before."""
    return [(i * TICK, timer_expiry("0000000000000abc", J + i, "ticking")) for i in range(count)]


def text_of(events):
    return "".join(line(*event) for event in events)


class Jiffies(WithDirectory):
    def rows(self, *events):
        return self.converted(text_of(sorted([*ticking(), *events], key=lambda event: event[0])))

    def test_a_timer_is_due_at_the_beginning_of_its_jiffy(self):
        rows = self.rows((1_500, timer_start(A, J + 5, J)))
        self.assertEqual(rows, [("1500000", "S", "0", str((5 * TICK - 1_500) * 1000), "tcp_write_timer")])
        self.assertIn("250 jiffies a second", self.said)

    def test_each_generation_has_an_id_of_its_own(self):
        rows = self.rows((1_500, timer_start(A, J + 5, J)), (2_000, timer_start(B, J + 50, J)),
                         (3_000, f"timer_cancel: timer={A}"), (4_500, timer_start(A, J + 5, J + 1)))
        self.assertEqual([row[:3] for row in rows],
                         [("1500000", "S", "0"), ("2000000", "S", "1"), ("3000000", "C", "0"), ("4500000", "S", "2")])

    def test_a_start_of_what_is_pending_is_a_restart(self):
        rows = self.rows((1_500, timer_start(A, J + 5, J)), (4_500, timer_start(A, J + 9, J + 1)))
        self.assertEqual([row[1:3] for row in rows], [("S", "0"), ("R", "0")])

    def test_cancel_and_start_in_one_call_are_a_restart(self):
        rows = self.rows((1_500, timer_start(A, J + 5, J)), (4_500, f"timer_cancel: timer={A}"),
                         (4_501, timer_start(A, J + 9, J + 1)))
        self.assertEqual([row[:3] for row in rows], [("1500000", "S", "0"), ("4501000", "R", "0")])

    def test_cancel_and_start_on_two_cpus_or_of_a_timer_made_again_are_two_timers(self):
        started, cancelled, again = timer_start(A, J + 5, J), f"timer_cancel: timer={A}", timer_start(A, J + 9, J + 1)
        for between in ([(4_501, again, 1)], [(4_501, again, 0, "nginx-12")], [(4_510, again)],
                        [(4_501, f"timer_init: timer={A}"), (4_502, again)]):
            rows = self.rows((1_500, started), (4_500, cancelled), *between)
            self.assertEqual([row[1:3] for row in rows], [("S", "0"), ("C", "0"), ("S", "1")], between)

    def test_an_expiry_is_reported_with_a_cancel_before_it_or_without(self):
        for before in ([], [(20_010, f"timer_cancel: timer={A}")]):
            rows = self.rows((1_500, timer_start(A, J + 5, J)), *before, (20_010, timer_expiry(A, J + 5)),
                             (20_012, timer_start(A, J + 9, J + 5)))
            self.assertEqual(rows[1], ("20010000", "X", "0", "", "tcp_write_timer"))
            self.assertEqual([row[1:3] for row in rows], [("S", "0"), ("X", "0"), ("S", "1")])

    def test_ends_of_timers_armed_before_are_left_out_and_reported(self):
        self.assertEqual(self.rows((1_500, f"timer_cancel: timer={A}")), [])
        self.assertIn("left out: 31 ends", self.said)

    def test_cpus_may_be_a_little_out_of_order(self):
        swapped = [(4_500, f"timer_cancel: timer={A}", 1), (4_400, timer_start(A, J + 9, J + 1))]
        rows = self.converted(text_of(ticking(2) + swapped + ticking()[2:]))
        self.assertEqual([row[:2] for row in rows], [("4400000", "S"), ("4500000", "C")])

    def test_the_rate_is_given_by_the_option_or_by_the_events(self):
        thousand = line(500, timer_start(A, J + 7, J)) + text_of((i * 1000, timer_expiry(B, J + i)) for i in range(1, 40))
        self.assertEqual(self.converted(thousand)[0][3], "6500000")
        self.assertEqual(self.converted(thousand, "--hz", "1000")[0][3], "6500000")
        self.assertEqual(self.converted("# detent: hz 1000\n" + line(500, timer_start(A, J + 7, J)))[0][3], "7000000")

    def test_a_rate_that_cannot_be_is_refused(self):
        saved = self.write(text_of(ticking(400)))
        self.assertIn("do not go at 1000 a second", self.refused(1, "--from", saved, "-o", "-", "--hz", "1000"))
        saved = self.write(text_of(ticking(3)))
        self.assertIn("say --hz N", self.refused(1, "--from", saved, "-o", "-"))


class Nanoseconds(WithDirectory):
    def rows(self, *events):
        return self.converted("".join(line(*event) if isinstance(event, tuple) else event for event in events))

    def test_the_soft_expiry_is_the_deadline(self):
        rows = self.rows((100, hrtimer_start(A, 7_200_000_350_123, slack=50_000)),
                         (401, hrtimer_expiry(A, 7_200_000_400_500)))
        self.assertEqual(rows, [("0", "S", "0", "250123", "hrtimer_wakeup"), ("301000", "X", "0", "", "hrtimer_wakeup")])

    def test_other_clocks_are_known_by_their_own_expiries(self):
        real = 1_795_244_747_000_000_000
        rows = self.rows((100, hrtimer_start(A, real + 7_200_000_350_000)), (351, hrtimer_expiry(A, real + 7_200_000_351_000)),
                         (500, hrtimer_start(B, 7_200_000_600_000)))
        self.assertEqual([row[3] for row in rows], ["250000", "", "100000"])

    def test_other_clocks_are_known_by_the_recording(self):
        ahead = 500_000_000_000  # a machine that was suspended for a while
        setup = "hrtimer_setup: hrtimer={} clockid=CLOCK_{} mode=ABS"
        rows = self.rows(f"# detent: clock CLOCK_BOOTTIME {ahead}\n", (50, setup.format(A, "BOOTTIME")),
                         (100, hrtimer_start(A, ahead + 7_200_900_000_000)), (101, setup.format(B, "MONOTONIC")),
                         (102, hrtimer_start(B, ahead + 7_200_900_000_000)))
        self.assertEqual([row[3] for row in rows], ["899900000", str(ahead + 899_898_000)])

    def test_a_relative_time_on_the_real_clock_is_monotonic(self):
        rows = self.rows("# detent: clock CLOCK_REALTIME 1795244747000000000\n",
                         (50, f"hrtimer_setup: hrtimer={A} clockid=CLOCK_REALTIME mode=REL|HARD"),
                         (100, hrtimer_start(A, 7_200_900_000_000)))
        self.assertEqual([row[3] for row in rows], ["899900000"])

    def test_a_clock_that_nobody_knows_is_left_out_and_reported(self):
        self.assertEqual(self.rows((100, hrtimer_start(A, 1_795_244_747_000_000_000))), [])
        self.assertIn("left out: 1 timers on a clock", self.said)


class Samples(WithDirectory):
    def test_each_is_a_trace_that_can_be_replayed(self):
        for sample, counts in (("ftrace.txt", "68 timers armed, 3 re-armed, 6 cancelled, 54 expired"),
                               ("perf-script.txt", "4 timers armed, 1 re-armed, 1 cancelled, 1 expired")):
            trace = self.path(f"{sample}.csv.gz")
            done = run(KERNEL_TRACE, "--from", os.path.join(SAMPLES, sample), "-o", trace)
            self.assertEqual((done.returncode, done.stdout), (0, ""), done.stderr)
            self.assertIn(f"{counts} in 0.0", done.stderr)
            replayed = {run(DETENT, "replay", "--virtual", trace, "--wheel", wheel).stdout
                        for wheel in ("hierarchical", "hashed")}
            self.assertEqual(len(replayed), 1)
            self.assertRegex(replayed.pop(), r"\Ascheduled=\d+ ")

    def test_a_kind_leaves_the_other_out(self):
        with open(os.path.join(SAMPLES, "ftrace.txt"), encoding="utf-8") as file:
            text = file.read()
        ofs = [{row[4] for row in self.converted(text, "--kind", kind)} for kind in ("timer", "hrtimer")]
        self.assertIn("process_timeout", ofs[0])
        self.assertIn("tick_nohz_handler", ofs[1])
        self.assertEqual(ofs[0] & ofs[1], {""})


if __name__ == "__main__":
    run_tests()
