#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""kernel-trace: lost events, bad input, and a kernel that cannot be traced; with a kernel that can, a recording."""
import gzip
import os
import signal
import stat
import subprocess
import time
import unittest

from kernel_trace_support import (DETENT, KERNEL_TRACE, WithDirectory, hrtimer_start, line, run, run_tests, timer_start)

STARTED = line(100, hrtimer_start("00000000c0ffee01", 7_200_900_000_000))


class LostEvents(WithDirectory):
    def test_the_trace_says_where_and_how_many(self):
        rows = self.converted(STARTED + "CPU:1 [LOST 12 EVENTS]\n" + line(900, "hrtimer_cancel: hrtimer=00000000c0ffee01"))
        self.assertEqual([row[0] if len(row) == 1 else row[1] for row in rows], ["S", "# dropped 12", "C"])
        self.assertIn("warning: 12 events found no room", self.said)

    def test_what_did_not_show_is_reported_at_the_end(self):
        rows = self.converted(STARTED + "CPU:1 [LOST 12 EVENTS]\n# detent: lost 20\n")
        self.assertEqual(rows[1:], [("# dropped 12",), ("# dropped 8",)])
        self.assertIn("warning: 20 events found no room", self.said)

    def test_an_unknown_number_is_reported_as_such(self):
        self.assertEqual(self.converted(STARTED + "CPU:0 [LOST EVENTS]\n")[1:], [("# an unknown number of events is missing",)])
        self.assertIn("warning: an unknown number of events found no room", self.said)


class BadInput(WithDirectory):
    def assert_refused(self, text, complaint):
        saved = self.write(text)
        said = self.refused(1, "--from", saved, "-o", self.path("trace.csv"))
        self.assertEqual(said, f"kernel-trace: {saved}{complaint}\n")
        self.assertEqual(os.listdir(self.directory), ["saved.txt"])

    def test_lines_that_no_kernel_prints(self):
        self.assert_refused(STARTED + "hello, \tworld\n", ":2: not a line of a kernel trace: 'hello, \\tworld'")
        self.assert_refused(b"\x00\xff" * 40, ":1: not a line of a kernel trace: '" + "\\x00\\\\xff" * 12 + "...'")

    def test_fields_that_are_missing_or_no_numbers(self):
        for event, complaint in (("hrtimer_start: hrtimer=1", "hrtimer_start has no field 'expires'"),
                                 ("hrtimer_start: expires=1", "hrtimer_start has no field 'hrtimer'"),
                                 ("timer_cancel:", "timer_cancel has no field 'timer'"),
                                 ("hrtimer_expire_entry: hrtimer=1 now=x", "hrtimer_expire_entry: now is 'x', not a whole number"),
                                 ("timer_start: timer=1 expires=9", "timer_start has no field 'timeout'")):
            self.assert_refused(STARTED + line(200, event), f":2: {complaint}")

    def test_facts_without_their_numbers(self):
        self.assert_refused("# detent: hz many\n" + STARTED, ":1: 'hz' lacks a number")
        self.assert_refused("# detent: clock CLOCK_TAI\n" + STARTED, ":1: 'clock' lacks a number")

    def test_hidden_addresses(self):
        self.assert_refused(line(100, hrtimer_start("(____ptrval____)", 1)),
                            ":1: the kernel hides its addresses ((____ptrval____)): timers cannot be told apart")

    def test_nothing_in_it(self):
        for text in ("", "# tracer: nop\n", line(1, "sched_switch: prev_comm=a")):
            self.assert_refused(text, ": holds no event of a timer of this kind (both)")

    def test_damaged_gzip(self):
        packed = gzip.compress(STARTED.encode() * 9)
        self.assert_refused(packed[:9], ": cannot be read: Compressed file ended before the end-of-stream marker was reached")

        broken = bytearray(packed)
        broken[10] ^= 0xff
        self.assertIn("cannot be read", self.refused(1, "--from", self.write(bytes(broken)), "-o", self.path("trace.csv")))

    def test_files_that_cannot_be_used(self):
        none = self.path("none.txt")
        self.assertEqual(self.refused(1, "--from", none, "-o", "-"),
                         f"kernel-trace: {none}: cannot be read: No such file or directory\n")
        beyond, saved = self.path("no/trace.csv"), self.write(STARTED)
        for options in (["--from", saved], ["--seconds", "9999"]):
            self.assertEqual(self.refused(1, *options, "-o", beyond),
                             f"kernel-trace: {beyond} cannot be written: No such file or directory\n")

    def test_a_full_disk_is_reported_and_a_device_stays_one(self):
        saved, device = self.write(STARTED), self.path("full")
        os.symlink("/dev/full", device)
        self.assertEqual(self.refused(1, "--from", saved, "-o", device),
                         f"kernel-trace: {device} cannot be written: No space left on device\n")
        self.assertTrue(stat.S_ISCHR(os.stat(device).st_mode))
        with open("/dev/full", "w", encoding="ascii") as full:
            done = subprocess.run([KERNEL_TRACE, "--from", saved, "-o", "-"], stdout=full, stderr=subprocess.PIPE, text=True)
        self.assertEqual((done.returncode, done.stderr),
                         (1, "kernel-trace: standard output cannot be written: No space left on device\n"))

    def test_options_that_cannot_be(self):
        for options in (["--hz", "0"], ["--hz", "x"], ["--kind", "both", "--kind", "clock"], ["--seconds", "-1"],
                        ["--seconds", "nan"], ["--buffer-kb", "1.5"], ["--colour"]):
            self.assertIn(options[-2] if len(options) > 1 else options[0], self.refused(2, "-o", "-", *options))
        self.assertIn("--seconds is of a recording", self.refused(2, "-o", "-", "--from", "x", "--seconds", "3"))
        self.assertIn("-o", self.refused(2))

    def test_an_old_trace_stays_when_the_new_one_fails(self):
        with open(self.path("trace.csv"), "w", encoding="ascii") as file:
            file.write("old")
        self.refused(1, "--from", self.write("junk\n"), "-o", self.path("trace.csv"))
        with open(self.path("trace.csv"), encoding="ascii") as file:
            self.assertEqual(file.read(), "old")


def traced_instances():
    """The directory for instances, where this process may use it; else why not."""
    with open("/proc/mounts", encoding="utf-8") as mounts:
        places = [fields[1] for fields in map(str.split, mounts) if fields[2] == "tracefs"]
    if not places:
        return None, "no tracefs is mounted"
    instances = os.path.join(places[0], "instances")
    return (instances, None) if os.access(instances, os.W_OK) else (None, "only root may trace the kernel")


INSTANCES, REASON = traced_instances()


class Recording(WithDirectory):
    def assert_nothing_left(self):
        self.assertEqual([name for name in os.listdir(INSTANCES) if name.startswith("detent-")], [])

    def wait_until_it_records(self, recorder):
        switches = ("events/timer/hrtimer_start/enable", "tracing_on")
        instance = os.path.join(INSTANCES, f"detent-{recorder.pid}")

        def is_on(switch):
            try:
                with open(os.path.join(instance, switch), encoding="ascii") as file:
                    return file.read() == "1\n"
            except FileNotFoundError:
                return False

        while not all(map(is_on, switches)):
            self.assertIsNone(recorder.poll())
            time.sleep(0.01)

    @unittest.skipIf(INSTANCES, "the kernel can be traced here")
    def test_a_kernel_that_cannot_be_traced(self):
        self.assertRegex(self.refused(1, "-o", self.path("trace.csv"), "--seconds", "1"), "as root: mount|only root may")

    @unittest.skipUnless(INSTANCES, REASON)
    def test_a_recording_can_be_replayed_and_leaves_nothing_behind(self):
        trace = self.path("trace.csv.gz")
        done = run(KERNEL_TRACE, "--seconds", "0.5", "-o", trace, "--keep", self.path("kept.txt"))
        self.assertEqual((done.returncode, done.stdout), (0, ""), done.stderr)
        self.assert_nothing_left()
        self.assertRegex(run(DETENT, "replay", "--virtual", trace).stdout, r"\Ascheduled=\d+ ")
        self.assertEqual(run(KERNEL_TRACE, "--from", self.path("kept.txt"), "-o", self.path("again.csv")).returncode, 0)
        with gzip.open(trace) as recorded, open(self.path("again.csv"), "rb") as again:
            self.assertEqual(recorded.read(), again.read())

    @unittest.skipUnless(INSTANCES, REASON)
    def test_signals_end_it_and_leave_nothing_behind(self):
        for number, status in ((signal.SIGINT, 0), (signal.SIGTERM, 143)):
            trace = self.path(f"{number}.csv")
            recorder = subprocess.Popen([KERNEL_TRACE, "--seconds", "60", "-o", trace], stderr=subprocess.PIPE)
            self.wait_until_it_records(recorder)
            time.sleep(0.3)  # there is a tick in that
            recorder.send_signal(number)
            recorder.communicate(timeout=60)
            self.assertEqual(recorder.returncode, status)
            self.assertEqual(os.path.exists(trace), status == 0)
            self.assert_nothing_left()


if __name__ == "__main__":
    run_tests()
