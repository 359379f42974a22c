# SPDX-License-Identifier: MIT
"""Which of detent's own benchmarks are run beside the comparison, for how long, and what the page shows of them."""
from dataclasses import dataclass, replace


@dataclass(frozen=True)
class Part:
    """One program. `benchmarks` is the pattern of those to run, each `rounds` times for at least `seconds`; `takes` is
    about what that is of wall time. The first of `columns` is divided by that of the benchmark `beside`, which names
    one of the program's, or only the first part of the name where each has its own."""
    program: str
    asks: str
    benchmarks: str
    columns: tuple
    beside: str
    rounds: int = 3
    seconds: float = 0.1
    takes: float = 10


# When time runs short, the last ones are left out first.
FULL = (
    Part("pair_by_live", "ns for `schedule_at` + `cancel` with `live` timers, of which the oldest or a random one is "
         "cancelled; `pair_after` uses `schedule_after`",
         r"^(floor_hand_over|floor_exchange_16)/|^floor_exchange_16_at_random/live:1000/|^pair_after/.*/live:(1|100000)/"
         r"|^floor_pair_through_handle/live:5000000/"
         r"|^pair/(oldest/live:(1|1000|100000|1000000|5000000)|any/live:(1000|100000|1000000|5000000))/",
         ("time_ns", "thread_ns", "cpu_ns"), "floor_hand_over", rounds=5, takes=32),
    Part("burst", "When the first and the last callback start if all timers are due at one instant", ".",
         ("first_us", "last_us"), "", takes=12),
    Part("aged", "The producer's CPU ns for `schedule_at` + `cancel` of the oldest, on a new engine and after 2 "
         "million timers have fired in random order", "/live:100000/", ("fresh_ns", "aged_ns", "ratio", "worst"), "", rounds=1,
         takes=20),
    Part("heartbeat", "CPU ns of the whole process for a run of one of 200,000 periodic timers of 1 s with a tick of 1 "
         "ms", ".",
         ("cpu_ns",), "", rounds=2, takes=14),
    Part("restart", "ns for a restart of a live timer, to a later deadline or by a delay",
         r"^floor_(exchange_16|clock_reading)/|^later/(oldest/live:(1|1000)|any/live:100000)/|^by_delay/oldest/live:1/",
         ("time_ns", "cpu_ns"), "floor_exchange_16", rounds=5, takes=6),
    Part("poll", "ns for `poll()` with nothing due, and for `next_deadline()`, on a caller-driven engine", r".",
         ("time_ns",), "floor_clock_reading", rounds=5, takes=10),
    Part("flood",
         "Lateness of 1,000 timers a second in busy mode, alone and beside a thread that schedules and cancels",
         r"^(alone|flood_behind|flood_ahead)/",
         ("p50_ns", "p99_ns", "late_worker_p99_ns", "pairs_a_second"), "alone", takes=30),
    Part("fire_cost", "CPU ns of the whole process for a timer, from its schedule call to the end of its callback; all "
         "are due within a second",
         r"^floor|tick_1ms_(uniform(_sleep|_pool)?|prefault(_hashed)?)/", ("cpu_ns", "late_p99_us"), "floor_sort_and_call",
         takes=26),
    Part("hand_over", "Hand-over to a pool of 1, 2 or 4 threads, a timer each 20 us or 64 of one instant: ns that the call takes "
         "on the worker, and CPU ns of the whole process, a timer", r"^(thread_pool|mutex_queue|asio_thread_pool)/",
         ("p50_ns", "p99_ns", "cpu_ns"), "mutex_queue", rounds=1, takes=45),
    Part("sleep_cost", "A sleep of one of 10,000 coroutines on an `io_context`, of 1 to 21 ms: CPU time of the whole process for "
         "one, by `steady_timer` and by `async_sleep_for` on an engine that is set up in several ways", ".",
         ("time_ns", "per_second"), "sleep/steady_timer", rounds=5, takes=20),
    Part("plain_cost", "A run of one of 10,000 timers on an `io_context`, armed again each time for 1 to 21 ms: CPU time of the "
         "whole process for one, by `steady_timer` and by an engine that is set up in several ways", ".",
         ("time_ns", "per_second"), "plain/steady_timer", rounds=5, takes=20),
    Part("limit_cost", "An operation on an `io_context` that ends in time: CPU time of the whole process for one, without a "
         "limit and with one", ".", ("time_ns",), "limit/none", rounds=5, takes=20),
    Part("loop_cost", "A run of a timer of 1 to 21 ms on an engine that an `epoll` loop drives, by the engine's tick: CPU time "
         "of the whole process for one", ".", ("time_ns", "runs_a_wake_up"), "tick_1ms", takes=5),
    Part("memory_per_timer", "Resident bytes for a pending timer that captures 24 bytes, by the number of timers", "000000/",
         ("bytes_per_timer",), "", rounds=1, takes=3),
    Part("wheel_expire", "The wheel alone: ns for each of a million timers, which are inserted and then expired in "
         "order",
         r"^(driver_loop|hierarchical|hashed|multimap|asio_heap)/", ("time_ns", "insert_ns", "expire_ns"), "asio_heap",
         takes=12),
    Part("wheel_steady", "The wheel alone: ns for a step of cancel, insert and a tick of 1 us",
         r"^(driver_loop|hierarchical|hashed|asio_heap)/(oldest|any)/live:(1000|100000)/", ("time_ns",), "driver_loop",
         takes=8),
    Part("wheel_next", "The wheel alone: ns for the next expiry, and for a jump of an hour with nothing due",
         r"^(next_expiry|jump_an_hour)<(hierarchical|multimap)>", ("time_ns",), "", takes=5),
    Part("idle_cost", "An engine with one timer an hour away, for 2 s", r"^(no_engine|idle/(hybrid|sleep))/",
         ("cpu_us", "switches", "wakeups"), "no_engine", rounds=1, takes=8),
)


def _quick(program, benchmarks, rounds, takes):
    whole = next(part for part in FULL if part.program == program)
    return replace(whole, benchmarks=benchmarks, rounds=rounds, seconds=0.03, takes=takes)


QUICK = (
    _quick("pair_by_live", r"^(floor_hand_over|floor_exchange_16)/|^floor_pair_through_handle/live:5000000/"
           r"|^pair/(oldest/live:(1|1000)|any/live:(1000|5000000))/", 1, 6),
    _quick("burst", "/timers:1?0000/", 1, 2),
    _quick("restart", r"^floor_(exchange_16|clock_reading)/|^later/oldest/live:(1|1000)/", 3, 1),
    _quick("poll", r"^floor|^(next_deadline|nothing_due(_wake_fd_open)?)/pending:100000$", 3, 1),
    _quick("fire_cost", r"^floor", 1, 1),
    _quick("wheel_expire", r"^(hierarchical|asio_heap)/uniform/", 1, 2),
    _quick("memory_per_timer", "/1000000/", 1, 2),
    _quick("flood", r"^(alone|flood_behind|flood_ahead)/", 1, 10),
)
