#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What a virtual replay of a trace must print, by a model that shares nothing with the engine: one sorted list.

usage: oracle.py TRACE [--to-end]
"""
import bisect
import gzip
import sys

LAST_INSTANT = (1 << 63) - 1
WORD = (1 << 64) - 1


class Model:
    """Pending timers as (deadline, arming order, id), kept sorted; restarting takes one out and puts it in again."""

    def __init__(self):
        self.agenda = []
        self.entry_of = {}
        self.armings = 0
        self.tally = dict.fromkeys(("scheduled", "restarted", "cancelled", "late_cancels", "fired"), 0)
        self.signature = 0

    def advance(self, now):
        due = bisect.bisect_right(self.agenda, (now, float("inf")))
        for deadline, _, timer in self.agenda[:due]:
            del self.entry_of[timer]
            self.tally["fired"] += 1
            self.signature = (self.signature * 1099511628211 + (timer ^ deadline)) & WORD
        del self.agenda[:due]

    def take_out(self, timer):
        entry = self.entry_of.pop(timer, None)
        if entry is not None:
            del self.agenda[bisect.bisect_left(self.agenda, entry)]
        return entry is not None

    def apply(self, now, op, timer, delay):
        self.advance(now)
        if op == "C":
            self.tally["cancelled" if self.take_out(timer) else "late_cancels"] += 1
        elif op in "SR":
            self.tally["restarted" if self.take_out(timer) else "scheduled"] += 1
            self.armings += 1
            entry = (min(now + delay, LAST_INSTANT), self.armings, timer)
            self.entry_of[timer] = entry
            bisect.insort(self.agenda, entry)


def expected_line(rows, to_end):
    """`rows` yields (t_ns, op, id, delay_ns)."""
    model, span = Model(), 0
    for at, op, timer, delay in rows:
        model.apply(at, op, timer, delay)
        span = at
    pending = len(model.agenda)
    if to_end:
        model.advance(LAST_INSTANT)
    counts = " ".join(f"{name}={count}" for name, count in model.tally.items())
    return f"{counts} pending_at_last_row={pending} order_signature={model.signature:016x} span_ns={span}"


def rows_of(path):
    with (gzip.open if path.endswith(".gz") else open)(path, "rt", encoding="ascii") as trace:
        next(trace)
        for line in trace:
            if line.startswith("#"):
                continue
            now, op, timer, delay, _ = line.rstrip("\n").split(",")
            yield int(now), op, int(timer), int(delay or 0)


if __name__ == "__main__":
    if len(sys.argv) not in (2, 3) or sys.argv[2:] not in ([], ["--to-end"]):
        sys.exit(__doc__.split("\n\n")[1])
    print(expected_line(rows_of(sys.argv[1]), len(sys.argv) == 3))
