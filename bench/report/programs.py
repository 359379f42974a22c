# SPDX-License-Identifier: MIT
"""Reads what detent's own benchmark programs answer: the JSON of Google Benchmark."""
import json
import re
from pathlib import Path

from comparison import BadRecord
from series import Series

NANOSECONDS = {"ns": 1, "us": 1e3, "ms": 1e6, "s": 1e9}
TIMES = {"time_ns": "real_time", "thread_ns": "cpu_time"}
# Suffixes that Google Benchmark appends to a name to say how it ran.
HOW_IT_RAN = re.compile(r"/(?:iterations:\d+|real_time|manual_time|process_time)")


class Programs:
    """What the programs answered: `answers` has the benchmarks of Google Benchmark's JSON by program, `left_out` why a
    program was not run or not to its end."""

    def __init__(self, answers=None, left_out=None):
        self.answers, self.left_out = dict(answers or {}), dict(left_out or {})

    @classmethod
    def read(cls, path):
        try:
            record = json.loads(Path(path).read_text(encoding="utf-8"))
            return cls(record["answers"], record["left_out"])
        except OSError as problem:
            raise BadRecord(f"{path}: {problem.strerror}") from problem
        except (ValueError, KeyError, TypeError) as problem:
            raise BadRecord(f"{path}: not the programs' answers: {problem!r}") from problem

    def write(self, path):
        Path(path).write_text(json.dumps({"answers": self.answers, "left_out": self.left_out}) + "\n",
                              encoding="utf-8")

    def names(self, program):
        """Its benchmarks, in the order in which they are registered."""
        said = sorted(self._measured(program), key=lambda each: (each.get("family_index", 0),
                                                                 each.get("per_family_instance_index", 0)))
        return list(dict.fromkeys(plain_name(each["run_name"]) for each in said))

    def series(self, program, benchmark, what="time_ns"):
        """`what` is time_ns, thread_ns (the CPU time of the thread that called), or the name of a counter."""
        values = {}
        for each in self._measured(program):
            if plain_name(each["run_name"]) != benchmark:
                continue
            if what in TIMES:
                values[each.get("repetition_index", 0)] = each[TIMES[what]] * NANOSECONDS[each["time_unit"]]
            elif what in each:
                values[each.get("repetition_index", 0)] = each[what]
        return Series(values)

    def errors(self):
        return [(program, plain_name(each["run_name"]), each.get("error_message", "no reason given"))
                for program, said in self.answers.items() for each in said if each.get("error_occurred")]

    def _measured(self, program):
        return [each for each in self.answers.get(program, ())
                if each.get("run_type") == "iteration" and not each.get("error_occurred")]


def plain_name(run_name):
    return HOW_IT_RAN.sub("", run_name).replace("detent::bench::", "")
