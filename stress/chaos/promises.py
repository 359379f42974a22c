# SPDX-License-Identifier: MIT
"""Reads what the processes wrote, and says which promises held. The lines: P number due asked stored, a timer that is
stored, R number stored, one that recurs; K number, it is to be cancelled, and C number answered result; V number, it is to
be restarted, and W or G (gone) number due answered; X number due at fence partition node attempt, a run; M node lapsed
fenced, a node that ended in peace. Times are in us since 1970."""
import bisect
import collections
import dataclasses

Run = collections.namedtuple("Run", "number due at fence partition node attempt")
FIRST_RECURRING = 1_000_000_000


@dataclasses.dataclass
class Report:
    stored: int = 0
    recurring: int = 0
    runs: int = 0
    retries: int = 0
    restarted: int = 0
    cancels: collections.Counter = dataclasses.field(default_factory=collections.Counter)  # by letter of the result
    lost: list = dataclasses.field(default_factory=list)
    after_cancel: list = dataclasses.field(default_factory=list)
    early: int = 0
    unanswered: int = 0  # runs of timers whose put was sent again, which are no duplicates
    unordered: int = 0
    repeated: collections.Counter = dataclasses.field(default_factory=collections.Counter)  # by the fault that came last
    lateness: list = dataclasses.field(default_factory=list)  # of the first runs, us, without the store's outages
    raw: list = dataclasses.field(default_factory=list)       # the same with them
    may_repeat: int = 0                                       # runs that a fault may have had repeated
    answer: int = 0                                           # of the store, us
    lapsed: int = 0
    fenced: int = 0
    nodes: collections.Counter = dataclasses.field(default_factory=collections.Counter)

    def duplicates(self, backlogs):
        """Of blows in general, and of those amid a backlog."""
        amid = sum(self.repeated[number] for number in backlogs)
        return self.repeated.total() - amid, amid

    def quantile(self, part):
        return self.lateness[min(len(self.lateness) - 1, int(len(self.lateness) * part))] if self.lateness else 0


class Journal:
    def __init__(self, path):
        self.stored, self.recurring, self.cancels, self.restarts, self.runs = {}, {}, {}, {}, []
        self.lapsed = self.fenced = 0
        with open(path, encoding="ascii") as lines:
            for line in lines:
                self._read(*line.split())
        self.times = sorted(run.at for run in self.runs)
        self.runs_of = collections.defaultdict(list)
        for run in sorted(self.runs, key=lambda run: run.at):
            self.runs_of[run.number].append(run)

    def _read(self, kind, *words):
        if kind == "X":
            number, due, at, fence, partition, node, attempt = words
            self.runs.append(Run(int(number), int(due), int(at), int(fence), partition, node, int(attempt)))
        elif kind == "P":
            self.stored.setdefault(int(words[0]), tuple(map(int, words[1:])))  # due, asked, stored
        elif kind == "R":
            self.recurring.setdefault(int(words[0]), int(words[1]))
        elif kind == "C":
            self.cancels[int(words[0])] = (int(words[1]), words[2])
        elif kind == "W":
            self.restarts[int(words[0])] = (int(words[1]), int(words[2]))
        elif kind == "M":
            self.lapsed += int(words[1])
            self.fenced += int(words[2])

    def could_begin(self, run):
        """When the run could begin; None: nobody got the answer that it is stored."""
        number = run.number
        if number in self.restarts and run.due == self.restarts[number][0]:
            return max(run.due, self.restarts[number][1])
        if number in self.recurring:
            return max(run.due, self.recurring[number])
        if number not in self.stored:
            return None
        return max(run.due, self.stored[number][2]) if run.due == self.stored[number][0] else run.due


def excused(due, outages, grace):
    """From when on a timer that was due then could be fired: what an outage, or the `grace` before one, held up is due at its
    end."""
    for begin, end in sorted(outages):
        if begin - grace <= due <= end:
            due = max(due, end)
    return due


IN_HAND = 250_000  # us before its due time that a timer has to be stored for its place to be promised


def count_unordered(journal):
    """Runs of one term and partition that began after one that is due later, of timers that the owner had in time. What
    fails, and what is moved, comes when it comes."""
    latest, count = {}, 0
    for run in journal.runs:
        if run.number not in journal.stored or run.number % 20 < 2:
            continue
        term, last = latest.get(run.partition, (0, 0))
        if term == run.fence and run.due < last and journal.stored[run.number][2] + IN_HAND < run.due:
            count += 1
        if term != run.fence or run.due >= last:
            latest[run.partition] = (run.fence, run.due)
    return count


def count_repeated(journal, begins):
    """How many runs each fault, by its number, had repeated: those whose next one came after it began; and how many were of
    timers whose put had not been answered yet: it is sent again, and may find its timer gone."""
    counts, unanswered = collections.Counter(), 0
    for number, runs in journal.runs_of.items():
        last = {}
        for run in runs:
            if before := last.get(run.due):
                if number in journal.stored and before.at < journal.stored[number][2]:
                    unanswered += 1
                else:
                    counts[bisect.bisect(begins, run.at) - 1] += 1
            last[run.due] = run
    return counts, unanswered


def usual_answer(journal):
    """How long the store takes to answer, and what waits for it: the median of the puts that came one by one."""
    one_by_one = len(journal.stored) // 2
    answers = sorted(stored - asked for number, (_, asked, stored) in journal.stored.items() if number >= one_by_one)
    return answers[len(answers) // 2] if answers else 0


def begun_between(journal, begin, end):
    return bisect.bisect(journal.times, end) - bisect.bisect(journal.times, begin)


def is_lost(journal, number, end):
    runs = journal.runs_of.get(number, [])
    if number >= FIRST_RECURRING:
        return all(run.due < end for run in runs)
    if number % 20 == 0:  # its first run fails
        return all(run.attempt < 2 for run in runs)
    if number in journal.restarts:
        return all(run.due != journal.restarts[number][0] for run in runs)
    if number % 20 in (2, 3):  # it was to be cancelled
        return not runs and journal.cancels.get(number, (0, "u"))[1] == "r"
    return not runs


def check(path, outages, begins, backlogs, window, grace, end):
    journal = Journal(path)
    report = Report(stored=len(journal.stored), recurring=len(journal.recurring), runs=len(journal.runs),
                    restarted=len(journal.restarts), lapsed=journal.lapsed, fenced=journal.fenced)
    report.retries = sum(run.attempt > 1 for run in journal.runs)
    report.cancels.update(result for _, result in journal.cancels.values())
    report.early = sum(run.at < run.due for run in journal.runs)
    report.repeated, report.unanswered = count_repeated(journal, begins)
    report.unordered = count_unordered(journal)
    report.lost = [number for number in [*journal.stored, *journal.recurring] if is_lost(journal, number, end)]
    report.after_cancel = [number for number, (answered, result) in journal.cancels.items()
                           if result == "c" and any(run.at > answered for run in journal.runs_of.get(number, []))]
    for runs in journal.runs_of.values():
        for run in {run.due: run for run in reversed(runs)}.values():  # the first one of each due time
            if (begin := journal.could_begin(run)) is not None:
                report.raw.append(max(0, run.at - begin))
                report.lateness.append(max(0, run.at - excused(begin, outages, grace)))
    report.lateness.sort()
    report.raw.sort()
    report.answer = min(usual_answer(journal), window[1])
    report.may_repeat = sum(begun_between(journal, begin - window[0] - report.answer, begin)
                            for number, begin in enumerate(begins) if number not in backlogs)
    report.nodes = collections.Counter(run.node for run in journal.runs)
    return report
