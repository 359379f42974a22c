# SPDX-License-Identifier: MIT
"""The targets. Those against the earlier build are the bounds of the rows of against_rows.py."""
import against_record
from targets import Target


def _earlier(row):
    said = against_record.row_named(row)
    return Target(said.what, "the earlier build" if said.of_ratio else "in both builds' run", said.limit,
                  lambda r: r.judged_against(row), "x" if said.of_ratio else said.unit)


PAIRS = (
    _earlier("pair-1"), _earlier("pair-100k-oldest"), _earlier("pair-100k-random"),
    Target("schedule_after + cancel, 1 live: rate by CPU", "Netty", 2.5,
           lambda r: r.pair("netty", 1, what="cpu") / r.pair("detent", 1, what="cpu"), at_least=True),
    Target("schedule_at + cancel, 100,000 live: CPU", "Netty", 0.35,
           lambda r: r.pair("detent", 100_000, what="cpu", work="pair_at") / r.pair("netty", 100_000, what="cpu")),
    Target("schedule_at + cancel of any, 5 million live", "the bare loop through the same handles", 1.7,
           lambda r: r.by_live("pair/any/live:5000000") / r.by_live("floor_pair_through_handle/live:5000000")),
    Target("schedule_at + cancel, 1 live", "the bare hand-over", 1.7,
           lambda r: r.by_live("pair/oldest/live:1") / r.by_live("floor_hand_over")),
    Target("2 producers: rate of both", "1 producer", 1, lambda r: r.pair("detent", 1) / r.pair("detent", 1, 2),
           at_least=True),
    Target("2 producers: rate of both", "Netty's", 3, lambda r: r.pair("netty", 1, 2) / r.pair("detent", 1, 2),
           at_least=True),
    Target("4 producers: rate of all", "1 producer", 1, lambda r: r.pair("detent", 1) / r.pair("detent", 1, 4),
           at_least=True),
    Target("4 producers: rate of all", "Netty's", 3, lambda r: r.pair("netty", 1, 4) / r.pair("detent", 1, 4),
           at_least=True),
    Target("pair, 100,000 live, after 2 million fired in random order", "a fresh engine, producer's CPU", 1.3,
           lambda r: r.own.series("aged", "aged/live:100000", "ratio")),
    _earlier("call-schedule_at"), _earlier("call-cancel"), _earlier("call-restart_at"),
    Target("restart to a later deadline", "a 16-byte exchange", 2,
           lambda r: r.own.series("restart", "later/oldest/live:1") / r.own.series("restart", "floor_exchange_16")),
)
FIRING = (
    _earlier("fire"),
    Target("2,000,000 fired at tick 1 ms: CPU of the process", "Netty", 0.4,
           lambda r: r.fire("detent-tick1ms", 2_000_000) / r.fire("netty", 2_000_000)),
    Target("the same with the hashed wheel of 512 slots", "Netty", 0.7,
           lambda r: r.fire("detent-hashed", 2_000_000) / r.fire("netty", 2_000_000)),
    Target("first callback of 10,000 due at one instant", "after the deadline", 20, lambda r: r.burst(10_000, "first"),
           unit="µs"),
    Target("first callback of 1,000,000 due at one instant", "after the deadline", 50,
           lambda r: r.burst(1_000_000, "first"), unit="µs"),
    _earlier("burst-last-10000"), _earlier("burst-last-1000000"),
    _earlier("heartbeat"), _earlier("heartbeat-groups"),
    _earlier("instructions"),
    _earlier("wheel"),
    Target("the wheel alone: insert + expire", "Boost.Asio's heap", 0.3,
           lambda r: r.own.series("wheel_expire", "hierarchical/uniform/timers:1000000")
           / r.own.series("wheel_expire", "asio_heap/uniform/timers:1000000")),
)
LATENESS = (
    Target("hybrid: p50 lateness", "above the bare spin's", 120, lambda r: r.above_spin("detent", "p50_ns"), unit="ns"),
    Target("hybrid: p90 lateness", "above the bare spin's", 0.7, lambda r: r.above_spin("detent", "p90_ns") / 1e3,
           unit="µs"),
    _earlier("hybrid-p99"),
    Target("hybrid: p99 lateness", "bare clock_nanosleep", 1.1,
           lambda r: r.late("detent", "p99_ns") / r.late("floor-sleep", "p99_ns")),
    Target("hybrid: the worker's thread", "of one CPU", 8, lambda r: r.late("detent", "others_percent"), unit="%"),
    Target("busy: p50 lateness", "above the bare spin's", 80, lambda r: r.above_spin("detent-busy", "p50_ns"), unit="ns"),
    Target("sleep: p50 lateness", "bare clock_nanosleep", 1.1,
           lambda r: r.late("detent-sleep", "p50_ns") / r.late("floor-sleep", "p50_ns")),
    Target("sleep: CPU of the worker's thread", "bare clock_nanosleep", 1.25,
           lambda r: r.late("detent-sleep", "others_percent") / r.late("floor-sleep", "cpu_percent")),
    Target("p50 lateness beside a flood of far timers", "alone", 3,
           lambda r: r.flood("flood_behind", "p50_ns") / r.flood("alone", "p50_ns")),
    Target("p50 lateness beside a flood of earliest timers", "alone", 3,
           lambda r: r.flood("flood_ahead", "p50_ns") / r.flood("alone", "p50_ns")),
    Target("the worker's part of the lateness beside a flood of far timers", "p99", 3,
           lambda r: r.flood("flood_behind", "late_worker_p99_ns") / 1e3, unit="µs"),
    Target("the worker's part of the lateness beside a flood of earliest timers", "p99", 3,
           lambda r: r.flood("flood_ahead", "late_worker_p99_ns") / 1e3, unit="µs"),
)
REST = (
    Target("next_deadline(), 100,000 pending", "a clock reading", 2.7, lambda r: r.poll("next_deadline") / r.clock_reading()),
    Target("poll() with wake_fd open, 100,000 pending", "a clock reading", 4,
           lambda r: r.poll("nothing_due_wake_fd_open") / r.clock_reading()),
    Target("poll() with nothing due, 100,000 pending", "above a clock reading", 16,
           lambda r: r.poll("nothing_due") - r.clock_reading(), unit="ns"),
    Target("memory of a pending timer, 1,000,000 of them", "24 bytes captured", 66, lambda r: r.memory(1_000_000),
           unit="bytes"),
    Target("the same, 50,000,000 of them", "24 bytes captured", 66, lambda r: r.memory(50_000_000), unit="bytes"),
)
ALL = PAIRS + FIRING + LATENESS + REST
