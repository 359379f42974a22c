# SPDX-License-Identifier: MIT
"""Runs the comparison and detent's own benchmark programs, and keeps their answers as files."""
import json
import os
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

import plan
from comparison import BadRecord
from programs import Programs


@dataclass(frozen=True)
class Size:
    """How much is run. `seconds` bounds all of it, `comparison_seconds` its greater part; `least_left` is kept for the
    page itself."""
    name: str
    comparison_options: tuple
    parts: tuple
    seconds: float
    comparison_seconds: float
    note: str = ""
    least_left: float = 3


FULL = Size("full", (), plan.FULL, 17 * 60, 13 * 60)
QUICK = Size("quick", ("--quick",), plan.QUICK, 120, 90,
             "This was a quick run: one small round shows the direction, not the figure.")


class Run:
    """One run into `directory`. Says how far it is."""

    def __init__(self, build, size, directory, say=lambda what: print(what, file=sys.stderr, flush=True), environment=()):
        self.build, self.size, self.directory = Path(build), size, Path(directory)
        self._environment = {**os.environ, **dict(environment)}
        self._print = say
        self.began = time.monotonic()
        self.comparison_file = self.directory / "comparison.jsonl"
        self.programs_file = self.directory / "programs.json"
        self.notes = [size.note] if size.note else []

    def seconds(self):
        return time.monotonic() - self.began

    def compare(self):
        """bench_peers. What it had measured by the end of its time counts, though it may not be all."""
        driver = self.build / "bench/peers/bench_peers"
        self._say("detent and its rivals, in turns")
        finished = self._start([driver, *self.size.comparison_options, "--output", self.comparison_file],
                               self.size.comparison_seconds)
        if finished is None:
            self.notes.append(f"The comparison was cut off after {self.size.comparison_seconds:.0f} s.")
            self._say(self.notes[-1])
        elif finished.returncode not in (0, 1):  # 1: a system failed, which its lines say
            raise BadRecord(f"{driver}: ended with {finished.returncode}")

    def measure_own(self):
        answers, left_out = {}, {}
        for part in self.size.parts:
            left = self.size.seconds - self.size.least_left - self.seconds()
            if left < part.takes:
                left_out[part.program] = f"no time: it takes {part.takes:.0f} s, and {max(left, 0):.0f} were left"
                continue
            self._say(part.program)
            answers[part.program] = self._answers(part, left)
        Programs(answers, left_out).write(self.programs_file)

    def _answers(self, part, left):
        output = self.directory / f"{part.program}.json"
        output.unlink(missing_ok=True)  # of an earlier run
        finished = self._start(
            [self.build / f"bench/bench_{part.program}", f"--benchmark_filter={part.benchmarks}",
             f"--benchmark_repetitions={part.rounds}", f"--benchmark_min_time={part.seconds}",
             # So benchmarks that are compared run within moments of each other.
             "--benchmark_enable_random_interleaving=true", "--benchmark_out_format=json", f"--benchmark_out={output}"],
            left, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, env=self._environment)
        if finished is None:
            return self._no_answer(part, f"cut off after {left:.0f} s")
        if finished.returncode != 0:
            # Google Benchmark also describes the machine there; the error comes last.
            said = (finished.stderr.strip().splitlines() or ["without a word"])[-1]
            return self._no_answer(part, f"ended with {finished.returncode}: {said}")
        try:
            return json.loads(output.read_text(encoding="utf-8"))["benchmarks"]
        except (OSError, ValueError, KeyError) as problem:
            return self._no_answer(part, f"no answer: {problem!r}")

    @staticmethod
    def _no_answer(part, why):
        """In the form in which Google Benchmark reports a benchmark that failed."""
        return [{"run_name": part.program, "run_type": "iteration", "error_occurred": True, "error_message": why}]

    @staticmethod
    def _start(command, seconds, **options):
        """The finished process, or None if time was up."""
        try:
            return subprocess.run([str(each) for each in command], timeout=seconds, stdin=subprocess.DEVNULL,
                                  check=False, **options)
        except subprocess.TimeoutExpired:
            return None
        except OSError as problem:
            raise BadRecord(f"{command[0]}: {problem.strerror}; is it built?") from problem

    def _say(self, what):
        self._print(f"[{self.seconds():5.0f} s] {what}")
