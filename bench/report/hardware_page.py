# SPDX-License-Identifier: MIT
"""The runs of other machines: the files in hardware/, as `bench --report` wrote them."""
import json
from pathlib import Path

from comparison import BadRecord
from hardware import FORMAT, is_small
from markdown import cell, table
from programs import Programs
from series import figure

FOLDER = Path(__file__).resolve().parent / "hardware"

HARDWARE = """`./tools/dev bench --report` measures detent and the floors of the machine that it runs on. It takes about two minutes
and writes one file with the processor, its idle states, the clock source, the figures, and whether the worker's CPU is
isolated. Anyone may send that file. It goes into `bench/report/hardware`, and this table shows it. A small machine is
virtual, has at most four CPUs, or had no CPU for the worker alone; its host causes the tails. Unless a row says so, no
run on a machine with an isolated CPU has been sent yet."""

HEADER = ["machine", "worker's CPU", "idle states, exit", "clock", "busy, µs late p50", "p99", "bare spin p50", "p99", "sleep p50",
          "bare sleep p50", "schedule + cancel, ns", "floor", "wakes the worker, µs", "bare futex"]


def read(file):
    try:
        record = json.loads(file.read_text(encoding="utf-8"))
        if record["format"] != FORMAT:
            raise BadRecord(f"{file}: format {record['format']}, where {FORMAT} is known")
        return record["machine"], Programs(record["answers"], record["left_out"]), record["date"]
    except (OSError, ValueError, KeyError, TypeError) as problem:
        raise BadRecord(f"{file}: not a file of bench --report: {problem!r}") from problem


def _states(facts):
    open_states = [each for each in facts["idle_states"] if not each["disabled"]]
    return cell(", ".join(f"{each['name']} {each['exit_us']} µs" for each in open_states) or "not shown")


def _row(facts, programs, date):
    def of(program, benchmark, column, by):
        names = [name for name in programs.names(program) if name.startswith(benchmark)]
        return figure(programs.series(program, names[0], column) * by) if names else "–"

    small = "; small machine" if is_small(facts) else ""
    own = "any" if facts["worker_cpu"] is None else f"{facts['worker_cpu']}" + (", isolated" if facts["isolated"] else "")
    late = [of("lateness", name, column, 1e-3) for name, column in
            (("engine/busy", "p50_ns"), ("engine/busy", "p99_ns"), ("floor_spin", "p50_ns"), ("floor_spin", "p99_ns"),
             ("engine/sleep", "p50_ns"), ("floor_sleep", "p50_ns"))]
    return [cell(f"{facts['cpu']}, {facts['cpus']} CPUs, {date}{small}"), own, _states(facts), cell(facts["clock_source"] or "–"), *late,
            of("pair_by_live", "pair/oldest/live:1", "thread_ns", 1), of("pair_by_live", "floor_hand_over", "thread_ns", 1),
            of("wake_up", "asleep", "time_ns", 1e-3), of("wake_up", "floor_futex_wake", "time_ns", 1e-3)]


def section(folder=FOLDER):
    rows = [_row(*read(each)) for each in sorted(folder.glob("*.json"))]
    return ["## On other machines", HARDWARE, table(HEADER, rows) if rows else "None has been sent."]
