# SPDX-License-Identifier: MIT
"""What the plots show of the results. How it is drawn is said in shapes.py."""
from dataclasses import dataclass

from comparison import is_floor, is_own

LEAST_MICROSECONDS = 0.01  # what is earlier cannot be drawn on a logarithmic scale
LATENESS = ("p50", "p50_ns"), ("p90", "p90_ns"), ("p99", "p99_ns"), ("p99.9", "p999_ns")
CALLS = (("p50", "p50"), ("p90", "p90"), ("p99", "p99"), ("p99.9", "p999"), ("p99.99", "p9999"))


@dataclass(frozen=True)
class Lines:
    """A curve for each system. `marks` name the places 0, 1, ... across; without them that axis is logarithmic. `floor`
    has values that hold for all of it, and their names."""
    across: str
    up: str
    curves: dict[str, list[tuple[float, float]]]
    marks: tuple[str, ...] = ()
    floor: tuple[tuple[float, str], ...] = ()


@dataclass(frozen=True)
class Points:
    """A point for each system."""
    across: str
    up: str
    points: dict[str, tuple[float, float]]


@dataclass(frozen=True)
class Rows:
    """A row for each system, with a dot for each of `marks`."""
    across: str
    marks: tuple[str, ...]
    rows: dict[str, list[float]]


@dataclass(frozen=True)
class Bars:
    """A bar for each system."""
    bars: dict[str, float]


def kind_of(system):
    return "own" if is_own(system) else "floor" if is_floor(system) else "rival"


def _microseconds(series):
    return max(series.median / 1e3, LEAST_MICROSECONDS)


def _by_median(results):
    return sorted(results.compared.who_did("lateness"), key=lambda s: results.late(s, "p50_ns").median)


def cpu_against_lateness(results):
    """What punctuality costs."""
    return Points("median lateness, µs", "CPU of the whole process, % of one",
                  {s: (_microseconds(results.late(s, "p50_ns")), results.late(s, "cpu_percent").median)
                   for s in _by_median(results)})


def throughput(results):
    """Pairs a second by live timers."""
    compared = results.compared
    curves = {}
    for system in compared.who_did("pair", producers=1):
        pairs = ((live, results.pair(system, live)) for live in compared.requests("pair", "live"))
        if curve := [(live, 1e3 / pair.median) for live, pair in pairs if pair]:
            curves[system] = curve
    floor = results.floor("composite_ns") + results.floor("clock_ns")
    return Lines("live timers", "million schedule + cancel a second, one producer", curves,
                 floor=((1e3 / floor.median, "floor, steady clock"),) if floor else ())


def calls(results):
    """How long schedule_at takes its caller, by percentile."""
    compared = results.compared
    curves = {}
    for system in compared.who_did("calls"):
        took = [compared.series(system, "calls", f"schedule_{suffix}_ns") for _, suffix in CALLS]
        curves[system] = [(place, max(each.median, 1)) for place, each in enumerate(took)]
    return Lines("share of the calls that took no longer", "ns a call of schedule_at", curves,
                 marks=tuple(name for name, _ in CALLS))


def lateness(results):
    """Percentiles by system, the most punctual first."""
    return Rows("µs after the deadline", tuple(name for name, _ in LATENESS),
                {s: [_microseconds(results.late(s, what)) for _, what in LATENESS] for s in _by_median(results)})


def memory(results):
    """Bytes a timer, the least first."""
    sizes = {s: results.compared.series(s, "memory", "bytes").median for s in results.compared.who_did("memory")}
    return Bars(dict(sorted(sizes.items(), key=lambda each: each[1])))


# File name, title, the work that it is about, and what it shows.
ALL = (
    ("cpu-against-lateness", "CPU against lateness, 1,000 timers a second", "lateness", cpu_against_lateness),
    ("throughput", "Schedule and cancel by live timers", "pair", throughput),
    ("calls", "The tail of single calls, beside a thread that fires", "calls", calls),
    ("lateness", "Lateness by percentile, 1,000 timers a second", "lateness", lateness),
    ("memory", "Resident bytes of a pending timer", "memory", memory),
)
