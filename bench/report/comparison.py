# SPDX-License-Identifier: MIT
"""Reads the JSON lines of bench_peers: what was measured, what was skipped, what failed."""
import json
from pathlib import Path

from series import Series


class BadRecord(Exception):
    """A file that is not what it should be; the text names it and says why."""


# Figures that are computed from an answer's numbers.
DERIVED = {
    "pair_wall_ns": lambda said: said["wall_ns"] / said["pairs"],
    "pair_cpu_ns": lambda said: said["cpu_ns"] / said["pairs"],
    "timer_cpu_ns": lambda said: said["cpu_ns"] / said["timers"],
    "cpu_percent": lambda said: 100 * said["cpu_ns"] / said["wall_ns"],
    "others_percent": lambda said: 100 * said["others_cpu_ns"] / said["wall_ns"],
    "early_percent": lambda said: 100 * said["early"] / said["count"],
}
PAIR_WORKS = ("pair", "pair_at")


class Comparison:
    """One run. `systems` has version and how by name, `skipped` the reasons, `failures` (system, request, why)."""

    def __init__(self, lines, source="the comparison"):
        self.machine, self.systems, self.skipped, self.failures = {}, {}, {}, []
        self.seconds = None  # unless the run was finished
        self._said = []
        for number, line in enumerate(lines, 1):
            try:
                self._take(json.loads(line))
            except (ValueError, KeyError, TypeError, AttributeError) as problem:
                raise BadRecord(f"{source}:{number}: not a line of bench_peers: {problem!r}") from problem
        if not self.machine:
            raise BadRecord(f"{source}: no line describes the machine")

    @classmethod
    def read(cls, path):
        try:
            return cls(Path(path).read_text(encoding="utf-8").splitlines(), path)
        except OSError as problem:
            raise BadRecord(f"{path}: {problem.strerror}") from problem

    def _take(self, said):
        if "machine" in said:
            self.machine = said["machine"]
        elif "finished" in said:
            self.seconds = said["finished"]["seconds"]
        elif "skipped" in said:
            self.skipped[said["system"]] = said["skipped"]
        elif "work" not in said:
            self.systems[said["system"]] = {"version": said["version"], "how": said["how"]}
        elif "error" in said:
            self.failures.append((said["system"], self._request(said), str(said["error"])))
        else:
            said["round"] = int(said["round"])
            self._said.append(said)

    @staticmethod
    def _request(said):
        numbers = (f"{name}={said[name]}" for name in ("live", "producers", "timers", "rate") if name in said)
        return " ".join([said["work"], *numbers])

    def series(self, system, work, what, **numbers):
        """`what` as `system` answered it in `work`, where the request had these numbers."""
        wanted = {"system": system, "work": work, **numbers}.items()
        values = {}
        for said in self._said:
            if wanted <= {k: v for k, v in said.items() if not isinstance(v, (list, dict))}.items():
                values[said["round"]] = DERIVED[what](said) if what in DERIVED else said[what]
        return Series(values)

    def series_if_said(self, system, work, what):
        """The same, of what not every system says."""
        return Series({said["round"]: said[what] for said in self._said
                       if said["system"] == system and said["work"] == work and what in said})

    def who_did(self, work, **numbers):
        """The systems with a figure for it, in the order of their introduction."""
        done = {said["system"] for said in self._said
                if said["work"] == work and all(said.get(name) == value for name, value in numbers.items())}
        return [name for name in self.systems if name in done]

    def requests(self, work, name):
        """The values that `name` had in the requests for `work`, ascending."""
        return sorted({said[name] for said in self._said if said["work"] == work and name in said})

    def pairs_fired(self):
        """The systems with the most timers that were not cancelled in time in any of their runs, by the pairs made."""
        worst = {}
        for said in self._said:
            if said["work"] in PAIR_WORKS and said.get("fired", 0) > 0:
                share = said["fired"] / said["pairs"]
                worst[said["system"]] = max(worst.get(said["system"], 0), share)
        return worst

    def rounds(self):
        return max((said["round"] for said in self._said), default=0)


def is_floor(system):
    return system == "floor" or system.startswith("floor-")


def is_own(system):
    return system == "detent" or system.startswith("detent-")


def is_rival(system):
    return not is_floor(system) and not is_own(system)
