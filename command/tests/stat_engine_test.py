#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""`detent stat` reads an engine of another process: while it lives, when it has ended, when it was killed, and when it
was paused."""
import glob
import json
import os
import signal
import sys
import time

sys.dont_write_bytecode = True
from command_support import DETENT, WithDirectory, detent, run_tests


class StatOfAnEngine(WithDirectory):
    def end(self, process):
        process.stdin.close()
        self.assertEqual(process.wait(60), 0)

    def kill(self, process):
        """Its process id stays taken until the test ends."""
        process.kill()
        os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)

    def pause(self, process):
        process.send_signal(signal.SIGSTOP)
        os.waitid(os.P_PID, process.pid, os.WSTOPPED)

    def read(self, target, has=lambda engine: True):
        """What is read of it, again until it has what comes a moment after the count that the program waits for."""
        until = time.monotonic() + 60
        while True:
            one, = self.said("stat", target)["engines"]
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
        process = self.engine(file)
        live = self.read(file, has=lambda engine: engine["histograms_ns"]["callback"]["count"] == 340)
        self.assertEqual((live["state"], live["name"], live["process"]), ("live", "two words", process.pid))
        self.assertEqual((live["pending"], live["wait"], live["drive"]), (10, "hybrid", "worker"))
        self.assertTrue(os.path.isdir(f"/proc/{process.pid}/task/{live['worker_thread']}"))
        self.check_counts(live)
        self.assertEqual(self.read(str(process.pid))["file"], os.path.realpath(file))
        self.end(process)
        ended = self.read(file)
        self.assertEqual((ended["state"], ended["pending"], ended["counts"]["returned"]), ("ended", 0, 10))
        self.check_counts(ended)

    def test_the_last_error_of_a_callback_is_shown_though_the_program_handles_it(self):
        file = self.path("counters")
        process = self.engine(file, "failing")
        live = self.read(file, has=lambda engine: "last_error" in engine)
        self.assertEqual((live["counts"]["failed"], live["last_error"]["text"]), (100, "no route to host"))
        self.assertTrue(live["made_at_ns"] <= live["last_error"]["at_ns"] <= live["read_at_ns"])
        self.assertRegex(self.printed("stat", file), r"(?m)^ *last error +no route to host \(a callback, .* ago\)$")
        self.end(process)
        self.assertEqual(self.read(file)["last_error"]["text"], "no route to host")

    def test_what_is_pending_is_counted_by_engine_and_by_label(self):
        process = self.engine(self.path("counters"))
        pid = str(process.pid)
        text = self.printed("pending", pid)
        self.assertRegex(text, rf"(?m)^ *two words +{pid} +live +10 +\d+ +\d+ s$")
        self.assertIn("list_pending()", text)
        text = self.printed("pending", pid, "--by", "label")
        self.assertRegex(text, rf"(?m)^ *two words +{pid} +retry \"3\" +0 +0 %$")
        self.assertRegex(text, rf"(?m)^ *two words +{pid} +\(no label\) +10 +100 %$")
        engine, = self.said("pending", pid, "--by", "label")["engines"]
        self.assertEqual((engine["pending"], engine["no_label"], engine["labels"]),
                         (10, 10, [{"name": 'retry "3"', "pending": 0}]))
        self.assertTrue(0 < engine["next_due_in_ns"] <= 3_600_000_000_000)
        self.end(process)
        self.assertRegex(self.printed("pending", self.path("counters")), r"ended +0 +0 +-")

    def test_an_automatic_file_goes_with_its_engine(self):
        process = self.engine("auto")
        file, = glob.glob(f"/dev/shm/detent.{process.pid}.*")
        self.assertEqual(self.read(str(process.pid))["file"], file)
        everything = json.loads(detent("stat", "--json").stdout)["engines"]
        self.assertIn(file, [engine["file"] for engine in everything])
        self.end(process)
        self.assertFalse(os.path.exists(file))

    def test_the_file_of_a_killed_process_ends_intervals_keeps_its_figures_and_is_tidied_away(self):
        process = self.engine("auto")
        file, = glob.glob(f"/dev/shm/detent.{process.pid}.*")
        stat = self.spawn(DETENT, "stat", "-i", "0.1", file)
        self.assertTrue(stat.stdout.readline().startswith("TIME"))
        self.kill(process)
        left = self.read(file)
        self.assertEqual((left["state"], left["gone"], left["pending"]),
                         ("gone", f"process {process.pid} is gone", 10))
        self.check_counts(left)
        self.assertRegex(self.printed("stat", file), rf"(?m)^ *gone +process {process.pid} is gone; these are its last")
        self.assertRegex(self.printed("pending", file), r"(?m) gone +10 +\d+ +-$")
        self.assertRegex(self.printed("stat", "--prometheus", file), r"(?m)^detent_engine_live\{.*\} 0$")
        self.assertIn("stale: process", self.refused(1, "top", "--batch", str(process.pid)))
        self.assertEqual(stat.wait(60), 1)
        self.assertRegex(stat.stderr.read(), r"\Adetent: [^\n]+ stale: [^\n]+\n\Z")
        living = self.engine("auto")
        self.assertIn(f"removed {file}: engine two words, process {process.pid} is gone\n", self.printed("stat", "--tidy"))
        self.assertFalse(os.path.exists(file))
        self.assertTrue(glob.glob(f"/dev/shm/detent.{living.pid}.*"))

    def test_intervals_that_were_missed_in_a_pause_are_not_made_up_for(self):
        file = self.path("counters")
        self.engine(file)
        for command in (["top", "--batch", "-d", "0.1", "-n", "20"], ["stat", "-i", "0.1", "-n", "20"]):
            began = time.monotonic()
            reader = self.spawn(DETENT, *command, file)
            reader.stdout.readline()
            self.pause(reader)
            ran = time.monotonic() - began
            time.sleep(2.5)  # longer than all its intervals
            went_on = time.monotonic()
            reader.send_signal(signal.SIGCONT)
            reader.stdout.read()
            self.assertEqual(reader.wait(60), 0)
            ran += time.monotonic() - went_on
            self.assertGreater(ran, 1.7, command)  # one interval ended in the pause

    def test_a_heartbeat_that_was_paused_has_been_late_and_has_missed_periods(self):
        file, period = self.path("counters"), 10_000_000
        process = self.engine(file, "heartbeat")
        self.pause(process)
        stopped = time.monotonic_ns()
        before = self.read(file)
        time.sleep(0.5)
        paused_for = time.monotonic_ns() - stopped
        process.send_signal(signal.SIGCONT)
        after = self.read(file, has=lambda engine: all(
            of["histograms_ns"]["lateness"]["max"] > before["histograms_ns"]["lateness"]["max"] and of["counts"]["missed"]
            for of in (engine, *engine["labels"])))
        label, = after["labels"]
        for of in (after, label):  # what was the next to come had a period to go at most
            self.assertGreaterEqual(of["histograms_ns"]["lateness"]["max"], paused_for - period)
            self.assertGreaterEqual(of["counts"]["missed"], paused_for // period - 2)


if __name__ == "__main__":
    run_tests()
