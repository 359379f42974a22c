# SPDX-License-Identifier: MIT
"""What detent sets out to reach, as ratios of figures of one run, and whether a run reached it."""
from dataclasses import dataclass
from typing import Callable

from comparison import Comparison
from programs import Programs
from series import Series, figure


@dataclass(frozen=True)
class Results:
    """All that one run measured."""
    compared: Comparison
    own: Programs

    def pair(self, system, live, producers=1, what="wall", work="pair"):
        return self.compared.series(system, work, f"pair_{what}_ns", live=live, producers=producers)

    def floor(self, what):
        return self.compared.series("floor", "floors", what)

    def late(self, system, what):
        return self.compared.series(system, "lateness", what)

    def by_live(self, benchmark):
        return self.own.series("pair_by_live", benchmark)

    def flood(self, benchmark):
        return self.own.series("flood", f"{benchmark}/ms:3000", "p99_ns")


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


def _fire_seconds(results):
    return results.compared.series("detent-tick1ms", "fire", "timer_cpu_ns") / 1e3


def _random_bound(results):
    return results.by_live("pair/any/live:1000") + results.by_live("floor_exchange_16_at_random/live:5000000") * 1.5


ALL = (
    Target("schedule_at + cancel, 1 live", "the bare hand-over", 1.5,
           lambda r: r.by_live("pair/oldest/live:1") / r.by_live("floor_hand_over")),
    Target("the same in the comparison", "its bare hand-over", 1.5,
           lambda r: r.pair("detent", 1, work="pair_at") / r.floor("composite_ns")),
    Target("schedule_after + cancel, 1 live", "1.5 bare hand-overs + 1.15 clock readings", 1,
           lambda r: r.pair("detent", 1) / (r.floor("composite_ns") * 1.5 + r.floor("clock_ns") * 1.15)),
    Target("schedule_after + cancel, 1 live: rate", "Netty", 1.8,
           lambda r: r.pair("netty", 1) / r.pair("detent", 1), at_least=True),
    Target("the same with the TSC clock", "Netty", 2.7,
           lambda r: r.pair("netty", 1) / r.pair("detent-tsc", 1), at_least=True),
    Target("schedule_at + cancel, 100,000 live: CPU", "Netty", 0.35,
           lambda r: r.pair("detent", 100_000, what="cpu", work="pair_at") / r.pair("netty", 100_000, what="cpu")),
    Target("schedule_at + cancel, 100,000 live: wall", "Netty", 0.25,
           lambda r: r.pair("detent", 100_000, work="pair_at") / r.pair("netty", 100_000)),
    Target("schedule_at + cancel of the oldest, 5 million live", "the same at 1,000 live", 2,
           lambda r: r.by_live("pair/oldest/live:5000000") / r.by_live("pair/oldest/live:1000")),
    Target("schedule_at + cancel of any, 5 million live", "1,000 live + 1.5 exchanges on random lines", 1,
           lambda r: r.by_live("pair/any/live:5000000") / _random_bound(r)),
    Target("2 producers: rate of both", "1 producer", 1, lambda r: r.pair("detent", 1) / r.pair("detent", 1, 2),
           at_least=True),
    Target("2 producers: rate of both", "Netty's", 3, lambda r: r.pair("netty", 1, 2) / r.pair("detent", 1, 2),
           at_least=True),
    Target("4 producers: rate of all", "1 producer", 1, lambda r: r.pair("detent", 1) / r.pair("detent", 1, 4),
           at_least=True),
    Target("4 producers: rate of all", "Netty's", 3, lambda r: r.pair("netty", 1, 4) / r.pair("detent", 1, 4),
           at_least=True),
    Target("restart to a later deadline", "a 16-byte exchange", 2,
           lambda r: r.own.series("restart", "later/oldest/live:1") / r.own.series("restart", "floor_exchange_16")),
    Target("firing at tick 1 ms", "CPU seconds of the whole process for a million", 0.12, _fire_seconds, unit="s"),
    Target("hybrid wait: p50 lateness", "above the bare spin's", 100,
           lambda r: r.late("detent", "p50_ns") - r.late("floor-spin", "p50_ns"), unit="ns"),
    Target("hybrid wait: CPU", "of one CPU", 8, lambda r: r.late("detent", "cpu_percent"), unit="%"),
    Target("hybrid wait: p99 lateness", "bare clock_nanosleep", 1.1,
           lambda r: r.late("detent", "p99_ns") / r.late("floor-sleep", "p99_ns")),
    Target("sleep: p50 lateness", "bare clock_nanosleep", 1.1,
           lambda r: r.late("detent-sleep", "p50_ns") / r.late("floor-sleep", "p50_ns")),
    Target("sleep: CPU", "bare clock_nanosleep", 1.25,
           lambda r: r.late("detent-sleep", "cpu_percent") / r.late("floor-sleep", "cpu_percent")),
    Target("memory of a pending timer", "24 bytes captured", 72,
           lambda r: r.compared.series("detent", "memory", "bytes"), unit="bytes"),
    Target("p99 lateness beside a flood of far timers", "alone", 3,
           lambda r: r.flood("flood_behind") / r.flood("alone")),
    Target("p99 lateness beside a flood of earliest timers", "alone", 3,
           lambda r: r.flood("flood_ahead") / r.flood("alone")),
    Target("poll() with nothing due, 100,000 pending", "a clock reading", 1.3,
           lambda r: r.own.series("poll", "nothing_due/pending:100000") / r.own.series("poll", "floor_clock_reading")),
    Target("the wheel alone: insert + expire", "Boost.Asio's heap", 0.3,
           lambda r: r.own.series("wheel_expire", "hierarchical/uniform/timers:1000000")
           / r.own.series("wheel_expire", "asio_heap/uniform/timers:1000000")),
)


def verdicts(results):
    """(target, verdict, figure) for each, and the verdicts' counts by name."""
    rows = [(target, *target.verdict(results)) for target in ALL]
    counts = {name: sum(1 for row in rows if row[1] == name) for name in ("met", "missed", "not measured")}
    return rows, counts


def summary(counts):
    return ", ".join(f"{count} {name}" for name, count in counts.items() if count)
