# SPDX-License-Identifier: MIT
"""Turns events of the kernel's timers into the rows of a trace: which start belongs to which end."""
import collections
import heapq
import re

from kernel_trace.clocks import END_OF_TIME
from kernel_trace.text import CANCELS, EXPIRIES, Lost, MAKINGS, STARTS, Event

DISORDER = 10_000_000  # ns: events of different CPUs may come so far out of order
ONE_CALL = 5_000       # ns: a cancel and a start of one call to the kernel lie closer than this
SETTLED = 10_000_000   # ns: after this, nothing changes any more what an event was taken for


def function_of(event):
    """What the timer calls, as one field of a trace."""
    return re.sub(r'[^ -~]|[,"]', "?", event.fields.get("function", ""))


def clock_of(making):
    """The clock of an hrtimer that is being made; None: not in the event."""
    clock = making.fields.get("clockid")
    relative = making.fields.get("mode", "").startswith("REL")
    return "CLOCK_MONOTONIC" if relative and clock == "CLOCK_REALTIME" else clock  # as POSIX has it, and the kernel


class Row:
    """One row of the trace to be, or with `#` a comment; `op` may still change until SETTLED has passed."""
    __slots__ = ("t", "op", "id", "delay", "source", "key", "cpu", "task")

    def __init__(self, t, op, number, delay="", source="", event=None):
        self.t, self.op, self.id, self.delay, self.source = t, op, number, delay, source
        self.key, self.cpu, self.task = (event.key, event.cpu, event.task) if event else (None, None, None)


def in_order(items):
    """Sorts events by time, given that none is later than DISORDER."""
    waiting, newest = [], 0
    for number, item in enumerate(items):
        t = item.t if isinstance(item, Event) else newest
        newest = max(newest, t)
        heapq.heappush(waiting, (t, number, item))
        while waiting[0][0] < newest - DISORDER:
            yield heapq.heappop(waiting)
    while waiting:
        yield heapq.heappop(waiting)


class Lives:
    """A timer's lifetime is from its start to its cancel or expiry; each has an id of its own."""

    def __init__(self, clocks, kinds):
        self._clocks, self._kinds = clocks, kinds
        self._pending = {}  # key: id
        self._ended = {}    # key: the C row of its last end, until that is settled
        self._clock_of = {}
        self._unsettled = collections.deque()
        self._next_id, self._zero, self._last = 0, None, 0
        self.counts = collections.Counter()
        self.span = 0

    def lines(self, items, lost):
        """Yields the lines of the trace after its header. `lost` events are missing somewhere."""
        for t, _, item in in_order(items):
            if isinstance(item, Lost):
                self._lose(item.count)
            elif isinstance(item, Event) and item.kind in self._kinds:
                self._zero = t if self._zero is None else self._zero
                self._last = max(t, self._last)
                self._apply(item, self._last)
                yield from self._settled(self._last - SETTLED)
        if lost:
            self._lose(lost)
        yield from self._settled(END_OF_TIME)

    def held_something(self):
        return self._zero is not None

    def _lose(self, count):
        """Says in the trace that events are missing here; 0: the kernel does not know how many."""
        self.counts["lost" if count else "gaps"] += count or 1
        remark = f"dropped {count}" if count else "an unknown number of events is missing"
        self._add(Row(self._last, "#", None, source=remark))

    def _apply(self, event, t):
        if event.name in STARTS:
            self._start(event, t)
        elif event.name in EXPIRIES:
            self._expire(event, t)
        elif event.name in CANCELS:
            self._cancel(event, t)
        elif event.name in MAKINGS:
            self._clock_of[event.key] = clock_of(event)
            self._ended.pop(event.key, None)  # what begins now is another timer

    def _start(self, event, t):
        key = event.key
        due = self._clocks.deadline(event, self._clock_of.get(key))
        if due is None:
            self.counts["clockless"] += 1
            return
        restarted = key in self._pending or self._was_taken_out_to_restart(event, t)
        if not restarted:
            self._pending[key] = self._new_id()
        delay = END_OF_TIME if due == END_OF_TIME else max(due - t, 0)
        self._add(Row(t, "R" if restarted else "S", self._pending[key], delay, function_of(event), event))

    def _was_taken_out_to_restart(self, event, t):
        """mod_timer() and hrtimer_start() take a pending timer out and put it in again: both events show."""
        end = self._ended.pop(event.key, None)
        if end is None or end.op != "C":
            return False
        if (end.cpu, end.task) != (event.cpu, event.task) or t - end.t > ONE_CALL:
            return False
        end.op = None
        self._pending[event.key] = end.id
        return True

    def _expire(self, event, t):
        end = self._ended.pop(event.key, None)
        if event.key in self._pending:
            self._add(Row(t, "X", self._pending.pop(event.key), "", function_of(event), event))
        elif end is not None:
            end.op, end.source = "X", function_of(event)  # most kernels report a cancel first
        else:
            self.counts["unknown"] += 1

    def _cancel(self, event, t):
        if event.key not in self._pending:
            self.counts["unknown"] += 1
            return
        row = Row(t, "C", self._pending.pop(event.key), "", "", event)
        self._ended[event.key] = row
        self._add(row)

    def _new_id(self):
        self._next_id += 1
        return self._next_id - 1

    def _add(self, row):
        self._unsettled.append(row)

    def _settled(self, before):
        while self._unsettled and self._unsettled[0].t < before:
            row = self._unsettled.popleft()
            if self._ended.get(row.key) is row:
                del self._ended[row.key]
            if row.op is None:
                continue
            if row.op == "#":
                yield f"# {row.source}\n"
                continue
            self.counts[row.op] += 1
            self.span = max(row.t - (self._zero or 0), 0)
            yield f"{self.span},{row.op},{row.id},{row.delay},{row.source}\n"
