# SPDX-License-Identifier: MIT
"""A figure as measured in each round, and arithmetic that pairs figures of one round."""
import statistics


class Series:
    """Values by round. What is computed from two series has the rounds that both have, so that a ratio compares what
    was measured within moments; a number stands for itself in each round. False if there is no value."""

    def __init__(self, by_round):
        self.by_round = dict(by_round)

    def __bool__(self):
        return bool(self.by_round)

    @property
    def median(self):
        return statistics.median(self.by_round.values())

    @property
    def least(self):
        return min(self.by_round.values())

    @property
    def most(self):
        return max(self.by_round.values())

    def __add__(self, other):
        return self._paired(other, lambda a, b: a + b)

    def __sub__(self, other):
        return self._paired(other, lambda a, b: a - b)

    def __mul__(self, other):
        return self._paired(other, lambda a, b: a * b)

    def __truediv__(self, other):
        return self._paired(other, lambda a, b: a / b if b else float("inf"))

    def _paired(self, other, operation):
        if not isinstance(other, Series):
            return Series({each: operation(value, other) for each, value in self.by_round.items()})
        shared = self.by_round.keys() & other.by_round.keys()
        return Series({each: operation(self.by_round[each], other.by_round[each]) for each in sorted(shared)})


NARROW_SPACE = "\u202f"  # does not break


def number(value):
    """Three significant digits (two of what is very small), and thousands set apart."""
    if value == float("inf"):
        return "∞"
    if value == 0:
        return "0"
    size = abs(value)
    if size < 0.1:
        return f"{value:.2g}"
    digits = 0 if size >= 100 else 1 if size >= 10 else 2 if size >= 1 else 3
    return f"{value:,.{digits}f}".replace(",", NARROW_SPACE)


def figure(series, missing="–"):
    """`median (least–most)`, or the value alone where there is one round."""
    if not series:
        return missing
    if len(series.by_round) == 1:
        return number(series.median)
    return f"{number(series.median)} ({number(series.least)}–{number(series.most)})"
