#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Timers are made late in every way that can be provoked here, and the command names that way and its cure.

How late they are is never asked. Where the machine has other work to do, the kernel says that the process waited for a
CPU, and then a lack of CPU is a true answer, too.
"""
import html
import json
import os
import signal
import subprocess
import sys
import time
from contextlib import contextmanager
from pathlib import Path

sys.dont_write_bytecode = True
from command_support import DETENT, ROOT, run_tests
from http_support import WithServer

TABLE = {}  # why -> what helps
for row in (ROOT / "docs/lateness.md").read_text(encoding="utf-8").split("| why |")[1].split("\n\n")[0].splitlines()[2:]:
    cells = [cell.strip() for cell in row.strip("|").split("|")]
    TABLE[cells[0]] = cells[3]
NO_CPU = {"worker": "the worker had too little CPU", "loop": "the thread that polls had too little CPU"}
CGROUPS = Path("/sys/fs/cgroup")


def run_delay(process):
    """How long its threads have waited for a CPU, all together; seconds."""
    total = 0
    for thread in Path(f"/proc/{process}/task").iterdir():
        words = (thread / "schedstat").read_text().split()
        total += int(words[1]) / 1e9
    return total


@contextmanager
def busy(cpu, programs=4):
    """Programs that fill a CPU."""
    loop = f"import os\nos.sched_setaffinity(0, [{cpu}])\nwhile True: pass"
    hogs = [subprocess.Popen([sys.executable, "-c", loop]) for _ in range(programs)]
    try:
        time.sleep(0.5)
        yield
    finally:
        for hog in hogs:
            hog.kill()
            hog.wait()


class Cures(WithServer):
    def start(self, scenario):
        return self.engine(self.path("counters"), "late", scenario)

    def doctor(self, process, seconds=2):
        return subprocess.Popen([DETENT, "doctor", "--pid", str(process), "--seconds", str(seconds), "--json"],
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def found_by(self, doctor):
        out, trouble = doctor.communicate(timeout=200)
        self.assertEqual(trouble, "")
        found = [each for each in json.loads(out)["findings"] if each["subject"] == "lateness of the timers"]
        self.assertEqual(len(found), 1, out)
        return found[0]

    def named(self, finding):
        """The reason that the doctor gives, whose cure is that of the page."""
        why = next((each for each in TABLE if finding["means"].startswith(each)), None)
        self.assertIsNotNone(why, finding)
        self.assertEqual(finding["cure"], TABLE[why])
        return why

    def expect(self, scenario, why, part, drive="worker"):
        engine = self.start(scenario)
        waited = run_delay(engine.pid)
        finding = self.found_by(self.doctor(engine.pid))
        lacked = run_delay(engine.pid) - waited > 0.2
        said = self.named(finding)
        if lacked and said in (NO_CPU[drive], "the hypervisor took the CPU away"):
            self.skipTest(f"the machine is too busy: {finding['means']}")
        self.assertEqual(said, why, finding)
        self.assertTrue(finding["seen"].endswith(f"by {part}"), finding)

    def limited_group(self):
        """A control group that may use a fifth of a CPU, in either version of the hierarchy."""
        first = CGROUPS / "cpu"
        group = (first if first.is_dir() else CGROUPS) / f"detent-test-{os.getpid()}"
        if group.parent != first and "cpu" not in (CGROUPS / "cgroup.subtree_control").read_text().split():
            raise OSError("the controller cpu is not enabled")
        group.mkdir()
        self.addCleanup(group.rmdir)
        if group.parent == first:
            (group / "cpu.cfs_quota_us").write_text("20000")
        else:
            (group / "cpu.max").write_text("20000 100000")
        return group

    def test_a_loop_that_polls_each_frame(self):
        self.expect("loop", "poll() was called late", "wait", "loop")

    def test_a_slow_callback(self):
        self.expect("callback", "other callbacks ran first", "worker")

    def test_a_full_pool(self):
        self.expect("pool", "callbacks queued in the executor", "dispatch")

    def test_deadlines_that_have_passed(self):
        self.expect("past", "the deadline had passed when the timer was scheduled", "drain")

    def test_a_stopped_process(self):
        engine = self.start("worker")
        doctor = self.doctor(engine.pid, 5)
        time.sleep(1)
        for _ in range(2):
            engine.send_signal(signal.SIGSTOP)
            time.sleep(1.5)
            engine.send_signal(signal.SIGCONT)
            time.sleep(0.3)
        self.assertEqual(self.named(self.found_by(doctor)), "the process was stopped")

    def test_a_frozen_group(self):
        first = CGROUPS / "freezer"
        group = (first if first.is_dir() else CGROUPS) / f"detent-test-frozen-{os.getpid()}"
        freeze = lambda on: (group / "freezer.state").write_text("FROZEN" if on else "THAWED") if first.is_dir() \
            else (group / "cgroup.freeze").write_text("1" if on else "0")
        engine = self.start("worker")
        try:
            group.mkdir()
            self.addCleanup(group.rmdir)
            (group / "cgroup.procs").write_text(str(engine.pid))
            self.addCleanup(lambda: (engine.stdin.close(), engine.wait()))
        except OSError as trouble:
            self.skipTest(f"no control group may be made here: {trouble}")
        doctor = self.doctor(engine.pid, 5)
        time.sleep(1)
        freeze(True)
        time.sleep(2)
        freeze(False)
        self.assertEqual(self.named(self.found_by(doctor)), "the process was stopped")

    def test_a_worker_whose_cpu_others_fill(self):
        cpu = max(os.sched_getaffinity(0))
        engine = self.start(f"cpu{cpu}")
        with busy(cpu):
            waited = run_delay(engine.pid)
            finding = self.found_by(self.doctor(engine.pid))
            waited = run_delay(engine.pid) - waited
        if waited < 0.5:
            self.skipTest("the kernel does not let other programs have the worker's CPU")
        self.assertIn(self.named(finding), (NO_CPU["worker"], "the CPU quota was used up"))

    def test_a_quota(self):
        try:
            group = self.limited_group()
        except OSError as trouble:
            self.skipTest(f"no control group with a CPU quota may be made here: {trouble}")
        cpu = max(os.sched_getaffinity(0))
        engine = self.start(f"cpu{cpu}")
        (group / "cgroup.procs").write_text(str(engine.pid))
        self.addCleanup(lambda: (engine.stdin.close(), engine.wait()))
        self.assertEqual(self.named(self.found_by(self.doctor(engine.pid))), "the CPU quota was used up")

    def test_the_console_has_the_same_words(self):
        counters = self.path("directory")
        os.mkdir(counters)
        self.engine(os.path.join(counters, "detent.1.0"), "late", "loop")
        _, port = self.serve(DETENT, "console", "--counters", counters, "--listen", "127.0.0.1:0")
        answers = [f"Why: {why}" for why in ("poll() was called late", NO_CPU["loop"])]
        page = ""
        for _ in range(300):
            page = html.unescape(self.ask(port)[1])
            if (said := next((each for each in answers if each in page), None)) is not None:
                break
            time.sleep(0.2)
        self.assertIsNotNone(said, page)
        self.assertIn(f"What helps: {TABLE[said.removeprefix('Why: ')]}.", page)


if __name__ == "__main__":
    run_tests()
