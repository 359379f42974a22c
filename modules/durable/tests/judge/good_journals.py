# SPDX-License-Identifier: MIT
"""Journals of two nodes that share a store, in which every promise holds: what a kill, a stop and an outage may do to runs is in
them. Times are in us from the beginning."""
from pathlib import Path

BEGIN = 1_000_000_000            # by CLOCK_BOOTTIME
WALL = 1_700_000_000_000_000     # then, on a whole second
SECOND = 1_000_000
MAX = {"note": 10, "fails": 2, "recurs": 10, "kills": 2}


class Journals:
    def __init__(self):
        self.lines = []  # [file, time, what, words]
        self.puts = {}   # by op: key, partition
        self.ahead = {}  # by file and time: by so much the clock of its process is ahead

    def add(self, file, time, what, *words):
        self.lines.append([file, time, what, list(map(str, words))])
        return self.lines[-1]

    def put(self, time, op, name, due=0, mode="keep", handler="note", rule="-", answer="ok", answered=0):
        key, partition = name.split("/")
        self.puts[op] = key, partition
        self.add("putter", time, "put", op, key, partition, WALL + due, mode, handler, rule, 32, f"hash{op}")
        if answer:
            self.add("putter", answered or time + 500, "stored", op, answer)

    def cancel(self, time, op, name, answer, answered=0, patience=5 * SECOND):
        self.add("putter", time, "cancel", op, *name.split("/"), patience)
        self.add("putter", answered or time + 500, "cancelled", op, answer)

    def restart(self, time, op, name, due, answer="ok"):
        self.add("putter", time, "restart", op, *name.split("/"), WALL + due)
        self.add("putter", time + 500, "restarted", op, answer)

    def run(self, node, time, op, due, fence, attempt=1, outcome="done", lasts=100):
        key, partition = self.puts[op]
        self.add(node, time, "begin", key, partition, WALL + due, attempt, fence, 32, f"hash{op}")
        if outcome:
            self.add(node, time + lasts, "end", key, partition, WALL + due, fence, outcome)

    def of(self, what, *words):
        """The lines of that kind that have these words."""
        found = [line for line in self.lines if line[2] == what and set(words) <= set(line[3])]
        assert found, (what, words)
        return found

    def drop_run(self, *words):
        """And its end, which comes next."""
        line = self.of("begin", *words)[-1]
        place = self.lines.index(line)
        del self.lines[place:place + (2 if self.lines[place + 1][2] == "end" else 1)]

    def write(self, directory):
        files = {}
        for file, time, what, words in sorted(self.lines, key=lambda line: line[1]):
            text = " ".join([what, str(BEGIN + time), str(WALL + time + self.ahead.get((file, time), 0)), *words, "."])
            files.setdefault(file, []).append(text + "\n")
        files["B"].insert(1, "begin 100 1")  # a process was killed as it wrote this
        for file, texts in files.items():
            Path(directory, file).write_text("".join(texts).replace("begin 100 1", "begin 100 1\n"), encoding="ascii")


def good_journals():
    book = Journals()
    for name, value in (("store", "redis"), ("lease", 500_000), ("unwritten", 2), ("after_kill", 2), ("skew", 50_000), ("keep", "runs")):
        book.add("driver", 0, "set", name, value)
    for node in ("A", "B"):
        book.add(node, 1, "born")
        for name, most in MAX.items():
            book.add(node, 2, "handler", name, most, 100_000, 60 * SECOND)
    add_plain(book)
    add_changes(book)
    add_failing(book)
    add_recurring(book)
    add_faults(book)
    add_killer(book)
    book.add("putter", 30 * SECOND, "loaded")
    for node in ("A", "B"):
        book.add("driver", 31 * SECOND, "status", node, 0)
    book.add("lister", 32 * SECOND, "born")
    book.add("lister", 32 * SECOND, "left", "f2", "p1", WALL + 2 * SECOND, "dead", "hash31")
    book.add("lister", 32 * SECOND, "left", "r1", "p3", WALL + 9 * SECOND, "dead", "hash40")
    book.add("lister", 32 * SECOND, "left", "d1", "p9", WALL + 22 * SECOND, "dead", "hash90")
    book.add("lister", 33 * SECOND, "listed")
    return book


def add_plain(book):
    """The same key in two partitions, an order, one without a partition."""
    book.put(1000, 1, "t1/p1", SECOND)
    book.put(1001, 2, "t1/p2", SECOND)
    book.put(1002, 3, "t2/p1", SECOND + 1000)
    book.put(1003, 4, "t3/-", SECOND)
    book.run("A", SECOND + 10, 1, SECOND, 100)
    book.run("A", SECOND + 1010, 3, SECOND + 1000, 100)
    book.run("B", SECOND + 20, 2, SECOND, 200)
    book.run("B", SECOND + 200, 4, SECOND, 201)


def add_changes(book):
    book.put(2000, 10, "c1/p1", 2 * SECOND)
    book.cancel(3000, 11, "c1/p1", "cancelled")
    book.put(2001, 12, "c2/p1", 2 * SECOND)
    book.run("A", 2 * SECOND + 10, 12, 2 * SECOND, 100, lasts=2000)
    book.cancel(2 * SECOND + 100, 13, "c2/p1", "running")
    # The run writes its first line after the answer that it runs.
    book.put(2007, 24, "c4/p2", 2 * SECOND)
    book.cancel(2 * SECOND + 100, 25, "c4/p2", "running")
    book.run("A", 2 * SECOND + 700, 24, 2 * SECOND, 202)
    # Put and cancelled by turns: the first cancel takes what the second put keeps.
    for time, op in ((2010, 26), (2012, 28)):
        book.put(time, op, "c5/p2", 2 * SECOND)
    book.cancel(2011, 27, "c5/p2", "cancelled", answered=3000)
    book.cancel(2013, 29, "c5/p2", "gone", answered=3001)
    book.put(2002, 14, "c3/p1", 2 * SECOND + 5000)
    book.run("A", 2 * SECOND + 5010, 14, 2 * SECOND + 5000, 100)
    book.cancel(3 * SECOND, 15, "c3/p1", "gone")
    book.put(2003, 16, "m1/p1", 2 * SECOND)
    book.restart(3001, 17, "m1/p1", 4 * SECOND)
    book.run("A", 4 * SECOND + 10, 16, 4 * SECOND, 100)
    book.put(2004, 18, "e1/p1", 2 * SECOND)
    book.put(3002, 19, "e1/p1", 4 * SECOND + 10_000, "replace")
    book.run("A", 4 * SECOND + 10_010, 19, 4 * SECOND + 10_000, 100)
    book.put(2005, 20, "x1/p1", 4 * SECOND + 20_000)
    book.put(3003, 21, "x1/p1", 5 * SECOND, "fail", answer="exists")
    book.run("A", 4 * SECOND + 20_010, 20, 4 * SECOND + 20_000, 100)
    # Kept while it runs: once more after that.
    book.put(2006, 22, "k1/p1", 4 * SECOND + 30_000)
    book.run("A", 4 * SECOND + 30_010, 22, 4 * SECOND + 30_000, 100, lasts=3000)
    book.put(4 * SECOND + 31_000, 23, "k1/p1", 4 * SECOND + 40_000)
    book.run("A", 4 * SECOND + 40_010, 23, 4 * SECOND + 40_000, 100)


def add_failing(book):
    book.put(2010, 30, "f1/p1", SECOND + 500_000)
    book.run("A", SECOND + 500_010, 30, SECOND + 500_000, 100, outcome="retry:50000", lasts=90)
    book.run("A", SECOND + 550_200, 30, SECOND + 550_150, 100, attempt=2)
    book.put(2011, 31, "f2/p1", SECOND + 900_000, handler="fails")
    book.run("A", SECOND + 900_010, 31, SECOND + 900_000, 100, outcome="retry")
    book.run("A", 2 * SECOND + 10, 31, 2 * SECOND, 100, attempt=2, outcome="retry")
    book.add("A", 2 * SECOND + 3000, "dead", "f2", "p1", 2)


def add_recurring(book):
    book.put(100, 40, "r1/p3", 0, handler="recurs", rule="each_second")
    for second in range(1, 9):
        book.run("A", second * SECOND + 30, 40, second * SECOND, 300, outcome="done")
    book.run("A", 9 * SECOND + 30, 40, 9 * SECOND, 300, outcome="dead")
    book.add("A", 9 * SECOND + 2000, "dead", "r1", "p3", 1)


def add_faults(book):
    """B is killed: one ran, and the ends of three were unwritten, of which two run again. It is stopped, and A is, and goes on
    amid a run of an older term. The store is away when a put is asked for, and it is sent again. A cancel is asked for again."""
    for number in range(5):
        book.put(2020 + number, 50 + number, f"b{number}/p5", 10 * SECOND + number)
    book.run("B", 10 * SECOND + 100, 50, 10 * SECOND, 500)
    book.add("B", 10 * SECOND + 210, "written", 3)  # and two of the first second
    for number in range(1, 4):
        book.run("B", 10 * SECOND + 200 + 120 * number, 50 + number, 10 * SECOND + number, 500)
    book.run("B", 10 * SECOND + 700, 54, 10 * SECOND + 4, 500, outcome="")
    book.add("driver", 10 * SECOND + 2000, "fault", "killed", "B", BEGIN + 10 * SECOND + 750, BEGIN + 10 * SECOND + 1900)
    for number in range(2, 5):
        book.run("A", 10 * SECOND + 600_000 + 120 * number, 50 + number, 10 * SECOND + number, 501)
    book.put(2030, 60, "s1/p6", 14 * SECOND)
    book.put(2031, 61, "s2/p6", 14 * SECOND + 100)
    book.run("A", 14 * SECOND + 300_000, 61, 14 * SECOND + 100, 601)
    book.run("A", 14 * SECOND + 299_000, 60, 14 * SECOND, 601)
    book.add("B", 11 * SECOND, "born")
    book.run("B", 15 * SECOND + 10, 60, 14 * SECOND, 600)  # it had looked at the clock before it was stopped
    book.add("driver", 15 * SECOND + 50, "fault", "stopped", "B", BEGIN + 14 * SECOND - 5, BEGIN + 15 * SECOND)
    book.put(16 * SECOND, 70, "o1/p7", 16 * SECOND + 100_000, answered=17 * SECOND)
    book.run("A", 16 * SECOND + 900_000, 70, 16 * SECOND + 100_000, 700)
    book.run("A", 17 * SECOND + 100, 70, 16 * SECOND + 100_000, 700)
    book.add("driver", 17 * SECOND, "fault", "away", "-", BEGIN + 16 * SECOND, BEGIN + 17 * SECOND - 100)
    book.add("driver", 17 * SECOND, "outage", BEGIN + 16 * SECOND, BEGIN + 17 * SECOND - 100)
    book.put(2040, 80, "g1/p8", 20 * SECOND)
    book.add("putter", 18 * SECOND, "cancel", 81, "g1", "p8", 5 * SECOND)
    book.add("putter", 19 * SECOND, "born")
    book.cancel(19 * SECOND + 100, 81, "g1/p8", "gone")


def add_killer(book):
    """It takes each node with it, and is given up."""
    book.put(2050, 90, "d1/p9", 22 * SECOND, handler="kills")
    for node, time, fence in (("A", 22 * SECOND + 10, 900), ("B", 23 * SECOND, 901)):
        book.run(node, time, 90, 22 * SECOND, fence, outcome="")
        book.add("driver", time + 500, "fault", "killed", node, BEGIN + time + 100, BEGIN + time + 400)
        book.add(node, time + 2000, "born")
    book.add("A", 24 * SECOND, "dead", "d1", "p9", 2)
