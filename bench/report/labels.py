# SPDX-License-Identifier: MIT
"""Where names stand: at what they name, and not on each other. All places are in pixels, from the left and from below."""
import math
from dataclasses import dataclass

LINE = 16  # a line of text
LETTER = 7.4  # a wide guess: the reader's font decides
GAP = 10  # between a point and its name


@dataclass(frozen=True)
class Axis:
    """Values from `low` to `high`, logarithmic, on `length` pixels."""
    low: float
    high: float
    length: float

    @classmethod
    def over(cls, values, length, room=1.25):
        """With some room at both ends."""
        return cls(min(values) / room, max(values) * room, length)

    def place(self, value):
        return self.length * math.log(value / self.low) / math.log(self.high / self.low)

    def marks(self):
        """Its decades; if they are few, what is 2 and 5 times as much as well."""
        steps = (1, 2, 5) if self.high / self.low < 1000 else (1,)
        decades = range(math.floor(math.log10(self.low)), math.ceil(math.log10(self.high)) + 1)
        marks = [float(f"{step}e{decade}") for decade in decades for step in steps]
        return [mark for mark in marks if self.low <= mark <= self.high]


def spread(places, low, high, gap=LINE):
    """Places at least `gap` apart, in the same order, with the least sum of squared ways from those wanted: pools of
    neighbours that are too close move as one (the pool-adjacent-violators algorithm)."""
    order = sorted(range(len(places)), key=lambda i: places[i])
    pools = []  # [sum of the places at which its first would stand, members]
    for rank, i in enumerate(order):
        pools.append([places[i] - rank * gap, 1])
        while len(pools) > 1 and pools[-2][0] / pools[-2][1] > pools[-1][0] / pools[-1][1]:
            total, members = pools.pop()
            pools[-1][0] += total
            pools[-1][1] += members
    firsts = [total / members for total, members in pools for _ in range(members)]
    most = high - (len(places) - 1) * gap
    placed = [max(min(first, most), low) + rank * gap for rank, first in enumerate(firsts)]
    return [place for _, place in sorted(zip(order, placed))]


def _overlap(a, b):
    return a[0] < b[2] and b[0] < a[2] and a[1] < b[3] and b[1] < a[3]


def _beside(x, y, words, side, lines):
    """The box that `words` fill at a point, `lines` above it."""
    left = x + GAP if side > 0 else x - GAP - LETTER * len(words)
    return left, y + (lines - 0.5) * LINE, left + LETTER * len(words), y + (lines + 0.5) * LINE


def beside(points, width, height):
    """(side, y) of the name of each point, in the order of their importance: right of it (1) or left (-1), as few lines
    above or below it as keep clear of all points and of the names before it. `points`: (x, y, name)."""
    taken = [(x - 6, y - 6, x + 6, y + 6) for x, y, _ in points]
    placed = []
    for x, y, name in points:
        ways = [(side, lines) for lines in (0, 1, -1, 2, -2, 3, -3, 4, -4, 5, -5, 6, -6) for side in (1, -1)]
        boxes = {way: _beside(x, y, name, *way) for way in ways}
        free = (way for way, box in boxes.items() if box[0] > 0 and box[1] > 0 and box[2] < width and box[3] < height
                and not any(_overlap(box, each) for each in taken))
        side, lines = next(free, ways[0])
        taken.append(boxes[side, lines])
        placed.append((side, y + lines * LINE))
    return placed
