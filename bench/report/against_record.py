# SPDX-License-Identifier: MIT
"""The figures of two builds that were run by turns, as they are kept, and the table of their rows."""
import json
from pathlib import Path

import against_rows
from comparison import BadRecord
from markdown import list_table
from series import Series, figure


class Side:
    """What one of the two builds answered."""

    def __init__(self, answers):
        self._answers = answers

    def series(self, work, benchmark, what):
        return Series({each["round"]: each["figures"][what] for each in self._answers
                       if each["work"] == work and each["benchmark"] == benchmark and what in each["figures"]})


class Record:
    """`answers`: each with side (this, other), work, benchmark, round and figures by name."""

    def __init__(self, facts, answers, failures=()):
        self.facts, self.answers, self.failures = dict(facts), list(answers), list(failures)
        self.this = Side([each for each in self.answers if each["side"] == "this"])
        self.other = Side([each for each in self.answers if each["side"] == "other"])

    @classmethod
    def read(cls, path):
        """None if there is none."""
        if not Path(path).exists():
            return None
        try:
            record = json.loads(Path(path).read_text(encoding="utf-8"))
            return cls(record["facts"], record["answers"], record["failures"])
        except (OSError, ValueError, KeyError, TypeError) as problem:
            raise BadRecord(f"{path}: not a record of two builds: {problem!r}") from problem

    def write(self, path):
        Path(path).write_text(json.dumps({"facts": self.facts, "answers": self.answers, "failures": self.failures}) + "\n",
                              encoding="utf-8")

    def figures(self, row):
        """This side's, the other's, and their ratio round by round."""
        this, other = row.figure(self.this), row.figure(self.other)
        return this, other, this / other

    def judged(self, row):
        """What the row's bound is for."""
        this, _, ratio = self.figures(row)
        return ratio if row.of_ratio else this

    def verdict(self, row):
        judged = self.judged(row)
        if row.limit is None:
            return ""
        if not judged:
            return "not measured"
        return "met" if judged.median <= row.limit else "missed"


def row_named(name):
    return next(row for row in against_rows.ROWS if row.name == name)


def _cell(series, unit):
    return f"{figure(series)} {unit}" if series else "–"


def table(record, rows=against_rows.ROWS):
    """The rows that there are figures for, in Markdown."""
    lines = []
    for row in rows:
        this, other, ratio = record.figures(row)
        if not this and not other:
            continue
        verdict = record.verdict(row)
        lines.append([f"`{row.name}`", row.what, _cell(this, row.unit), _cell(other, row.unit), _cell(ratio, "x"),
                      row.bound(), f"**{verdict}**" if verdict == "missed" else verdict])
    return list_table(["row", "what", f"this tree, {record.facts['this']}", record.facts["other"], "ratio", "bound", ""],
                      lines)
