#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Draws the figures of concepts.md and of the README.

usage: draw.py [DIRECTORY]     writes NAME.svg for each figure; default: where this file is
"""
import sys
from pathlib import Path

sys.dont_write_bytecode = True
from canvas import Canvas

# The fields of a node: name, first byte, size, which threads write it. The test of the figures compares them with node.hpp.
NODE = [
    ("word", 0, 8, "all"), ("deadline", 8, 8, "all"), ("next", 16, 4, "driver"), ("previous", 20, 4, "driver"),
    ("ops", 24, 8, "caller"), ("capture", 32, 24, "caller"), ("location", 56, 4, "driver"), ("placed", 60, 4, "driver"),
]
# The bits of the state word: name, first bit, size.
WORD = [
    ("generation", 37, 27), ("unfiled", 36, 1), ("state", 33, 3), ("owning", 32, 1), ("cold", 30, 1), ("periodic", 29, 1),
    ("waiter", 28, 1), ("last", 27, 1), ("order", 0, 27),
]
# The example of the wheel: what time it is, and when the timer is due.
NOW, DUE, SLOT_BITS = 1_000_000, 1_250_000, 6
# Which lines an operation touches: the node, the thread's own, the queue, the wake time, the bell, the driver's own.
TOUCHES = [
    ("schedule", "w w w r - -"),
    ("… earlier than all others", "w w w r w -"),
    ("cancel, before it is drained", "w w - - - -"),
    ("cancel, after that", "w w w r - -"),
    ("restart, later", "w w - - - -"),
    ("restart, earlier", "w w w r * -"),
    ("drain", "w - r - - w"),
    ("fire", "w - - - - w"),
    ("go to sleep", "- - r w w r"),
]


def node():
    c = Canvas(880, 534, "A timer is one cache line", "The 64 bytes of a node, and which cache lines each operation touches.")
    c.text(30, 34, "A pending timer: 64 bytes, one cache line", "ink head")
    left, byte = 30, 820 / 64
    words = {"ops": "what to\ncall", "capture": "what the callback captured, 24 bytes", "word": "state word", "previous": "prev.",
             "location": "slot", "placed": "place"}
    for name, first, size, kind in NODE:
        c.labelled(left + first * byte, 52, size * byte, 52, words.get(name, name), kind,
                   "ink" if size > 4 else "ink small")
    for first in (0, 8, 16, 24, 32, 56, 64):
        c.text(left + first * byte, 122, str(first), "dim small", "middle")
    for x, kind, who in ((30, "all", "any thread, by compare-and-swap"), (300, "caller", "the scheduling thread, once"),
                         (540, "driver", "the driver alone, while it is in the wheel")):
        c.box(x, 136, 14, 14, kind, 3)
        c.text(x + 21, 148, who, "dim")
    c.text(30, 196, "Which cache lines each operation touches", "ink head")
    heads = ["the\nnode", "the thread's\nown", "its part of\nthe queue", "the wake\ntime", "the\nbell", "the driver's\nwheel, due list"]
    kinds = ["all", "caller", "caller", "driver", "all", "driver"]
    x0, pitch, y0, row = 250, 102, 252, 27
    for column, head in enumerate(heads):
        c.lines(x0 + column * pitch + 45, 222, head, "dim small", "middle", 14)
    for number, (name, touched) in enumerate(TOUCHES):
        y = y0 + number * row
        who = "driver" if number >= 6 else "caller"
        c.text(30, y + 14, ("the driver: " if number >= 6 else "") + name, f"{who}-word")
        for column, mark in enumerate(touched.split()):
            x = x0 + column * pitch
            if mark == "-":
                c.line(x + 40, y + 9, x + 50, y + 9)
                continue
            word = {"w": "writes", "r": "reads", "*": "may write"}[mark]
            c.labelled(x, y - 2, 90, 22, word, "plain" if mark == "r" else kinds[column], "ink small")
    c.lines(30, 506, "What a caller and the driver both write is the node itself. The wake time is read by every schedule call, "
            "but written only when\nthe driver goes to wait; the bell is rung only for what is due before that time.", "dim small")
    return c


def bits_of_word(c, left, top, height):
    """The 64 bits from left to right, the highest first."""
    bit = 820 / 64
    words = {"generation": "generation, 27 bits", "order": "arming order, 27 bits", "state": "state"}
    for name, first, size in WORD:
        x = left + (64 - first - size) * bit
        c.box(x, top, size * bit, height, "all" if first >= 32 else "plain")
        c.text(x + size * bit / 2, top + height / 2 + 5, words.get(name, name[0].upper()), "ink" if size > 4 else "ink small", "middle")


def state_word():
    c = Canvas(880, 600, "The state word", "The 64 bits of the state word beside the deadline, and the states that it goes through.")
    c.text(30, 34, "The state word, and the deadline beside it: 16 bytes", "ink head")
    bits_of_word(c, 30, 78, 36)
    c.path("M30 70 L30 62 L438 62 L438 70", "all", False)
    c.text(234, 56, "the half that a cancel compares and replaces: 32 bits", "all-word", "middle")
    c.path("M442 70 L442 62 L850 62 L850 70", "dim", False)
    c.text(646, 56, "which arming of the timer this is", "dim", "middle")
    c.text(30, 132, "U unfiled: an earlier deadline is on its way to the driver · O owning: the captures have a destructor · "
           "C cold: it has a second line", "dim small")
    c.text(30, 149, "P periodic · W waiter: somebody waits for the end of the run · L last: the run that goes on is the last one", "dim small")
    c.labelled(30, 164, 820, 28, "deadline, 64 bits: nanoseconds of the steady clock. A restart exchanges it together with the word", "all")

    def state(x, y, name, kind="all"):
        c.labelled(x, y, 104, 38, name, kind, "ink code")

    state(30, 330, "free", "plain"), state(206, 330, "queued"), state(382, 330, "armed"), state(558, 330, "dispatched")
    state(746, 330, "firing"), state(382, 450, "cancelled", "plain")
    c.arrow(134, 349, 204, 349, "caller")
    c.text(169, 341, "schedule", "caller-word small", "middle")
    c.arrow(310, 349, 380, 349, "driver")
    c.text(345, 341, "drained", "driver-word small", "middle")
    c.arrow(486, 349, 556, 349, "driver")
    c.text(521, 341, "handed", "driver-word small", "middle"), c.text(521, 365, "over", "driver-word small", "middle")
    c.arrow(662, 349, 744, 349)
    c.text(703, 341, "starts", "dim small", "middle")
    c.path("M434 330 C434 262 798 262 798 328", "driver")
    c.text(722, 268, "starts, where there is no executor", "driver-word small", "middle")
    c.path("M778 330 C778 292 464 292 464 328", "dim")
    c.text(664, 317, "re-armed, or periodic", "dim small", "middle")
    c.path("M820 368 C820 610 82 640 82 370")
    c.text(500, 520, "the run has ended: free, and the generation is one more", "dim small", "middle")
    c.path("M232 330 C232 285 108 285 108 328", "caller")
    c.text(170, 288, "cancel: one exchange", "caller-word small", "middle")
    for x in (258, 610):
        c.path(f"M{x} 368 L{x} 410 L434 410", "caller", False)
    c.arrow(434, 368, 434, 448, "caller")
    c.text(300, 403, "cancel", "caller-word small"), c.text(536, 403, "cancel", "caller-word small")
    c.path("M382 469 C200 469 60 440 60 370")
    c.text(372, 461, "then free", "dim small", "end")
    c.path("M596 330 C596 232 258 232 258 328", "caller")
    c.text(330, 238, "restart, of what waits in an executor's queue", "caller-word small", "middle")
    return c


def wheel():
    c = Canvas(880, 470, "The wheel", "Four levels of 64 slots; a timer is in level 3 and would come down level by level.")
    c.text(30, 34, "Where a timer is inserted: the highest bit in which its deadline and the wheel's time differ", "ink head")
    c.text(30, 58, f"The time is {NOW:,} ns; the timer is due at {DUE:,} ns. They differ in bit 20 first: level 3, slot 4.", "dim")
    left, pitch = 30, 820 / 64
    spans = ["1 ns", "64 ns", "4,096 ns", "262,144 ns: a quarter of a millisecond"]
    previous = None
    for row, level in enumerate((3, 2, 1, 0)):
        y = 92 + row * 84
        c.text(440, y, f"level {level}: 64 slots of {spans[level]}", "dim", "middle")
        now, slot = (NOW >> level * SLOT_BITS) & 63, (DUE >> level * SLOT_BITS) & 63
        for each in range(64):
            kind = "caller" if each == now else "driver" if each == slot else "plain"
            c.box(left + each * pitch + 1, y + 10, pitch - 2, 24, kind, 2)
        c.text(left + now * pitch + pitch / 2, y + 49, f"{now}", "caller-word small", "middle")
        c.text(left + slot * pitch + pitch / 2, y + 49, f"{slot}", "driver-word small", "middle")
        here = left + slot * pitch + pitch / 2
        if previous is not None:
            c.path(f"M{previous} {y - 33} C{previous} {y - 8} {here} {y - 30} {here} {y + 8}", "driver", True, row > 0)
        previous = here
    c.box(30, 424, 14, 14, "caller", 3), c.text(50, 436, "where the time is", "dim small")
    c.box(180, 424, 14, 14, "driver", 3), c.text(200, 436, "where the timer is: first in level 3, then under each new time further down", "dim small")
    c.text(30, 458, "Seven more levels lie above: eleven cover all 64 bits. A driver that slept until the deadline jumps straight there, and visits the "
           "timer once.", "dim small")
    return c


def hand_over():
    c = Canvas(880, 516, "The hand-over", "What a thread that schedules does, what the driver does before it sleeps, and what lies between them.")
    c.text(30, 34, "From any thread to the driver, without a lock", "ink head")
    c.text(178, 68, "a thread that schedules", "caller-word", "middle"), c.text(702, 68, "the driver, before it sleeps", "driver-word", "middle")
    steps = ["takes a free node out of its own magazine", "writes the callable, the deadline, the word",
             "pushes 8 bytes: which node, which generation", "fence", "reads W. Is this deadline earlier?", "only then: rings the bell"]
    for number, words in enumerate(steps):
        c.labelled(30, 84 + number * 50, 296, 36, words, "plain" if words == "fence" else "caller")
        if number:
            c.arrow(178, 70 + number * 50, 178, 83 + number * 50, "caller")
    steps = ["finds its next deadline in the wheel", "stores it in W: “asleep until then”", "fence", "clears the bell, and a fence",
             "drains all there is in the queue", "sleeps, unless the bell has rung"]
    for number, words in enumerate(steps):
        c.labelled(554, 84 + number * 50, 296, 36, words, "plain" if words == "fence" else "driver")
        if number:
            c.arrow(702, 70 + number * 50, 702, 83 + number * 50, "driver")
    c.labelled(365, 184, 150, 40, "submission queue\none part a thread", "caller", "ink small", 14)
    c.labelled(365, 262, 150, 36, "W, the wake time", "driver")
    c.labelled(365, 334, 150, 36, "the bell", "all")
    c.arrow(326, 202, 363, 202, "caller")
    c.path("M515 214 C545 240 530 300 552 300", "driver")
    c.path("M554 152 C525 152 540 276 517 276", "driver")
    c.path("M365 280 C345 280 350 302 328 302", "caller")
    c.arrow(326, 352, 363, 352, "caller")
    c.path("M554 252 C530 252 540 344 517 344", "driver")
    c.path("M515 360 C530 366 536 352 552 352", "driver", True, True)
    c.box(30, 404, 820, 96)
    c.lines(46, 426, "A push and a raise of W at the same time: the two fences forbid that both miss each other. Either the caller reads the new\n"
            "W, and rings if its deadline is earlier; or the driver finds the entry when it drains the queue. A ring that comes late\n"
            "finds the bell cleared and marks it, so the driver does not fall asleep. Mostly no caller rings: most deadlines are later than\n"
            "the next one, and it is the clock that ends the sleep.", "dim small", step=20)
    return c


def segment(c, y, parts):
    for x, width, words, kind in parts:
        c.labelled(x, y, width, 34, words, kind, "ink small")


def waiting():
    c = Canvas(880, 490, "Waiting", "Sleep, wake-up, spin and fire on a line of time; a late wake-up; a ring; how the margin is learnt.")
    c.text(30, 34, "Waiting for a deadline: sleep first, then spin", "ink head")
    due, wake = 700, 560
    c.line(wake, 52, wake, 300, "dim", True), c.line(due, 52, due, 300, "bad", True)
    c.text(wake - 6, 64, "deadline − margin", "dim small", "end"), c.text(due + 6, 64, "deadline", "bad-word small")
    c.text(30, 92, "mostly", "ink")
    segment(c, 100, [(30, 530, "asleep in the kernel: a futex, on an absolute time of the steady clock", "plain"),
                     (560, 50, "wakes", "driver"), (610, 24, "", "good"), (634, 66, "spins", "driver"), (700, 80, "callback", "caller")])
    c.arrow(622, 152, 622, 136, "good"), c.text(633, 164, "fetches what it needs", "good-word small", "middle")
    c.text(30, 192, "one time in twenty", "ink")
    segment(c, 200, [(30, 530, "asleep", "plain"), (560, 200, "the kernel is slow to wake it", "bad"), (760, 80, "callback", "caller")])
    c.text(706, 192, "late, counted as “wait”", "bad-word small")
    c.text(30, 258, "an earlier deadline comes", "ink")
    segment(c, 266, [(30, 240, "asleep", "plain"), (270, 110, "bell: wakes", "all"), (380, 110, "takes it up", "driver"),
                     (490, 200, "waits for the earlier one", "plain")])
    c.line(30, 322, 850, 322)
    c.text(30, 350, "How long is the margin?", "ink head")
    base, heights = 466, [6, 22, 58, 84, 70, 46, 30, 20, 14, 9, 7, 5, 3, 3, 2, 2, 1.5, 1, 1, 1]
    for number, height in enumerate(heights):
        c.box(40 + number * 17, base - height, 14, height, "driver" if number < 11 else "bad", 1)
    c.line(30, base, 390, base), c.line(228, 366, 228, base, "dim", True)
    c.text(234, 378, "margin: 95 % of all", "dim small"), c.text(234, 394, "sleeps were woken sooner", "dim small")
    c.text(40, 482, "how late the kernel woke the thread (schematic)", "dim small")
    c.lines(430, 372, "After each sleep the margin moves: up by 19 small steps if the\nwake-up came later than it, down by one if not. So it settles\n"
            "where one sleep in twenty is longer, on any machine and\nat any load. It begins at 60 µs, and is at most max_spin (200 µs).\n"
            "busy(): spins all the time.  sleep(): no margin.", "dim", step=20)
    return c


FIGURES = {"node": node, "state-word": state_word, "wheel": wheel, "hand-over": hand_over, "waiting": waiting}


def main():
    if len(sys.argv) > 2:
        sys.exit(__doc__.split("\n\n")[1])
    directory = Path(sys.argv[1]) if len(sys.argv) == 2 else Path(__file__).parent
    for name, figure in FIGURES.items():
        (directory / f"{name}.svg").write_text(figure().svg(), encoding="utf-8")


if __name__ == "__main__":
    main()
