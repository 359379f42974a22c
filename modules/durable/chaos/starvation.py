# SPDX-License-Identifier: MIT
"""How long processes waited for a processor, as the kernel counts it: what they could not do then is no fault of theirs."""
import contextlib
import os
import threading
import time

EACH = 0.02    # s, between two looks
WINDOW = 0.2   # s, of which the whole counts
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
        self.sums = [0.0]
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
        self.sums = [0.0]
        for waited_in_it in cells:
            self.sums.append(self.sums[-1] + waited_in_it)

    def until(self, at):
        """Its sum then, in us since 1970 and in us."""
        place = min(max((at / 1e6 - self.begin) / EACH, 0), len(self.sums) - 1)
        whole = min(int(place), len(self.sums) - 2) if len(self.sums) > 1 else 0
        after = self.sums[min(whole + 1, len(self.sums) - 1)]
        return (self.sums[whole] + (place - whole) * (after - self.sums[whole])) * 1e6

    def between(self, begin, end):
        return self.until(end) - self.until(begin) if end > begin else 0

    def with_outages(self, outages):
        """The same, as if the processes had waited for a processor during these."""
        out = Starvation(self.processes)
        out.begin, out.last = self.begin, self.last
        out.count([*self.spans, *((begin / 1e6, end / 1e6) for begin, end in outages)])
        return out
