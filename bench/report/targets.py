# SPDX-License-Identifier: MIT
"""What detent sets out to reach, as ratios of figures of one run, and whether a run reached it."""
from dataclasses import dataclass
from typing import Callable

import against_record
from comparison import Comparison
from programs import Programs
from series import Series, figure


@dataclass(frozen=True)
class Results:
    """All that one run measured; `against` is the record of two builds run by turns, or None."""
    compared: Comparison
    own: Programs
    against: against_record.Record | None = None

    def pair(self, system, live, producers=1, what="wall", work="pair"):
        return self.compared.series(system, work, f"pair_{what}_ns", live=live, producers=producers)

    def floor(self, what):
        return self.compared.series("floor", "floors", what)

    def late(self, system, what):
        return self.compared.series(system, "lateness", what)

    def above_spin(self, system, what):
        return self.late(system, what) - self.late("floor-spin", what)

    def fire(self, system, timers):
        return self.compared.series(system, "fire", "timer_cpu_ns", timers=timers)

    def by_live(self, benchmark, what="thread_ns"):
        return self.own.series("pair_by_live", benchmark, what)

    def flood(self, benchmark, what):
        return self.own.series("flood", f"{benchmark}/ms:3000", what)

    def poll(self, benchmark):
        return self.own.series("poll", f"{benchmark}/pending:100000", "thread_ns")

    def clock_reading(self):
        return self.own.series("poll", "floor_clock_reading", "thread_ns")

    def burst(self, timers, which):
        return self.own.series("burst", f"burst/timers:{timers}", f"{which}_us")

    def memory(self, timers):
        return self.own.series("memory_per_timer", f"memory_per_timer/{timers}", "bytes_per_timer")

    def judged_against(self, row):
        """What the bound of this row of two builds is for."""
        return self.against.judged(against_record.row_named(row)) if self.against else Series({})


@dataclass(frozen=True)
class Target:
    """`measure` says how far a run got; `limit` is the most it may be, or the least."""
    what: str
    against: str
    limit: float
    measure: Callable[[Results], Series]
    unit: str = "x"
    at_least: bool = False

    def bound(self):
        return f"{'≥' if self.at_least else '≤'} {self.limit:g} {self.unit}"

    def verdict(self, results):
        """`met`, `missed` or `not measured`, and the figure."""
        measured = self.measure(results)
        if not measured:
            return "not measured", "–"
        met = measured.median >= self.limit if self.at_least else measured.median <= self.limit
        return ("met" if met else "missed"), f"{figure(measured)} {self.unit}"


def verdicts(results, wanted):
    """(target, verdict, figure) for each, and the verdicts' counts by name."""
    rows = [(target, *target.verdict(results)) for target in wanted]
    counts = {name: sum(1 for row in rows if row[1] == name) for name in ("met", "missed", "not measured")}
    return rows, counts


def summary(counts):
    return ", ".join(f"{count} {name}" for name, count in counts.items() if count)
