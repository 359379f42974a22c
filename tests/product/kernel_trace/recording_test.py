#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""kernel-trace records a kernel that can be traced, leaves nothing behind, and says why it cannot where it cannot.

usage: recording_test.py KERNEL_TRACE DETENT
"""
import gzip
import os
import signal
import subprocess
import sys
import tempfile
import time
import unittest

KERNEL_TRACE, DETENT = sys.argv[1:3]


def run(*command):
    return subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=120, check=False)


def traced_instances():
    """The directory for instances, where this process may use it; else why not."""
    with open("/proc/mounts", encoding="utf-8") as mounts:
        places = [fields[1] for fields in map(str.split, mounts) if fields[2] == "tracefs"]
    if not places:
        return None, "no tracefs is mounted"
    instances = os.path.join(places[0], "instances")
    return (instances, None) if os.access(instances, os.W_OK) else (None, "only root may trace the kernel")


INSTANCES, REASON = traced_instances()


class Recording(unittest.TestCase):
    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.path = lambda name: os.path.join(directory.name, name)

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
        done = run(KERNEL_TRACE, "-o", self.path("trace.csv"), "--seconds", "1")
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertRegex(done.stderr, r"\Akernel-trace: [^\n]*(as root: mount|only root may)[^\n]*\n\Z")

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
    unittest.main(argv=sys.argv[:1])
