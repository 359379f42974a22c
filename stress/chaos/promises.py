# SPDX-License-Identifier: MIT
"""Reads what the nodes wrote, and says which promises held."""
import collections
import dataclasses


@dataclasses.dataclass
class Report:
    stored: int = 0
    runs: int = 0
    lost: list = dataclasses.field(default_factory=list)
    early: int = 0
    duplicates: int = 0
    unordered: int = 0
    lateness: list = dataclasses.field(default_factory=list)  # of the first runs, us, without the store's outages
    raw: list = dataclasses.field(default_factory=list)       # the same with them
    by_clock: int = 0
    by_fence: int = 0

    def quantile(self, part, of=None):
        values = self.lateness if of is None else of
        return values[min(len(values) - 1, int(len(values) * part))] if values else 0


def excused(due, outages, grace):
    """From when on a timer that was due then could be fired: what an outage, or the `grace` after one, held up is due at its end."""
    for begin, end in sorted(outages):
        if begin - grace <= due <= end:
            due = max(due, end)
    return due


def read(path):
    stored, runs, refusals = {}, [], [0, 0]
    with open(path, encoding="ascii") as lines:
        for line in lines:
            words = line.split()
            if words[0] == "P":
                stored[int(words[1])] = (int(words[2]), int(words[3]), int(words[4]))  # due, asked, stored
            elif words[0] == "X":
                runs.append((int(words[1]), int(words[2]), int(words[3]), int(words[4]), words[5], words[6]))
            elif words[0] == "M":
                refusals[0] += int(words[2])
                refusals[1] += int(words[3])
    return stored, runs, refusals


IN_HAND = 250_000  # us before its due time that a timer has to be stored for its place to be promised


def count_unordered(stored, runs):
    """Runs of one term and partition that began after one that is due later, of timers that the owner had in time."""
    latest, count = {}, 0
    for number, due, _, fence, partition, _ in runs:
        term, last = latest.get(partition, (0, 0))
        if term == fence and due < last and number in stored and stored[number][2] + IN_HAND < due:
            count += 1
        if term != fence or due >= last:
            latest[partition] = (fence, due)
    return count


def check(path, outages, grace):
    stored, runs, refusals = read(path)
    report = Report(stored=len(stored), runs=len(runs), by_clock=refusals[0], by_fence=refusals[1])
    first = {}
    for number, due, at, _, _, _ in runs:
        report.early += at < due
        first[number] = min(at, first.get(number, at))
    report.lost = sorted(set(stored) - set(first))
    report.duplicates = len(runs) - len(first)
    report.unordered = count_unordered(stored, runs)
    for number, at in first.items():
        if number not in stored:
            continue  # its last answer is not there: the one that puts was not asked for it
        due, _, when = stored[number]
        report.raw.append(at - max(due, min(when, at)))
        report.lateness.append(max(0, at - excused(max(due, min(when, at)), outages, grace)))
    report.lateness.sort()
    report.raw.sort()
    report.nodes = collections.Counter(run[5] for run in runs)
    return report
