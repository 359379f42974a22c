#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Whether the judge of the chaos finds what is wrong with a journal: each case plants one broken promise into journals that are
good.

usage: judge_test.py JUDGE
"""
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).parent / "judge"))
from good_journals import BEGIN, SECOND, WALL, good_journals

JUDGE = ""


def in_files(book, look):
    with tempfile.TemporaryDirectory() as directory:
        book.write(directory)
        return look(directory)


# (the promise, what is planted, how)
PLANTED = [
    ("lost", "a timer that does not run", lambda book: book.drop_run("t1", "p1")),
    ("lost", "a timer that ran as its process was killed, and not again", lambda book: book.drop_run("b4", "501")),
    ("lost", "a timer that was answered before what a promoted standby lacks", lambda book: lose(book, 1600)),
    ("lost", "a timer that was put after a standby was promoted", lambda book: lose(book, 500, 900)),
    ("early", "a run before its time of a timer that a promoted standby lacks",
     lambda book: [lose(book, 1400), book.run("A", SECOND - 90_000, 1, SECOND, 100)]),
    ("lost", "a timer that failed, and is not tried again", lambda book: book.drop_run("f1", "2")),
    ("lost", "a timer that does not run at the time that it was moved to", lambda book: book.drop_run("m1")),
    ("lost", "the second version of a timer", lambda book: book.drop_run("e1")),
    ("lost", "a timer that is gone for its cancel, and never ran", lambda book: book.drop_run("c3")),
    ("early", "a run before its time", lambda book: shift(book, book.of("begin", "t1", "p1")[0], -20)),
    ("early", "a run before its time by the store's clock", lambda book: set_clock_off(book, "t1", 60_000)),
    ("cancelled", "a run after `cancelled`", lambda book: book.run("A", 2 * SECOND + 9000, 10, 2 * SECOND, 100)),
    ("cancelled", "a repetition after `running`", lambda book: book.run("A", 3 * SECOND, 12, 2 * SECOND, 102)),
    ("cancelled", "a run after `gone`", lambda book: book.run("A", 4 * SECOND, 14, 2 * SECOND + 5000, 102)),
    ("cancelled", "`running` before it ran", lambda book: put_word(book.of("cancelled", "11")[0], 1, "running")),
    ("cancelled", "`running` long before it ran", lambda book: shift_run(book, "c4", SECOND)),
    ("key", "a key of another partition", lambda book: put_in_run(book, 1, "p4", "t1", "p2")),
    ("key", "a key of another partition that has it as well", lambda book: put_in_run(book, 1, "p1", "t1", "p2")),
    ("payload", "a payload of another key", lambda book: put_in_run(book, 6, "hash4", "t2")),
    ("payload", "a payload that is cut off", lambda book: put_in_run(book, 5, 31, "t2")),
    ("payload", "a run before its put", lambda book: [shift(book, book.of(what, "4")[0], SECOND) for what in ("put", "stored")]),
    ("payload", "a payload that no user has put", lambda book: put_in_run(book, 6, "hash999", "t2")),
    ("time", "a due time that no user has asked for", lambda book: move_due(book, "t2", -7)),
    ("repeated", "a repetition without a fault", lambda book: book.run("A", SECOND + 9000, 1, SECOND, 100)),
    ("repeated", "a repetition by another node without a fault of the first one",
     lambda book: book.run("B", 10 * SECOND + 700_000, 3, SECOND + 1000, 101)),
    ("repeated", "a repetition beyond the bound",
     lambda book: book.run("A", 10 * SECOND + 600_100, 51, 10 * SECOND + 1, 501)),
    ("repeated", "a repetition of what the store has the end of",
     lambda book: book.add("B", 10 * SECOND + 600, "written", 6)),
    ("repeated", "the same long after a replica was promoted",
     lambda book: [book.add("driver", 6 * SECOND, "fault", "forgot", "-", BEGIN + 5 * SECOND, BEGIN + 6 * SECOND),
                   book.add("B", 10 * SECOND + 600, "written", 6)]),
    ("repeated", "two runs of one time of a recurring timer", lambda book: book.run("A", 4 * SECOND + 200, 40, 4 * SECOND, 300)),
    ("repeated", "a repetition after a fault that leaves nothing to repeat",
     lambda book: [line[3].__setitem__(0, "cut") for line in book.of("fault", "killed")]),
    ("repeated", "a repetition long after its node waited for a processor", lambda book: repeat_after_wait(book, 600_000)),
    ("term", "two owners at once", lambda book: put_words(book.lines, "A", "p5", 4, "500")),
    ("term", "a run under an older fence", lambda book: put_in_run(book, 4, 99, "c2")),
    ("term", "a second run under an older fence after a stop",
     lambda book: book.run("B", 15 * SECOND + 400, 61, 14 * SECOND + 100, 600)),
    ("term", "the same under a term that a promoted replica has not heard of, for more than a lease",
     lambda book: run_under_both_terms(book, 900_000, 800_000, 400_000)),
    ("term", "the same after a replica was promoted, under a term that was given before",
     lambda book: run_under_both_terms(book, 600_000, 500_000, 20)),
    ("order", "a wrong order in a partition", lambda book: shift(book, book.of("begin", "t1", "p1")[0], 2000)),
    ("order", "a wrong order of what was due after its node took the shard", lambda book: reverse_after_take(book, 800_000)),
    ("recurring", "a lost run of a recurring timer", lambda book: drop_recurring(book, 5)),
    ("recurring", "the first run of a recurring timer lost", lambda book: drop_recurring(book, 1)),
    ("recurring", "the last runs of a recurring timer lost", lambda book: [drop_recurring(book, at) for at in (7, 8, 9)]),
    ("recurring", "every second run of a recurring timer lost", lambda book: [drop_recurring(book, at) for at in (2, 4, 6, 8)]),
    ("recurring", "a time that is none of the rule's", lambda book: move_due(book, "r1", -500_000)),
    ("keep", "a kept put that is lost", lambda book: book.drop_run("hash23")),
    ("keep", "a kept put that an earlier cancel has taken, and no later one",
     lambda book: [book.lines.remove(book.of(what, "29")[0]) for what in ("cancel", "cancelled")]),
    ("keep", "the same as a replica was promoted, long after that", lambda book: keep_by_old_master(book, 1_600_000)),
    ("replaced", "the first version of a timer, long after it was replaced",
     lambda book: book.run("A", 2 * SECOND + 9000, 18, 2 * SECOND, 100)),
    ("restarted", "a run at the old time, long after it was moved",
     lambda book: book.run("A", 2 * SECOND + 9000, 16, 2 * SECOND, 100)),
    ("refused", "a refused put that runs", lambda book: book.run("A", 5 * SECOND + 10, 21, 5 * SECOND, 100)),
    ("refused", "the same long after a replica was promoted", lambda book: run_by_old_master(book, 7)),
    ("refused", "the same as a replica was promoted, after it was refused",
     lambda book: [run_by_old_master(book, 5), shift(book, book.of("stored", "21")[0], -6 * SECOND)]),
    ("attempts", "a second attempt without a first", lambda book: put_word(book.of("end", "f1")[0], 4, "done")),
    ("attempts", "an attempt too many",
     lambda book: book.run("A", 2 * SECOND + 200_000, 31, 2 * SECOND + 199_000, 100, attempt=3, outcome="retry")),
    ("attempts", "a timer that takes its process with it too often",
     lambda book: [book.run("A", when * SECOND, 90, 22 * SECOND, 902, outcome="") for when in (25, 26)]),
    ("attempts", "the same long after a replica was promoted", lambda book: kill_too_often(book, 5)),
    ("dead", "a timer that takes its process with it, and is not given up",
     lambda book: book.lines.remove(book.of("left", "d1")[0])),
    ("back-off", "a retry before its delay", lambda book: move_due(book, "f1", -60)),
    ("back-off", "a retry before half of its back-off", lambda book: shift_run(book, "f2", -60_000)),
    ("back-off", "a retry long after its back-off", lambda book: shift_run(book, "f2", 1_000_000)),
    ("dead", "a timer that failed for good and is not there", lambda book: book.lines.remove(book.of("left", "f2")[0])),
    ("dead", "a timer that was given up after too few starts", lambda book: book.drop_run("f2", "2")),
    ("recurring", "a run lost after a repetition", lambda book: [repeat_recurring(book), drop_recurring(book, 7)]),
    ("dead", "a dead timer that did not fail", lambda book: book.add("A", 3 * SECOND, "dead", "t1", "p1", 1)),
    ("left", "a timer left in the store",
     lambda book: book.add("lister", 32 * SECOND + 1, "left", "t1", "p1", WALL + SECOND, "waits", "hash1")),
    ("left", "a store that was not listed", lambda book: book.lines.remove(book.of("listed")[0])),
    ("answered", "a put without an answer", lambda book: book.lines.remove(book.of("stored", "1")[0])),
    ("answered", "a put that is answered twice", lambda book: book.add("putter", 9000, "stored", 1, "ok")),
    ("answered", "a load that did not end", lambda book: book.lines.remove(book.of("loaded")[0])),
    ("stored", "a put that is given up", lambda book: put_word(book.of("stored", "1")[0], 1, "failed")),
    ("patience", "a cancel that is answered after its patience",
     lambda book: shift(book, book.of("cancelled", "15")[0], 6 * SECOND)),
    ("late", "a change that the node does not hear of", lambda book: shift_run(book, "m1", 2 * SECOND)),
    ("late", "a run after its time", lambda book: shift_run(book, "t3", 2 * SECOND)),
    ("late", "a run that was due when its node took the shard, and nothing before it",
     lambda book: run_late_after_take(book)),
    ("ended", "a node that failed", lambda book: put_word(book.of("status", "A")[0], 1, 1)),
]


def shift(book, line, by):
    """Another time, of a run with its end."""
    for one in (line, book.lines[book.lines.index(line) + 1]) if line[2] == "begin" else (line,):
        one[1] += by


def shift_run(book, key, by):
    """The last run of it, in its time alone, or of a retry with its due time."""
    line = book.of("begin", key)[-1]
    end = book.lines[book.lines.index(line) + 1]
    shift(book, line, by)
    if line[3][3] != "1":
        for one in (line, end):
            put_word(one, 2, int(one[3][2]) + by)


def move_due(book, key, by):
    line = book.of("begin", key)[-1]
    for one in (line, book.lines[book.lines.index(line) + 1]):
        put_word(one, 2, int(one[3][2]) + by)


def put_word(line, place, word):
    line[3][place] = str(word)


def put_in_run(book, place, word, *words):
    """Both lines have the key, the partition and the due time first, and the fence at another place."""
    line = book.of("begin", *words)[0]
    put_word(line, place, word)
    if place != 6 and place != 5:
        put_word(book.lines[book.lines.index(line) + 1], min(place, 3), word)


def put_words(lines, node, partition, place, word):
    for line in lines:
        if line[0] == node and line[2] in ("begin", "end") and line[3][1] == partition:
            line[3][place if line[2] == "begin" else place - 1] = word


def run_by_old_master(book, second):
    """What was refused at the sixth second, by the replica that was promoted in the second before."""
    book.run("A", second * SECOND + 10, 21, 5 * SECOND, 100)
    shift(book, book.of("stored", "21")[0], 6 * SECOND)
    book.add("driver", 6 * SECOND, "fault", "forgot", "-", BEGIN + 5 * SECOND, BEGIN + 5 * SECOND + 500_000)


def promote(book, begin, end):
    book.add("driver", end, "fault", "forgot", "-", BEGIN + begin, BEGIN + end)


def lose(book, begin, end=2500):
    """A standby is promoted that may lack what was answered between the two times; and t1 of p1 was, at 1500, and does not run."""
    book.drop_run("t1", "p1")
    book.add("driver", 5000, "fault", "lost", "-", BEGIN + begin, BEGIN + end)


def run_under_both_terms(book, newer, older, late):
    """In the 26th second the older term runs a timer after the newer one has; a replica is promoted 0.15 to 0.3 s before."""
    for op in (95, 96):
        book.put(2060 + op, op, f"u{op}/p10", 26 * SECOND)
    book.run("B", 26 * SECOND + 10, 95, 26 * SECOND, WALL + 25 * SECOND + newer)
    book.run("A", 26 * SECOND + late, 96, 26 * SECOND, WALL + 25 * SECOND + older)
    promote(book, 25 * SECOND + 700_000, 25 * SECOND + 850_000)


def reverse_after_take(book, taken):
    put_words(book.lines, "A", "p1", 4, str(WALL + taken))
    shift(book, book.of("begin", "t1", "p1")[0], 2000)


def repeat_recurring(book):
    """The run of the fourth second comes again after the sixth, and in the place of that one."""
    drop_recurring(book, 6)
    book.run("A", 6 * SECOND + 400_000, 40, 4 * SECOND, 300)
    promote(book, 4 * SECOND + 200_000, 5 * SECOND + 300_000)


def repeat_after_wait(book, before):
    """Another node takes the term of one that did not renew it in time, as it ran little for most of a lease."""
    end = BEGIN + SECOND + 20_000 - before
    book.add("driver", 30 * SECOND, "starved", end - 300_000, end)
    book.run("A", SECOND + 240_000, 4, SECOND, WALL + SECOND + 230_000)


def give_up_by_kill(book):
    """A process is killed after the first run, and before the second has a line."""
    book.drop_run("f2", "2")
    book.add("driver", 2 * SECOND, "fault", "killed", "A", BEGIN + 2 * SECOND - 50_000, BEGIN + 2 * SECOND - 10_000)


def keep_by_old_master(book, later):
    """A put that is kept by what had run as a replica was promoted that had not heard of that."""
    book.drop_run("hash23")
    shift(book, book.of("put", "23")[0], later)
    shift(book, book.of("stored", "23")[0], 2 * SECOND)
    promote(book, 4 * SECOND + 500_000, 5 * SECOND)


def kill_too_often(book, second):
    """Twice more, in the 25th and 26th second; a replica is promoted after the first one of these, if that is in the 25th."""
    for when in (25, 26):
        book.run("A", when * SECOND, 90, 22 * SECOND, 902, outcome="")
    promote(book, second * SECOND, second * SECOND + 500_000)


def run_late_after_take(book, *others):
    """Two seconds late, by a node that has taken the shard since and runs others before it."""
    put_in_run(book, 4, WALL + 2 * SECOND, "t3")
    shift_run(book, "t3", 2 * SECOND)
    for op, time in enumerate(others, 97):
        book.put(2000, op, f"l{op}/p11", time)
        book.run("B", time + 10, op, time, 200)


def set_clock_off(book, key, by):
    """All of the run before its time, while its process's own clock says that it is not: that clock is ahead."""
    line = book.of("begin", key)[0]
    shift(book, line, -by)
    book.ahead[line[0], line[1]] = by


def drop_recurring(book, second):
    book.drop_run("r1", str(WALL + second * SECOND))


# (what is no violation, how it comes about)
EXCUSED = [
    ("a refused put that ran before a replica was promoted that refuses it", lambda book: run_by_old_master(book, 5)),
    ("a run under a term that a promoted replica has not heard of, for a lease",
     lambda book: run_under_both_terms(book, 900_000, 800_000, 20)),
    ("a put that is kept by what ran, and a promoted replica has not heard that", lambda book: keep_by_old_master(book, 0)),
    ("a timer that a promoted standby lacks", lambda book: lose(book, 1400)),
    ("a timer that was put before a standby was promoted that lacks it, and answered after that", lambda book: lose(book, 900, 1400)),
    ("a run after a cancel that a promoted standby lacks",
     lambda book: [book.add("driver", 5000, "fault", "lost", "-", BEGIN + 3400, BEGIN + 3600), book.run("A", 2 * SECOND + 2500, 10, 2 * SECOND, 100)]),
    ("a start that was marked, and of which a kill left no line", give_up_by_kill),
    ("a recurring run that comes again, and in the place of later ones", repeat_recurring),
    ("a start that a promoted replica has not heard of", lambda book: kill_too_often(book, 25)),
    ("a wrong order of what was due as its node took the shard", lambda book: reverse_after_take(book, 950_000)),
    ("a late run that was due when its node took the shard, after others",
     lambda book: run_late_after_take(book, SECOND + 700_000, 2 * SECOND + 400_000)),
    ("a repetition after its node waited for a processor and lost its term", lambda book: repeat_after_wait(book, 0)),
]


class Judge(unittest.TestCase):
    def said_of(self, book):
        return in_files(book, lambda directory: subprocess.run([sys.executable, JUDGE, directory], capture_output=True, text=True,
                                                               check=False))

    def test_good_journals_pass(self):
        its = self.said_of(good_journals())
        self.assertEqual(its.returncode, 0, its.stdout + its.stderr)
        self.assertIn("runs ", its.stdout)

    def test_what_is_broken_is_shown_with_its_lines(self):
        book = good_journals()
        book.drop_run("t1", "p1")
        its = self.said_of(book)
        self.assertEqual(its.returncode, 1, its.stdout + its.stderr)
        self.assertRegex(its.stdout, r"broken: lost: 1 times\n  t1 of p1 .*\n    putter:\d+: put \d+ \d+ 1 t1 p1 ")

    def test_what_a_promoted_replica_or_a_take_excuses_passes(self):
        for text, change in EXCUSED:
            with self.subTest(text):
                book = good_journals()
                change(book)
                its = self.said_of(book)
                self.assertEqual(its.returncode, 0, its.stdout + its.stderr)

    def test_each_planted_violation_is_found(self):
        for promise, text, plant in PLANTED:
            with self.subTest(text):
                book = good_journals()
                plant(book)
                _, broken, _ = in_files(book, judge.judge)
                self.assertIn(promise, broken.cases, text)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__.split("\n\n")[1])
    JUDGE = sys.argv[1]
    sys.path.insert(0, str(Path(JUDGE).parent))
    import judge
    unittest.main(argv=sys.argv[:1])
