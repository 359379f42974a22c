# SPDX-License-Identifier: MIT
"""The measurements: the works with their parameters, and what an answer must be to be true."""
from dataclasses import dataclass

WORKS = ("floors", "pair", "pair_at", "fire", "lateness", "calls", "memory")
ENOUGH = 3  # rounds of a work that takes long: a median. The whole default run must take less than twelve minutes.


@dataclass
class Task:
    """`only` has the systems that it is for; empty for all that do this work."""
    work: str
    numbers: dict
    only: tuple = ()
    rounds: int = 1000

    def request(self):
        return " ".join([self.work, *(f"{name}={value}" for name, value in self.numbers.items())])


def _floors(milliseconds):
    return Task("floors", {"milliseconds": milliseconds})


def _pairs(work, live, producers, milliseconds, only=()):
    return Task(work, {"live": live, "producers": producers, "milliseconds": milliseconds}, only)


def _firing(timers, spread_ms, only=()):
    return Task("fire", {"timers": timers, "spread_ms": spread_ms}, only, ENOUGH)


def _lateness(milliseconds):
    return Task("lateness", {"rate": 1000, "milliseconds": milliseconds}, rounds=ENOUGH)


def _calls(milliseconds):
    return Task("calls", {"live": 10_000, "milliseconds": milliseconds}, rounds=ENOUGH)


def _memory(timers):
    return Task("memory", {"timers": timers}, rounds=1)


PLANS = {
    "full": (_floors(300), _pairs("pair", 1, 1, 200), _pairs("pair", 1, 2, 200), _pairs("pair", 1, 4, 200),
             _pairs("pair", 1000, 1, 200), _pairs("pair", 100_000, 1, 200), _pairs("pair", 1_000_000, 1, 200),
             # Beyond a million, only the fastest fill their window in time.
             _pairs("pair", 10_000_000, 1, 200, ("detent",)),
             _pairs("pair_at", 1, 1, 200), _pairs("pair_at", 100_000, 1, 200), _firing(1_000_000, 1000),
             _firing(2_000_000, 1000, ("detent-tick1ms", "detent-hashed", "netty")), _lateness(3000), _calls(1500),
             _memory(1_000_000)),
    "quick": (_floors(100), _pairs("pair", 1, 1, 50), _pairs("pair", 1, 2, 50), _pairs("pair", 100_000, 1, 50),
              _pairs("pair_at", 1, 1, 50), _firing(100_000, 200), _lateness(500), _calls(200), _memory(100_000)),
    "smoke": (_floors(12), _pairs("pair", 1, 1, 5), _pairs("pair", 100, 2, 5), _pairs("pair_at", 1, 1, 5), _firing(1000, 10),
              _lateness(50), _calls(2), _memory(100_000)),
}


def _ascend(answer, names):
    return all(answer[a] <= answer[b] for a, b in zip(names, names[1:]))


def _implausible_lateness(task, answer):
    wanted = task.numbers["rate"] * task.numbers["milliseconds"] // 1000
    if answer["count"] != wanted:
        return f"count is not {wanted}"
    if not 0 <= answer["early"] <= wanted:
        return "early is out of range"
    return "" if _ascend(answer, ["p50_ns", "p90_ns", "p99_ns", "p999_ns", "max_ns"]) else "the percentiles do not ascend"


def _implausible_calls(answer):
    for call in ("schedule", "cancel"):
        if not 0 < answer[f"{call}_p50_ns"] <= answer[f"{call}_p9999_ns"]:
            return "the percentiles do not ascend"
    return ""


def implausible(task, answer):
    """Why an answer cannot be true, or an empty text. Answers that are errors are not asked about."""
    try:
        if task.work == "floors":
            return next((f"{name} is no cost" for name, value in answer.items() if value < 0), "")
        if task.work == "memory":
            return "" if answer["bytes"] >= 0 else "bytes is not a size"
        if answer["wall_ns"] <= 0 or answer["cpu_ns"] < 0:
            return "time did not pass"
        if task.work == "lateness":
            return _implausible_lateness(task, answer)
        if task.work == "calls":
            return _implausible_calls(answer)
        if task.work == "fire":
            return "" if answer["timers"] == task.numbers["timers"] else "not all have fired"
        return "" if answer["pairs"] > 0 else "no pairs"
    except (KeyError, TypeError):
        return "incomplete"
