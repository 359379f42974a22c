# SPDX-License-Identifier: MIT
"""What the kernel's instants are in the trace's own time: jiffies by their rate and phase, hrtimers by their clocks."""
from kernel_trace.text import BadInput, Event, Fact, STARTS

USUAL_RATES = (100, 250, 300, 1000)
OTHER_RATES = (24, 32, 48, 64, 128, 200, 256, 500, 512, 1024, 1200)
SECOND = 1_000_000_000
END_OF_TIME = 2**63 - 1
FARTHEST = 10 * 365 * 86400 * SECOND  # of a deadline that somebody means
SAME_CLOCK = 1_000_000  # a clock this close to the trace's is the trace's


class Clocks:
    """Learns from a first pass over the trace; then says when deadlines are."""

    def __init__(self, rate=None):
        self.rate, self._phase = rate, 0
        self._first_seen = []  # (t, jiffies), each jiffy as it first shows
        self._named = {}  # clock: how far it is ahead of the trace's
        self._seen = []  # the same of clocks that the text does not name
        self._offsets = [0]  # all that a timer may be on

    def learn(self, item):
        if isinstance(item, Fact):
            self._learn_fact(item)
        elif isinstance(item, Event):
            if item.name == "timer_start":
                self._see_jiffies(item.t, item.number("expires") - item.number("timeout"))
            elif item.name == "timer_expire_entry" and "now" in item.fields:
                self._see_jiffies(item.t, item.number("now"))
            elif item.name == "hrtimer_expire_entry":
                self._see_clock(item.number("now") - item.t)

    def _learn_fact(self, fact):
        if fact.name == "hz":
            self.rate = self.rate or fact.number(0)
        elif fact.name == "clock":
            self._named["CLOCK_MONOTONIC"] = 0  # the recorder's choice for the trace
            self._named[fact.values[0]] = fact.number(1)

    def _see_jiffies(self, t, jiffies):
        if not self._first_seen or jiffies > self._first_seen[-1][1]:
            self._first_seen.append((t, jiffies))

    def _see_clock(self, offset):
        for index, known in enumerate(self._seen):
            if abs(known - offset) < SECOND:
                # An interrupt reads its clock before its timers are traced: the largest is the nearest.
                self._seen[index] = max(known, offset)
                return
        self._seen.append(offset)

    def settle(self, name):
        """After the first pass. `name` is the file's, for complaints."""
        # Every reading is a little late; what is a clock's own starts with a difference of seconds.
        offsets = [0 if abs(offset) < SAME_CLOCK else offset for offset in self._seen] + list(self._named.values())
        self._offsets = offsets if any(abs(offset) < FARTHEST for offset in offsets) else [*offsets, 0]
        if not self._first_seen:
            return
        if self.rate is None:
            self.rate = self._rate_seen(name)
        elif self._spread(self.rate) > max(20, self._elapsed() / 50):
            raise BadInput(f"{name}: the jiffies in it do not go at {self.rate} a second")
        # Jiffies never run ahead of time: the earliest sight of one is the nearest to its beginning.
        self._phase = min(t - self._length(jiffies) for t, jiffies in self._first_seen)

    def _elapsed(self):
        return self._first_seen[-1][1] - self._first_seen[0][1]

    def _length(self, jiffies, rate=None):
        return jiffies * SECOND // (rate or self.rate)

    def _spread(self, rate):
        """How far, in jiffies, nine in ten sights lie from the earliest, were this the rate."""
        late = sorted(t - self._length(jiffies, rate) for t, jiffies in self._first_seen)
        return (late[(len(late) * 9 - 1) // 10] - late[0]) * rate / SECOND

    def _rate_seen(self, name):
        for rates in (USUAL_RATES, OTHER_RATES):
            fitting = [rate for rate in rates if self._spread(rate) <= 2]
            if len(fitting) == 1:
                return fitting[0]
            if fitting:
                break
        raise BadInput(f"{name}: how many jiffies a second has is not clear from {self._elapsed() + 1} of them: say "
                       "--hz N")

    def deadline(self, start, clock):
        """When the timer of a start event is due, in the trace's time; None: on a clock that nothing is known of."""
        if STARTS[start.name] == "timer":
            return self._phase + self._length(start.number("expires"))
        expires = start.number("softexpires") if "softexpires" in start.fields else start.number("expires")
        if expires >= END_OF_TIME:
            return END_OF_TIME
        offsets = [self._named[clock]] if clock in self._named else self._offsets
        due = min((expires - offset for offset in offsets), key=lambda instant: abs(instant - start.t))
        return due if abs(due - start.t) < FARTHEST else None
