# SPDX-License-Identifier: MIT
"""Reads what the processes wrote, and says which promises held. The lines: P number due asked stored, a timer that is
stored, R number stored, one that recurs; K number, it is to be cancelled, and C number answered result; V number, it is to
be restarted, and W or G (gone) number due answered; X number due at fence partition node attempt, a run; D node before begin
end busy number:due ... ., ends that the store has answered, with a minus those that it did not take, between begin and
end; before: when the thread's last call of the store was over; busy: how long since then it ran or waited for a processor;
M node lapsed fenced, a node that ended in peace. Times are in us since 1970."""
import bisect
import collections
import contextlib
import dataclasses

Run = collections.namedtuple("Run", "number due at fence partition node attempt")
Write = collections.namedtuple("Write", "before begin end busy ends")
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
    ended_twice: list = dataclasses.field(default_factory=list)  # repeated although the store had the end
    held: int = 0         # repeated although a later write was answered without the end
    most_of_a_node: int = 0  # that a fault had a node's repeat
    unwritten: int = 0    # ends that were not in the store when a fault came, or as long as it lasted
    forgotten: int = 0    # ends that a promoted replica may not have heard of
    slept: int = 0        # us that a thread with ends to write slept, 99 of 100 times
    starved: float = 0    # us
    lapsed: int = 0
    fenced: int = 0
    nodes: collections.Counter = dataclasses.field(default_factory=collections.Counter)

    def quantile(self, part):
        return self.lateness[min(len(self.lateness) - 1, int(len(self.lateness) * part))] if self.lateness else 0


class Journal:
    def __init__(self, path):
        self.stored, self.recurring, self.cancels, self.restarts, self.runs = {}, {}, {}, {}, []
        self.writes, self.ended, self.written = collections.defaultdict(list), {}, set()
        self.lapsed = self.fenced = 0
        with open(path, encoding="ascii") as lines:
            for line in lines:
                with contextlib.suppress(ValueError, IndexError):  # what a process wrote as it was killed
                    self._read(*(line.split() or "?"))
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
        elif kind == "D":
            self._read_write(*words)
        elif kind == "M":
            self.lapsed += int(words[1])
            self.fenced += int(words[2])

    def _read_write(self, node, before, begin, end, busy, *ends):
        which = []
        for text in ends[:-1]:  # the last is the dot, or was cut off
            number, due = map(int, text.lstrip("-").split(":"))
            which.append((number, due))
            if text[0] != "-":
                self.ended.setdefault((number, due), int(end))
        self.written.update((node, *one) for one in which)
        self.writes[node].append(Write(int(before), int(begin), int(end), int(busy), which))

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


def count_unordered(journal, starved):
    """Runs of one term and partition that began after one that is due later, of timers that the owner had in time. What
    fails, and what is moved, comes when it comes."""
    latest, count = {}, 0
    for run in journal.runs:
        if run.number not in journal.stored or run.number % 20 < 2:
            continue
        term, last = latest.get(run.partition, (0, 0))
        stored = journal.stored[run.number][2]
        if term == run.fence and run.due < last and run.due - stored - starved.between(stored, run.due) > IN_HAND:
            count += 1
        if term != run.fence or run.due >= last:
            latest[run.partition] = (run.fence, run.due)
    return count


def repetitions(journal):
    """Pairs of runs of the same time, and how many more were of timers whose put had not been answered yet: it is sent
    again, and may find its timer gone."""
    pairs, unanswered = [], 0
    for number, runs in journal.runs_of.items():
        last = {}
        for run in runs:
            if before := last.get(run.due):
                if number in journal.stored and before.at < journal.stored[number][2]:
                    unanswered += 1
                else:
                    pairs.append((before, run))
            last[run.due] = run
    return pairs, unanswered


def is_forgotten(stored, blows):
    return any(begin <= stored <= end for begin, end in blows.forgetting)


def judge_repetitions(journal, report, blows):
    """What is exact, however loaded the machine is: an end that the store has is never repeated; what a write leaves out has
    begun after the thread looked for ends; of each node no more are unwritten than options::unwritten."""
    pairs, report.unanswered = repetitions(journal)
    of_a_node = collections.Counter()
    for first, second in pairs:
        number = bisect.bisect(blows.begins, second.at) - 1
        report.repeated[number] += 1
        of_a_node[number, first.node] += 1
        stored = journal.ended.get((first.number, first.due))
        if stored is not None and first.at < stored < second.at:
            if not is_forgotten(stored, blows):
                report.ended_twice.append(first.number)
            continue
        after = bisect.bisect(blows.begins, first.at)
        if after == len(blows.begins) or second.at < blows.begins[after]:
            continue
        writes = journal.writes[first.node]
        place = bisect.bisect(writes, blows.begins[after], key=lambda write: write.end) - 1
        if place >= 0 and writes[place].before > first.at and (first.node, first.number, first.due) not in journal.written:
            report.held += 1
    report.most_of_a_node = max(of_a_node.values(), default=0)


def count_unwritten(journal, blows):
    count = 0
    runs = sorted(journal.runs, key=lambda run: run.at)
    times = [run.at for run in runs]
    for begin, end, previous in zip(blows.begins, blows.ends, [0, *blows.begins]):
        for run in runs[bisect.bisect(times, previous):bisect.bisect(times, end)]:
            count += journal.ended.get((run.number, run.due), end + 1) > begin
    return count


def sleep_with_ends(journal):
    """How long the threads slept, from the first of the ends of a write, or the last call of the store, to that write: 99 of
    100 times no longer."""
    begun = {(run.node, run.number, run.due): run.at for run in journal.runs}
    sleeps = []
    for node, writes in journal.writes.items():
        for write in writes:
            first = min((begun.get((node, *one), write.begin) for one in write.ends), default=write.begin)
            sleeps.append(max(0, write.begin - max(first, write.before) - write.busy))
    sleeps.sort()
    return sleeps[int(len(sleeps) * 0.99)] if sleeps else 0


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


@dataclasses.dataclass
class Blows:
    """When faults came, and until when each of them, or what it did to the store, lasted; us since 1970."""
    begins: list
    ends: list
    forgetting: list  # from and to: ends of then may be forgotten


def check(path, stage, starved, grace, end):
    journal = Journal(path)
    report = Report(stored=len(journal.stored), recurring=len(journal.recurring), runs=len(journal.runs),
                    restarted=len(journal.restarts), lapsed=journal.lapsed, fenced=journal.fenced)
    lasts = dict(stage.outages)
    ends = [stage.deaths.get(number, begin) for number, begin in enumerate(stage.begins)]
    if stage.shared:  # another node may repeat what ends while the store is away, but no term is longer than a lease
        ends = [max(end, min(lasts.get(begin, begin), begin + int(stage.lease * 1e6)))
                for begin, end in zip(stage.begins, ends)]
    blows = Blows(stage.begins, ends, [(stage.begins[number], ends[number]) for number in stage.forgot])
    report.retries = sum(run.attempt > 1 for run in journal.runs)
    report.cancels.update(result for _, result in journal.cancels.values())
    report.early = sum(run.at < run.due for run in journal.runs)
    judge_repetitions(journal, report, blows)
    report.unwritten = count_unwritten(journal, blows)
    report.forgotten = sum(is_forgotten(stored, blows) for stored in journal.ended.values())
    report.slept = sleep_with_ends(journal)
    report.unordered = count_unordered(journal, starved)
    report.lost = [number for number in [*journal.stored, *journal.recurring] if is_lost(journal, number, end)]
    report.after_cancel = [number for number, (answered, result) in journal.cancels.items()
                           if result == "c" and any(run.at > answered for run in journal.runs_of.get(number, []))]
    held_up = starved.with_outages(stage.outages)
    for runs in journal.runs_of.values():
        for run in {run.due: run for run in reversed(runs)}.values():  # the first one of each due time
            if (begin := journal.could_begin(run)) is not None:
                report.raw.append(max(0, run.at - begin))
                begin = excused(begin, stage.outages, grace)
                report.lateness.append(max(0, run.at - begin - held_up.between(begin, run.at)))
    report.lateness.sort()
    report.raw.sort()
    report.starved = starved.sums[-1] * 1e6
    report.nodes = collections.Counter(run.node for run in journal.runs)
    return report
