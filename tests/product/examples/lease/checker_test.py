# SPDX-License-Identifier: MIT
"""usage: checker_test.py EXAMPLE

The checker finds each thing that must not be, in records that are right but for that.
"""
import sys

sys.path.insert(0, sys.argv[1])
from checker import check
from journal import Entry, Journal
from processes import Broken, Event


def granted(name, fence, at, until):
    return Event(name, "granted", fence, at, until, "")


RIGHT = [granted("A", 1, 100, 200), Event("A", "renewed", 1, 150, 250, ""),
         Event("A", "lost", 1, 251, 250, "its time ran out"), granted("B", 2, 260, 360),
         Event("B", "released", 2, 300, 0, ""), granted("A", 3, 301, 400)]
ENTRIES = [Entry(1, 120, 200, 121, "ok"), Entry(1, 249, 250, 252, "late"), Entry(2, 261, 360, 262, "ok"),
           Entry(1, 240, 250, 263, "fenced"), Entry(3, 302, 400, 303, "ok")]


def verdict(record, entries):
    try:
        check(record, entries)
        return "content"
    except Broken as broken:
        return str(broken)


def found(words, record=RIGHT, entries=ENTRIES):
    said = verdict(record, entries)
    assert words in said, (words, said)


def replaced(events, old, new):
    assert old in events
    return [new if event == old else event for event in events]


def main():
    found("content")
    found("nobody ever", record=[], entries=[])
    found("given out twice", record=RIGHT + [granted("C", 3, 500, 600)])
    found("both had the lock", record=replaced(RIGHT, RIGHT[3], granted("B", 2, 249, 360)),
          entries=[])
    found("both had the lock", record=[event for event in RIGHT if event.kind != "released"])
    found("before the end of its lease", record=replaced(RIGHT, RIGHT[2], Event("A", "lost", 1, 249, 250, RIGHT[2].why)))
    found("nobody was granted", entries=ENTRIES + [Entry(4, 1, 2, 1, "fenced")])
    found("acted", entries=ENTRIES + [Entry(1, 250, 250, 310, "fenced")])
    found("after one of 3", entries=ENTRIES + [Entry(2, 320, 360, 330, "ok")])
    found("not its own", entries=ENTRIES + [Entry(3, 399, 400, 400, "ok")])
    found("not its own", entries=[Entry(1, 98, 200, 99, "ok")])

    journal = Journal.__new__(Journal)  # its decisions, without its socket
    journal.highest = 0
    assert [journal.decide(*asked) for asked in ((5, 10, 9), (5, 10, 10), (4, 20, 9), (6, 20, 9))] == \
        ["ok", "late", "fenced", "ok"]


if __name__ == "__main__":
    main()
