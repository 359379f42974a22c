# SPDX-License-Identifier: MIT
"""How long processes waited for a processor, as the kernel counts it: what they could not do then is no fault of theirs."""
import contextlib
import os
import threading
import time

EACH = 0.02    # s, between two looks
WINDOW = 0.2   # s, of which the whole counts
LEAST = 0.0005  # s of a look that are noted
MOST = 0.5     # where so much of it was waited: work piles up, and is done afterwards


def waited(process):
    """Of each thread, in s; nothing where the kernel does not count, or the process has gone."""
    out = {}
    with contextlib.suppress(OSError):
        for thread in os.listdir(f"/proc/{process}/task"):
            with contextlib.suppress(OSError, ValueError, IndexError):
                with open(f"/proc/{process}/task/{thread}/schedstat", encoding="ascii") as its:
                    out[thread] = int(its.read().split()[1]) / 1e9
    return out


class Starvation(threading.Thread):
    """Of any of the processes. `processes()` lists those that live."""

    def __init__(self, processes):
        super().__init__(daemon=True)
        self.processes = processes
        self.begin = self.last = time.time()
        self.before = {}
        self.spans = []  # (from, to), in s: a wait is counted when it ends
        self.cells = []
        self.over = threading.Event()

    def run(self):
        while not self.over.wait(EACH):
            worst = 0.0
            for process in self.processes():
                has, had = waited(process), self.before.get(process, {})
                worst = max([worst, *(its - had.get(thread, 0) for thread, its in has.items())])
                self.before[process] = has
            now = time.time()
            self.spans.append((now - worst, now))
            self.last = now

    def end(self):
        """No more is measured. Adds it up."""
        self.over.set()
        self.join()
        self.count(self.spans)

    def count(self, spans):
        cells = [0.0] * (int((self.last - self.begin) / EACH) + 1)
        until = self.begin
        for begin, end in sorted(spans):
            begin = max(begin, until) - self.begin  # what others waited at that time as well counts once
            for cell in range(int(begin / EACH), min(int((end - self.begin) / EACH) + 1, len(cells))):
                cells[cell] += max(0, min(end - self.begin, (cell + 1) * EACH) - max(begin, cell * EACH))
            until = max(until, end)
        width = round(WINDOW / EACH)
        for place in range(0, len(cells), width):
            window = cells[place:place + width]
            if sum(window) > MOST * EACH * len(window):
                cells[place:place + width] = [EACH] * len(window)
        self.cells = cells

    def held(self):
        """(from, to) in s since 1970: what was waited, or all of a window of which much was."""
        spans = []
        for number, of_it in enumerate(self.cells):
            begin = self.begin + number * EACH
            if of_it >= LEAST:
                spans.append((begin, begin + of_it))
        return spans
