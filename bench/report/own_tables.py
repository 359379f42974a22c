# SPDX-License-Identifier: MIT
"""The tables of detent's own benchmark programs."""
import plan
from markdown import cell, table
from series import figure, number

TITLES = {"time_ns": "ns", "thread_ns": "CPU ns, the caller", "cpu_ns": "CPU ns, the process",
          "first_us": "first, µs late", "last_us": "last, µs late", "fresh_ns": "fresh, ns", "aged_ns": "aged, ns",
          "ratio": "aged ÷ fresh", "worst": "worst round", "bytes_per_timer": "bytes a timer",
          "late_worker_p99_ns": "p99 ns late by the worker", "p50_ns": "p50 ns", "p99_ns": "p99 ns", "pairs_a_second": "pairs/s",
          "late_p99_us": "p99 µs late", "insert_ns": "insert ns", "expire_ns": "expire ns", "cpu_us": "CPU µs",
          "per_second": "a second", "runs_a_wake_up": "runs a wake-up"}


def _beside(part, name, names):
    """The benchmark that `name` is to be compared with."""
    if part.beside in names:
        return part.beside
    same_case = "/".join([part.beside, *name.split("/")[1:]])
    if same_case in names:
        return same_case
    return next((each for each in names if each.split("/")[0] == part.beside), None) if part.beside else None


def own_table(part, programs):
    names = programs.names(part.program)
    rows = []
    for name in names:
        values = [programs.series(part.program, name, column) for column in part.columns]
        row = [f"`{cell(name)}`", *(figure(each) for each in values)]
        if part.beside:
            other = _beside(part, name, names)
            base = programs.series(part.program, other, part.columns[0]) if other else None
            row.append(number((values[0] / base).median) if base and values[0] and base.median else "–")
        rows.append(row)
    header = [part.program, *(TITLES.get(column, column) for column in part.columns)]
    return table(header + ([f"÷ {part.beside}"] if part.beside else []), rows)


def own_section(program, programs):
    """What is asked, and the table; nothing of a program that has not answered."""
    part = next(each for each in plan.FULL if each.program == program)
    return [f"{part.asks}:", own_table(part, programs)] if programs.answers.get(program) else []


def own_sections(programs, but):
    """The same of all programs but those."""
    wanted = (part.program for part in plan.FULL if part.program not in but)
    return [each for program in wanted for each in own_section(program, programs)]
