#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs the same works on detent and its rivals, side by side, and prints a JSON line for each measurement.

README.md says what the lines mean.

The build copies this program beside the systems: systems.txt and children/children.txt list them, facts.json says how they
were compiled.
"""
import argparse
import collections
import contextlib
import ctypes
import datetime
import json
import os
import platform
import select
import signal
import subprocess
import sys
import time
from pathlib import Path

from plan import PLANS, WORKS, implausible

HERE = Path(__file__).resolve().parent
PATIENCE, TIME_TO_QUIT = 120, 3  # seconds
DIES_WITH_ITS_PARENT = 1  # prctl's name of it is PR_SET_PDEATHSIG
LIBC = ctypes.CDLL(None)


class ChildFailed(Exception):
    """The process ended early, did not answer in time, or answered something else than JSON; what it did, in one line."""


class Child:
    """One system in a process group of its own, spoken to line by line."""

    def __init__(self, command):
        self._unread = b""
        self._process = subprocess.Popen(["/bin/sh", "-c", f"exec {command}"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                         bufsize=0, preexec_fn=self._begin)
        try:
            self.introduction = self._read_line()
        except ChildFailed:
            self.end()
            raise

    @staticmethod
    def _begin():
        os.setpgid(0, 0)
        LIBC.prctl(DIES_WITH_ITS_PARENT, signal.SIGKILL)

    def ask(self, request):
        """After ChildFailed it cannot be used any more."""
        try:
            self._process.stdin.write(f"{request}\n".encode())
        except OSError as problem:
            raise ChildFailed(f"it does not listen: {problem.strerror}") from problem
        return self._read_line()

    def signal(self, which):
        """Stops the process by SIGSTOP, so that it uses no CPU until SIGCONT. If it has ended, the next request says so."""
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self._process.pid, which)

    def end(self):
        """It quits at the end of its input, or is killed."""
        if self._process.poll() is None:
            self.signal(signal.SIGCONT)
        self._process.stdin.close()
        try:
            self._process.wait(TIME_TO_QUIT)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._process.stdout.close()

    def _read_line(self):
        until = time.monotonic() + PATIENCE
        while b"\n" not in self._unread:
            left = until - time.monotonic()
            if left <= 0 or not select.select([self._process.stdout], [], [], left)[0]:
                raise ChildFailed(f"no answer within {PATIENCE} s")
            piece = self._process.stdout.read(65536)
            if not piece:
                raise ChildFailed("it ended without an answer")
            self._unread += piece
        line, _, self._unread = self._unread.partition(b"\n")
        try:
            said = json.loads(line)
        except ValueError:
            said = None
        if not isinstance(said, dict):
            raise ChildFailed(f"it said what is not a JSON object: {line[:80].decode(errors='replace')}")
        return said


class Rival:
    """A system. One that `stays` is started once, because it must warm up, and stopped while others are measured; any
    other is started for each request."""

    def __init__(self, name, command, stays):
        self.name, self._stays, self._child = name, stays, None
        self.skipped = command.removeprefix("skipped: ") if command.startswith("skipped: ") else ""
        self._command = command
        program = Path(command.split()[0])
        if not self.skipped and program.is_absolute() and not program.exists():
            self.skipped = f"{program} is not built (targets detent_peers and bench_children)"

    def meet(self):
        """What it says of itself, and what it does."""
        if self.skipped:
            return
        child = Child(self._command)
        said = child.introduction
        if not self._stays or "skipped" in said or "error" in said:
            child.end()
        else:
            self._child = child
            child.signal(signal.SIGSTOP)
        if "error" in said:
            raise ChildFailed(said["error"])
        self.skipped = said.get("skipped", "")
        self.version, self.how = said.get("version", ""), said.get("how", "")
        self.listed_its_works = "works" in said
        self.works = said.get("works", ["pair", "fire", "lateness", "memory"])

    def ask(self, request):
        child = self._child or Child(self._command)
        self._child = None  # where it fails, another one takes its place
        try:
            if self._stays:
                child.signal(signal.SIGCONT)
            answer = child.ask(request)
        except ChildFailed:
            child.end()
            raise
        if self._stays:
            child.signal(signal.SIGSTOP)
            self._child = child
        else:
            child.end()
        return answer

    def end(self):
        if self._child:
            self._child.end()


def machine():
    cpu = next((line.split(":", 1)[1].strip() for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
                if line.startswith("model name")), "unknown")
    return {"cpu": cpu, "cores": os.cpu_count(), "kernel": f"{platform.system()} {platform.release()} {platform.machine()}",
            "load": os.getloadavg()[0], **json.loads((HERE / "facts.json").read_text(encoding="utf-8")),
            "date": f"{datetime.datetime.now(datetime.timezone.utc):%Y-%m-%dT%H:%M:%SZ}"}


class Comparison:
    """Goes task by task. The systems run right after one another, and the first one changes from round to round."""

    def __init__(self, rivals, tasks, out):
        self._rivals, self._tasks, self._out = rivals, tasks, out
        self._refused, self._began = set(), time.monotonic()
        self._by_work, self._by_system = collections.Counter(), collections.Counter()
        self.failures = 0  # each has a line on stderr; a system that refuses a work does not fail

    def run(self, rounds):
        self._write({"machine": machine()})
        ready = collections.deque(each for each in self._rivals if self._introduce(each))
        for number in range(1, rounds + 1):
            for task in self._tasks:
                if number <= task.rounds:
                    for rival in ready:
                        self._run_task(rival, task, number)
            ready.rotate(-1)
        for each in ready:
            each.end()
        self._write({"finished": {"seconds": time.monotonic() - self._began, "by_work": self._by_work,
                                  "by_system": self._by_system}})

    def _introduce(self, rival):
        began = time.monotonic()
        try:
            rival.meet()
        except ChildFailed as problem:
            self._failed(rival, str(problem))
            return False
        self._by_system[rival.name] += time.monotonic() - began
        if rival.skipped:
            self._write({"system": rival.name, "skipped": rival.skipped})
        else:
            self._write({"system": rival.name, "version": rival.version, "how": rival.how})
        return not rival.skipped

    def _run_task(self, rival, task, number):
        meant = not task.only or rival.name in task.only
        if not meant or task.work not in rival.works or (rival.name, task.request()) in self._refused:
            return
        began = time.monotonic()
        said = self._measure(rival, task)
        self._write({"system": rival.name, "version": rival.version, "work": task.work, **task.numbers, "round": number, **said})
        self._by_work[task.work] += time.monotonic() - began
        self._by_system[rival.name] += time.monotonic() - began

    def _measure(self, rival, task):
        try:
            answer = rival.ask(task.request())
            if "error" in answer and rival.listed_its_works:
                raise ChildFailed(str(answer["error"]))
        except ChildFailed as problem:
            self._failed(rival, f"{task.request()}: {problem}")
            answer = {"error": str(problem)}
        if "error" in answer:
            self._refused.add((rival.name, task.request()))
        elif problem := implausible(task, answer):
            self._failed(rival, f"{task.request()}: {problem}: {json.dumps(answer)}")
            answer["error"] = f"implausible: {problem}"
        return answer

    def _failed(self, rival, why):
        self.failures += 1
        print(f"bench_peers: {rival.name}: {why}", file=sys.stderr)

    def _write(self, said):
        print(json.dumps(said), file=self._out, flush=True)


def all_rivals():
    for file, stays in ((HERE / "systems.txt", False), (HERE / "children/children.txt", True)):
        for line in file.read_text(encoding="utf-8").splitlines():
            yield Rival(*line.split("\t"), stays)


def arguments():
    def names(text):
        return text.split(",")

    parser = argparse.ArgumentParser(prog="bench_peers", allow_abbrev=False, description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--systems", type=names, metavar="NAME,...", help="only these")
    parser.add_argument("--works", type=names, metavar="WORK,...", help=f"only these: {', '.join(WORKS)}")
    parser.add_argument("--rounds", type=int, default=5, metavar="N",
                        help="how often each system does each work; fire, lateness and calls at most 3 times, memory once")
    parser.add_argument("--timers", type=int, metavar="N", help="how many timers fire schedules")
    size = parser.add_mutually_exclusive_group()
    size.add_argument("--quick", action="store_true", help="one small round")
    size.add_argument("--smoke", action="store_true", help="one tiny round, to see that everything works")
    parser.add_argument("--list", action="store_true", help="name the systems and end")
    parser.add_argument("--output", type=argparse.FileType("w"), default=sys.stdout, metavar="FILE", help="the JSON lines go there")
    return parser, parser.parse_args()


def main():
    parser, wanted = arguments()
    rivals = {each.name: each for each in all_rivals()}
    for kind, given, known in (("system", wanted.systems, rivals), ("work", wanted.works, WORKS)):
        for name in given or ():
            if name not in known:
                parser.error(f"no {kind} '{name}'; there are {', '.join(known)}")
    chosen = [each for each in rivals.values() if not wanted.systems or each.name in wanted.systems]
    if wanted.list:
        for each in chosen:
            print(each.name + (f" (skipped: {each.skipped})" if each.skipped else ""))
        return 0
    tasks = [each for each in PLANS["smoke" if wanted.smoke else "quick" if wanted.quick else "full"]
             if not wanted.works or each.work in wanted.works]
    for each in tasks:
        if each.work == "fire" and wanted.timers:
            each.numbers["timers"] = wanted.timers
    compared = Comparison(chosen, tasks, wanted.output)
    compared.run(1 if wanted.quick or wanted.smoke else wanted.rounds)
    return 0 if compared.failures == 0 else 1


if __name__ == "__main__":
    sys.exit(main())
