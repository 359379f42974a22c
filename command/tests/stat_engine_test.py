#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""`detent stat` reads an engine of another process: while it lives, when it has ended, when it was killed, and when it
was paused.

usage: stat_engine_test.py DETENT COUNTERS_ENGINE [unittest option ...]
"""
import glob
import json
import os
import signal
import subprocess
import sys
import time
import unittest

sys.dont_write_bytecode = True
from command_support import DATA as ENGINE, DETENT, WithDirectory, detent, run_tests


class StatOfAnEngine(WithDirectory):
    def start(self, file, *more):
        process = subprocess.Popen([ENGINE, file, *more], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.addCleanup(process.wait)
        self.addCleanup(process.stdout.close)
        self.addCleanup(process.stdin.close)
        self.addCleanup(process.kill)
        self.assertEqual(process.stdout.readline(), "ready\n")
        return process

    def end(self, process):
        process.stdin.close()
        self.assertEqual(process.wait(60), 0)

    def engine(self, target, has=lambda engine: True):
        """What is read of it, again until it has what comes a moment after the count that the program waits for."""
        until = time.monotonic() + 60
        while True:
            done = detent("stat", "--json", target)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            one, = json.loads(done.stdout)["engines"]
            if has(one) or time.monotonic() > until:
                return one

    def check_counts(self, engine):
        counts = engine["counts"]
        self.assertEqual((counts["scheduled"], counts["expired"], counts["fired"], counts["cancelled"]),
                         (400, 340, 340, 50))
        label, = engine["labels"]
        self.assertEqual(label["name"], 'retry "3"')
        self.assertEqual((label["counts"]["scheduled"], label["counts"]["fired"], label["pending"]), (300, 300, 0))
        for of, fired in ((engine["histograms_ns"], 340), (label["histograms_ns"], 300)):
            for cause in ("lateness", "drain", "wait", "worker", "dispatch", "callback"):
                self.assertEqual(of[cause]["count"], fired, cause)
            self.assertEqual(of["dispatch"]["max"], 0)  # no executor
        # Of 300 callbacks due at one time, each sleeps: all but the first find the worker busy.
        late = label["histograms_ns"]
        self.assertGreater(late["worker"]["p50"], 20_000)
        self.assertGreaterEqual(late["callback"]["p50"], 20_000)

    def test_a_live_engine_is_read_from_outside_and_stays_readable_when_it_has_ended(self):
        file = self.path("counters")
        process = self.start(file)
        live = self.engine(file, has=lambda engine: engine["histograms_ns"]["callback"]["count"] == 340)
        self.assertEqual((live["state"], live["name"], live["process"]), ("live", "two words", process.pid))
        self.assertEqual((live["pending"], live["wait"], live["drive"]), (10, "hybrid", "worker"))
        self.assertTrue(os.path.isdir(f"/proc/{process.pid}/task/{live['worker_thread']}"))
        self.check_counts(live)
        self.assertEqual(self.engine(str(process.pid))["file"], os.path.realpath(file))
        self.end(process)
        ended = self.engine(file)
        self.assertEqual((ended["state"], ended["pending"], ended["counts"]["returned"]), ("ended", 0, 10))
        self.check_counts(ended)

    def test_the_last_error_of_a_callback_is_shown_though_the_program_handles_it(self):
        file = self.path("counters")
        process = self.start(file, "failing")
        live = self.engine(file, has=lambda engine: "last_error" in engine)
        self.assertEqual((live["counts"]["failed"], live["last_error"]["text"]), (100, "no route to host"))
        self.assertTrue(live["made_at_ns"] <= live["last_error"]["at_ns"] <= live["read_at_ns"])
        self.assertRegex(detent("stat", file).stdout, r"(?m)^ *last error +no route to host \(a callback, .* ago\)$")
        self.end(process)
        self.assertEqual(self.engine(file)["last_error"]["text"], "no route to host")

    def test_what_is_pending_is_counted_by_engine_and_by_label(self):
        process = self.start(self.path("counters"))
        done = detent("pending", str(process.pid))
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertRegex(done.stdout, rf"(?m)^ *two words +{process.pid} +live +10 +\d+ +\d+ s$")
        self.assertIn("list_pending()", done.stdout)
        done = detent("pending", str(process.pid), "--by", "label")
        self.assertRegex(done.stdout, rf"(?m)^ *two words +{process.pid} +retry \"3\" +0 +0 %$")
        self.assertRegex(done.stdout, rf"(?m)^ *two words +{process.pid} +\(no label\) +10 +100 %$")
        engine, = json.loads(detent("pending", str(process.pid), "--by", "label", "--json").stdout)["engines"]
        self.assertEqual((engine["pending"], engine["no_label"], engine["labels"]),
                         (10, 10, [{"name": 'retry "3"', "pending": 0}]))
        self.assertTrue(0 < engine["next_due_in_ns"] <= 3_600_000_000_000)
        self.end(process)
        done = detent("pending", self.path("counters"))
        self.assertRegex(done.stdout, r"ended +0 +0 +-")

    def test_what_cannot_be_counted_is_one_line(self):
        self.assertIn("no process", self.refused(1, "pending", "999999999"))
        self.assertIn("cannot be opened", self.refused(1, "pending", self.path("none")))
        self.assertIn("'tag' is not engine or label", self.refused(2, "pending", "--by", "tag"))

    def test_an_automatic_file_goes_with_its_engine(self):
        process = self.start("auto")
        file, = glob.glob(f"/dev/shm/detent.{process.pid}.*")
        self.assertEqual(self.engine(str(process.pid))["file"], file)
        everything = json.loads(detent("stat", "--json").stdout)["engines"]
        self.assertIn(file, [engine["file"] for engine in everything])
        self.end(process)
        self.assertFalse(os.path.exists(file))

    def test_the_file_of_a_killed_process_is_stale(self):
        file = self.path("counters")
        process = self.start(file)
        process.send_signal(signal.SIGKILL)
        process.wait(60)
        self.assertRegex(self.refused(1, "stat", file), "stale: (process|another process)")

    def test_intervals_of_a_killed_process_end_with_the_line_that_its_file_is_stale(self):
        file = self.path("counters")
        process = self.start(file)
        stat = subprocess.Popen([DETENT, "stat", "-i", "0.1", file], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.addCleanup(stat.kill)
        self.assertTrue(stat.stdout.readline().startswith("TIME"))
        process.send_signal(signal.SIGKILL)
        process.wait(60)
        _, complaints = stat.communicate(timeout=60)
        self.assertRegex(complaints, r"\Adetent: [^\n]+ stale: [^\n]+\n\Z")
        self.assertEqual(stat.returncode, 1)

    def test_intervals_that_were_missed_in_a_pause_are_not_made_up_for(self):
        file = self.path("counters")
        self.start(file)
        for command in (["top", "--batch", "-d", "0.1", "-n", "20"], ["stat", "-i", "0.1", "-n", "20"]):
            began = time.monotonic()
            reader = subprocess.Popen([DETENT, *command, file], stdout=subprocess.PIPE, text=True)
            self.addCleanup(reader.stdout.close)
            self.addCleanup(reader.kill)
            reader.stdout.readline()
            reader.send_signal(signal.SIGSTOP)
            os.waitid(os.P_PID, reader.pid, os.WSTOPPED)
            ran = time.monotonic() - began
            time.sleep(2.5)  # longer than all its intervals
            went_on = time.monotonic()
            reader.send_signal(signal.SIGCONT)
            reader.communicate(timeout=60)
            ran += time.monotonic() - went_on
            self.assertEqual(reader.returncode, 0)
            self.assertGreater(ran, 1.7, command)  # one interval ended in the pause

    def test_top_of_a_killed_process_ends_with_the_line_that_its_file_is_stale(self):
        process = self.start("auto")
        file, = glob.glob(f"/dev/shm/detent.{process.pid}.*")
        self.addCleanup(os.unlink, file)
        process.send_signal(signal.SIGKILL)
        os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)  # its number is nobody else's yet
        self.assertIn("stale: process", self.refused(1, "top", "--batch", str(process.pid)))

    def test_a_heartbeat_that_was_paused_has_been_late_and_has_missed_periods(self):
        file, period = self.path("counters"), 10_000_000
        process = self.start(file, "heartbeat")
        process.send_signal(signal.SIGSTOP)
        os.waitid(os.P_PID, process.pid, os.WSTOPPED)
        stopped = time.monotonic_ns()
        before = self.engine(file)
        time.sleep(0.5)
        paused_for = time.monotonic_ns() - stopped
        process.send_signal(signal.SIGCONT)
        after = self.engine(file, has=lambda engine: all(
            of["histograms_ns"]["lateness"]["max"] > before["histograms_ns"]["lateness"]["max"] and of["counts"]["missed"]
            for of in (engine, *engine["labels"])))
        label, = after["labels"]
        for of in (after, label):  # what was the next to come had a period to go at most
            self.assertGreaterEqual(of["histograms_ns"]["lateness"]["max"], paused_for - period)
            self.assertGreaterEqual(of["counts"]["missed"], paused_for // period - 2)


if __name__ == "__main__":
    run_tests()
