#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs the measuring programs of two builds by turns and says how they compare, row by row.

Both sides do a work right after one another, and the one that begins changes from round to round; ratios are taken round
by round. What only shortens the run, --rounds and --only, leaves the record of the last whole one alone.
"""
import argparse
import json
import subprocess
import sys
import time
from datetime import datetime, timezone
from pathlib import Path

sys.dont_write_bytecode = True  # a run leaves the sources as they are
import against_record
from against_rows import ROWS, WORKS
from programs import NANOSECONDS, TIMES, plain_name

ROOT = Path(__file__).resolve().parents[2]
PATIENCE = 120  # seconds for one work on one side
NOT_FIGURES = {"family_index", "per_family_instance_index", "repetitions", "repetition_index", "threads", "iterations",
               "real_time", "cpu_time"}


class Failed(Exception):
    """A side did not answer; why, in one line."""


def _output(command, **options):
    try:
        done = subprocess.run([str(each) for each in command], capture_output=True, text=True, timeout=PATIENCE,
                              check=False, **options)
    except subprocess.TimeoutExpired as late:
        raise Failed(f"no answer within {PATIENCE} s") from late
    except OSError as problem:
        raise Failed(f"{command[0]}: {problem.strerror}") from problem
    if done.returncode != 0:
        raise Failed((done.stderr.strip().splitlines() or [f"ended with {done.returncode}"])[-1])
    return done.stdout


def benchmark_figures(text):
    """(benchmark, figures) of Google Benchmark's JSON; thread_ns is the CPU time of the thread that called."""
    for each in json.loads(text)["benchmarks"]:
        name = plain_name(each["run_name"])
        if each.get("error_occurred"):
            raise Failed(f"{name}: {each.get('error_message', 'no reason given')}")
        figures = {what: value for what, value in each.items()
                   if isinstance(value, (int, float)) and not isinstance(value, bool) and what not in NOT_FIGURES}
        unit = NANOSECONDS[each["time_unit"]]
        yield name, {**figures, **{what: each[said] * unit for what, said in TIMES.items()}}


def request_figures(text, work):
    answer = json.loads(text.splitlines()[-1])
    if "error" in answer:
        raise Failed(str(answer["error"]))
    yield work, {what: value for what, value in answer.items() if isinstance(value, (int, float))}


def instruction_figures(text):
    for name, count in json.loads(text)["instructions"].items():
        yield name, {"count": count}


def ask(work, programs):
    """(benchmark, figures) for each that `work` consists of, from the build with these programs."""
    program = programs / work.program
    if work.pattern:
        return list(benchmark_figures(_output([program, f"--benchmark_filter={work.pattern}", "--benchmark_format=json",
                                               f"--benchmark_min_time={work.seconds}"])))
    if work.request:
        return list(request_figures(_output([program, "detent"], input=f"{work.request}\nquit\n"), work.name))
    return list(instruction_figures(_output([sys.executable, ROOT / "bench/instructions/instructions.py", "--json",
                                             "--program", program])))


def measure(works, sides, rounds, say):
    """(answers, failures). `sides`: the directory of the programs by side. A work that fails is not tried again."""
    answers, failures, given_up = [], [], set()
    for number in range(1, max(rounds(work) for work in works) + 1):
        for work in works:
            if number > rounds(work):
                continue
            for side in sorted(sides, reverse=number % 2 == 0):
                if (work.name, side) in given_up:
                    continue
                say(f"round {number} of {rounds(work)}: {work.name}, {side}")
                try:
                    answers += [{"side": side, "work": work.name, "benchmark": benchmark, "round": number,
                                 "figures": figures} for benchmark, figures in ask(work, sides[side])]
                except (Failed, ValueError, KeyError, IndexError) as problem:
                    given_up.add((work.name, side))
                    failures.append([side, work.name, str(problem)])
    return answers, failures


def arguments():
    parser = argparse.ArgumentParser(prog="against.py", allow_abbrev=False, description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--this", type=Path, required=True, metavar="DIR", help="this tree's build, build/gcc/bench")
    parser.add_argument("--other", type=Path, required=True, metavar="DIR", help="the other's, with the same programs")
    parser.add_argument("--names", nargs=2, required=True, metavar=("THIS", "OTHER"), help="what the two are called")
    parser.add_argument("--rounds", type=int, metavar="N", help="of each work (default: by the work, 1 to 20)")
    parser.add_argument("--only", nargs="+", metavar="ROW", choices=[row.name for row in ROWS],
                        help="these rows alone: " + ", ".join(row.name for row in ROWS))
    wanted = parser.parse_args()
    if wanted.rounds is not None and wanted.rounds < 1:
        parser.error(f"--rounds {wanted.rounds}: give 1 or more")
    return wanted


def main():
    wanted = arguments()
    rows = [row for row in ROWS if not wanted.only or row.name in wanted.only]
    works = [work for work in WORKS if any(work.name in row.works for row in rows)]
    began = time.monotonic()
    answers, failures = measure(
        works, {"this": wanted.this, "other": wanted.other}, lambda work: wanted.rounds or work.rounds,
        lambda what: print(f"[{time.monotonic() - began:5.0f} s] {what}", file=sys.stderr, flush=True))
    facts = {"this": wanted.names[0], "other": wanted.names[1], "seconds": round(time.monotonic() - began),
             "date": datetime.now(timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")}
    record = against_record.Record(facts, answers, failures)
    whole = wanted.rounds is None and not wanted.only
    directory = ROOT / "build/against"
    directory.mkdir(parents=True, exist_ok=True)
    path = directory / ("record.json" if whole else "part.json")
    record.write(path)
    print(f"{against_record.table(record, rows)}\n\nTook {facts['seconds']} s. Record: {path}")
    for side, work, why in failures:
        print(f"against.py: {work}, {side}: {why}", file=sys.stderr)


if __name__ == "__main__":
    main()
