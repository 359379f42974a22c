# SPDX-License-Identifier: MIT
"""What two builds are compared by: what is run on both, the figure that each row takes from it, and its bound."""
from dataclasses import dataclass
from typing import Callable

FLOOR_CLOCK = "floor_clock_reading"


@dataclass(frozen=True)
class Work:
    """What is run once a round on either side. A `pattern` makes it a program on Google Benchmark, a `request` one that
    speaks the protocol of bench/peers; else it is the program whose instructions callgrind counts."""
    name: str
    program: str
    pattern: str = ""
    request: str = ""
    seconds: float = 0.1
    rounds: int = 7


WORKS = (
    Work("pair", "bench_pair_by_live", r"^(floor_hand_over/|pair/oldest/live:1/|pair_after/.*/live:(1|100000)/)"),
    Work("pair-5m", "bench_pair_by_live", r"^(floor_pair_through_handle|pair/any)/live:5000000/", rounds=5),
    Work("fire", "bench_fire_cost", r"^fire/tick_1ms_prefault/"),
    Work("hashed", "bench_fire_cost", r"^fire/tick_1ms_prefault_hashed/", rounds=5),
    Work("burst", "bench_burst", r"/timers:(10000|1000000)/"),
    Work("aged", "bench_aged", r"^aged/live:100000/", rounds=3),
    Work("heartbeat", "bench_heartbeat", ".", rounds=5),
    Work("calls", "peers/bench_peer_detent", request="calls live=10000 milliseconds=1500", rounds=10),
    Work("busy", "bench_lateness", r"^(floor_spin|engine/busy)/", rounds=5),
    Work("hybrid", "bench_lateness", r"^engine/hybrid/", rounds=20),
    Work("poll", "bench_poll", r"^floor|^(next_deadline|nothing_due_wake_fd_open)/pending:100000$", rounds=5),
    Work("memory", "bench_memory_per_timer", "000000/", rounds=1),
    Work("wheel", "bench_wheel_expire", r"^hierarchical/uniform/"),
    Work("instructions", "instructions/detent_instructions", rounds=1),
)


@dataclass(frozen=True)
class Row:
    """`figure` takes a `Side`. The bound holds for the ratio of the two sides, or for this side's figure alone."""
    name: str
    works: tuple
    what: str
    unit: str
    figure: Callable
    limit: float | None = None
    of_ratio: bool = True

    def bound(self):
        if self.limit is None:
            return "–"
        return f"≤ {self.limit:g} x" if self.of_ratio else f"≤ {self.limit:g} {self.unit}"


def _of(work, benchmark, what):
    return lambda side: side.series(work, benchmark, what)


def _by(work, benchmark, floor, what="thread_ns"):
    return lambda side: side.series(work, benchmark, what) / side.series(work, floor, what)


def _above_spin(work, benchmark, what):
    """The floor's rounds need not be as many: it is the same in all."""
    def figure(side):
        floor = side.series("busy", "floor_spin/ms:3000", what)
        return side.series(work, benchmark, what) - floor.median if floor else floor
    return figure


def _call(name):
    return Row(f"call-{name}", ("calls",), f"{name}, a single call beside a hybrid worker: p99.99", "ns",
               _of("calls", "calls", f"{name.removesuffix('_at')}_p9999_ns"), 1)


def _burst(timers, which, limit, of_ratio):
    return Row(f"burst-{which}-{timers}", ("burst",), f"{which} callback of {timers:,} due at one instant, late", "µs",
               _of("burst", f"burst/timers:{timers}", f"{which}_us"), limit, of_ratio)


HYBRID, BUSY = "engine/hybrid/ms:3000", "engine/busy/ms:3000"
ROWS = (
    Row("pair-1", ("pair",), "schedule_after + cancel, 1 live, default options: CPU of the process", "ns",
        _of("pair", "pair_after/oldest/live:1", "cpu_ns"), 0.6),
    Row("pair-100k-oldest", ("pair",), "the same, 100,000 live, the oldest goes", "ns",
        _of("pair", "pair_after/oldest/live:100000", "cpu_ns"), 0.75),
    Row("pair-100k-random", ("pair",), "the same, 100,000 live, any goes", "ns",
        _of("pair", "pair_after/any/live:100000", "cpu_ns"), 0.75),
    Row("pair-5m-random", ("pair-5m",), "schedule_at + cancel, 5 million live, any goes, by the bare loop through handles",
        "x", _by("pair-5m", "pair/any/live:5000000", "floor_pair_through_handle/live:5000000"), 1.7, False),
    Row("pair-deadline", ("pair",), "schedule_at + cancel, 1 live, by the bare hand-over", "x",
        _by("pair", "pair/oldest/live:1", "floor_hand_over"), 1.7, False),
    Row("fire", ("fire",), "2,000,000 fired at tick 1 ms, prefaulted: CPU of the process a timer", "ns",
        _of("fire", "fire/tick_1ms_prefault/timers:2000000", "cpu_ns"), 0.65),
    Row("hashed", ("hashed",), "the same with the hashed wheel of 512 slots", "ns",
        _of("hashed", "fire/tick_1ms_prefault_hashed/timers:2000000", "cpu_ns")),
    _burst(10_000, "first", 20, False),
    _burst(1_000_000, "first", 50, False),
    _burst(10_000, "last", 1.05, True),
    _burst(1_000_000, "last", 1.05, True),
    Row("aged", ("aged",), "pair, 100,000 live, after 2 million fired in random order, by a fresh engine's", "x",
        _of("aged", "aged/live:100000", "ratio"), 1.3, False),
    Row("heartbeat", ("heartbeat",), "a run of 200,000 periodic timers of 1 s at tick 1 ms: CPU of the process", "ns",
        _of("heartbeat", "alone", "cpu_ns"), 0.6),
    Row("heartbeat-groups", ("heartbeat",), "the same in 1,000 groups", "ns",
        _of("heartbeat", "in_1000_groups", "cpu_ns"), 0.6),
    _call("schedule_at"), _call("cancel"), _call("restart_at"),
    Row("hybrid-p50", ("hybrid", "busy"), "hybrid: p50 above a bare spin", "ns", _above_spin("hybrid", HYBRID, "p50_ns"),
        120, False),
    Row("hybrid-p90", ("hybrid", "busy"), "hybrid: p90 above a bare spin", "ns", _above_spin("hybrid", HYBRID, "p90_ns"),
        700, False),
    Row("hybrid-p99", ("hybrid",), "hybrid: p99", "ns", _of("hybrid", HYBRID, "p99_ns"), 1),
    Row("hybrid-cpu", ("hybrid",), "hybrid: the worker's thread, of one CPU", "%", _of("hybrid", HYBRID, "worker_percent"),
        8, False),
    Row("busy-p50", ("busy",), "busy: p50 above a bare spin", "ns", _above_spin("busy", BUSY, "p50_ns"), 80, False),
    Row("busy-p90", ("busy",), "busy: p90 above a bare spin", "ns", _above_spin("busy", BUSY, "p90_ns")),
    Row("busy-p99", ("busy",), "busy: p99", "ns", _of("busy", BUSY, "p99_ns")),
    Row("next-deadline", ("poll",), "next_deadline(), 100,000 pending, in clock readings", "x",
        _by("poll", "next_deadline/pending:100000", FLOOR_CLOCK), 2.7, False),
    Row("poll-fd", ("poll",), "poll() with wake_fd open, 100,000 pending, in clock readings", "x",
        _by("poll", "nothing_due_wake_fd_open/pending:100000", FLOOR_CLOCK), 4, False),
    Row("memory-1m", ("memory",), "resident bytes of a pending timer, 1,000,000 of them", "bytes",
        _of("memory", "memory_per_timer/1000000", "bytes_per_timer"), 66, False),
    Row("memory-50m", ("memory",), "the same, 50,000,000 of them", "bytes",
        _of("memory", "memory_per_timer/50000000", "bytes_per_timer"), 66, False),
    Row("wheel", ("wheel",), "the wheel alone: insert + expire of a million, a timer", "ns",
        _of("wheel", "hierarchical/uniform/timers:1000000", "time_ns"), 0.9),
    Row("instructions", ("instructions",), "instructions of the driver to drain and fire a timer", "instructions",
        lambda side: side.series("instructions", "drain", "count") + side.series("instructions", "fire", "count"),
        700, False),
)
