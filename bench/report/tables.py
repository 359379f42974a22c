# SPDX-License-Identifier: MIT
"""The comparison's tables: for each work what each system took, beside the floor and the best of the others."""
from comparison import is_floor, is_own, is_rival
from markdown import table
from series import Series, figure, number


def _split(systems, key):
    """The project's own configurations as introduced, then the others, the best first."""
    return [s for s in systems if is_own(s)] + sorted((s for s in systems if is_rival(s)), key=key)


def _label(system):
    return f"**{system}**" if is_own(system) else system


class PairTable:
    """schedule + cancel. A column is a request: work, live timers, producers."""

    def __init__(self, results, what):
        self.results, self.what = results, what
        compared = results.compared
        self.columns = [("pair", live, 1) for live in compared.requests("pair", "live")]
        self.columns += [("pair", 1, each) for each in compared.requests("pair", "producers") if each > 1]
        self.columns += [("pair_at", live, 1) for live in compared.requests("pair_at", "live")]

    def floor(self, column):
        """A hand-over measured bare, and a reading of the clock for a delay; shared out over the CPUs in wall time."""
        work, _, producers = column
        floor = self.results.floor("composite_ns")
        if work == "pair":
            floor = floor + self.results.floor("clock_ns")
        at_once = min(producers, self.results.compared.machine["cores"]) if self.what == "wall" else 1
        return floor / at_once

    def series(self, system, column):
        work, live, producers = column
        return self.results.pair(system, live, producers, self.what, work)

    def _systems(self):
        asked = self.results.compared
        systems = asked.who_did("pair")
        first = self.columns[0]
        return _split(systems, lambda s: self.series(s, first).median if self.series(s, first) else float("inf"))

    def _best_rival(self, column):
        done = [s for s in self._systems() if is_rival(s) and self.series(s, column)]
        return min(done, key=lambda s: self.series(s, column).median, default=None)

    def _against_best(self, column):
        best = self._best_rival(column)
        if best is None or not self.series("detent", column):
            return "–"
        return f"{number((self.series(best, column) / self.series('detent', column)).median)} ({best})"

    def text(self):
        if not self.columns:
            return "Not measured."
        rows = [["*floor*", *(figure(self.floor(column)) for column in self.columns)]]
        rows += [[_label(s), *(figure(self.series(s, column)) for column in self.columns)] for s in self._systems()]
        rows.append(["detent ÷ floor",
                     *(figure(self.series("detent", column) / self.floor(column)) for column in self.columns)])
        rows.append(["best rival ÷ detent", *(self._against_best(column) for column in self.columns)])
        return table(["ns a pair", *(self._title(column) for column in self.columns)], rows)

    @staticmethod
    def _title(column):
        work, live, producers = column
        title = f"{live:,} live".replace(",", " ")
        if producers > 1:
            title += f", {producers} producers"
        return title + (", by deadline" if work == "pair_at" else "")


FLOORS = {"clock_ns": "clock reading", "rdtsc_ns": "rdtsc", "cas8_ns": "8-byte exchange",
          "cas16_ns": "16-byte exchange", "queue_ns": "token enqueue, share of a bulk dequeue", "composite_ns": "hand-over"}


def floors_table(results):
    return table(["floors", "ns"], [[title, figure(results.floor(what))] for what, title in FLOORS.items()])


def _least(systems, series):
    """The figure of the best rival; empty if there is none."""
    return min((series(s) for s in systems if is_rival(s)), key=lambda each: each.median, default=Series({}))


def _ratio(series, base):
    """Of medians: the figures need not be of the same rounds."""
    return number(series.median / base.median) if base and base.median else "–"


def fire_table(results, timers):
    floor = results.own.series("fire_cost", "floor_sort_and_call/timers:1000000", "cpu_ns")

    def cpu(system):
        return results.fire(system, timers)

    systems = _split(results.compared.who_did("fire", timers=timers), lambda s: cpu(s).median)
    best = _least(systems, cpu)
    labelled = [("*floor: sort and call*", floor)] if floor else []
    labelled += [(_label(s), cpu(s)) for s in systems]
    return table(["system", "CPU s per million", "÷ floor", "÷ best rival"],
                 [[label, figure(series / 1e3), _ratio(series, floor), _ratio(series, best)]
                  for label, series in labelled])


def calls_table(results, call):
    """Percentiles of single calls; of a system that has no such call, nothing."""
    compared = results.compared

    def took(system, suffix):
        return compared.series_if_said(system, "calls", f"{call}_{suffix}_ns")

    systems = [s for s in compared.who_did("calls") if took(s, "p50")]
    rows = [[_label(s), *(figure(took(s, suffix)) for suffix in ("p50", "p90", "p99", "p999", "p9999"))]
            for s in _split(systems, lambda s: took(s, "p9999").median)]
    return table([f"{call}, ns", "p50", "p90", "p99", "p99.9", "p99.99"], rows)


def lateness_table(results):
    late = results.late
    floors = [s for s in results.compared.who_did("lateness") if is_floor(s)]
    systems = _split(results.compared.who_did("lateness"), lambda s: late(s, "p50_ns").median)
    punctual = [s for s in systems if late(s, "early_percent").most == 0]
    best = _least(punctual, lambda s: late(s, "p50_ns"))
    rows = []
    for system in floors + systems:
        times = [figure(late(system, what) / 1e3) for what in ("p50_ns", "p90_ns", "p99_ns", "p999_ns")]
        against = (figure(late(system, what) / late(floor, what))
                   for floor, what in (("floor-spin", "p50_ns"), ("floor-sleep", "p99_ns")))
        rows.append([f"*{system}*" if is_floor(system) else _label(system), *times, *against,
                     _ratio(late(system, "p50_ns"), best), figure(late(system, "cpu_percent")),
                     figure(late(system, "early_percent"))])
    return table(["µs late", "p50", "p90", "p99", "p99.9", "p50 ÷ bare spin", "p99 ÷ bare sleep", "p50 ÷ best rival",
                  "CPU %", "early %"], rows)


# Every timer needs an argument of 24 bytes and a deadline of eight.
LEAST_BYTES = 32


def memory_table(results):
    def size(system):
        return results.compared.series(system, "memory", "bytes")

    systems = _split(results.compared.who_did("memory"), lambda s: size(s).median)
    best = _least(systems, size)
    floor = Series({1: LEAST_BYTES})
    labelled = [("*floor: argument and deadline*", floor), *((_label(s), size(s)) for s in systems)]
    return table(["system", "bytes a timer", "÷ floor", "÷ best rival"],
                 [[label, figure(series), _ratio(series, floor), _ratio(series, best)] for label, series in labelled])
