#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Says which promises of docs/durable.md the journals of a chaos show to be broken, with the lines that prove it, and exits 1; or
sums up what was, and exits 0. It knows nothing but the journals: journals.py says what they are."""
import argparse
import collections
import sys
from pathlib import Path

sys.dont_write_bytecode = True
import terms
import timers as of_timers
from journals import Journals

SHOWN = 3  # of each promise


class Broken:
    """Each broken promise, with its cases."""

    def __init__(self):
        self.cases = collections.defaultdict(list)

    def __call__(self, promise, text, lines):
        self.cases[promise].append((text, lines))


def judge(directory):
    """(the journals, what is broken, the counts for a summary)"""
    journals, broken = Journals(directory), Broken()
    grace = int(1.25 * int(journals.set["lease"])) + 100_000
    timers = of_timers.timers_of(journals)
    of_timers.check_identity(journals, timers, broken)
    of_timers.check_dead(journals, timers, broken)
    lost = 0
    for its in timers.values():
        of_timers.check_retries(journals, its, grace, broken)
        if of_timers.is_lost(journals, its):
            lost += 1
            continue
        of_timers.check_cancels(journals, its, broken)
        of_timers.check_lost(journals, its, broken)
        of_timers.check_old_versions(journals, its, grace, broken)
        of_timers.check_recurring(journals, its, grace, broken)
    terms.check_fences(journals, broken)
    terms.check_order(journals, timers, broken)
    terms.check_answers(journals, grace, broken)
    terms.check_end(journals, broken)
    repeated = terms.check_repetitions(journals, timers, broken)
    return journals, broken, (lost, repeated, terms.lateness(journals, timers, grace, broken))


def print_summary(journals, lost, repeated, late):
    ops = collections.Counter((op.what, op.answer or "unanswered") for op in journals.ops.values())
    nodes = collections.Counter(run.life[0] for run in journals.runs)
    said = {what: ", ".join(f"{count} {answer}" for (of, answer), count in sorted(ops.items()) if of == what)
            for what in ("put", "restart", "cancel")}
    print(f"puts: {said['put']}; restarts: {said['restart'] or 'none'}; cancels: {said['cancel'] or 'none'}")
    print(f"runs {len(journals.runs)}, of them {sum(run.attempt > 1 for run in journals.runs)} retries, by node "
          + ", ".join(f"{name} {count}" for name, count in sorted(nodes.items()))
          + f"; dead {sum(one.state == 'dead' for one in journals.left)}")
    if any(fault.kind == "lost" for fault in journals.faults):
        print(f"timers of which a promoted standby may not have heard all: {lost}")
    counts, most = repeated
    print(f"repeated {counts.total()}, after one fault at most {most} that had ended (at most {journals.set['unwritten']})"
          + "".join(f"; {count} after: {text or 'nothing'}" for text, count in counts.items()))
    if late:
        print("lateness without outages and waits for a processor: "
              + ", ".join(f"{name} {late[min(len(late) - 1, int(len(late) * part))] / 1000:.3f} ms"
                          for name, part in (("p50", 0.5), ("p99", 0.99), ("worst", 1))))


def main():
    parser = argparse.ArgumentParser(prog="judge", description=__doc__)
    parser.add_argument("journals", help="a directory, whose files are all journals")
    directory = parser.parse_args().journals
    if not Path(directory, "driver").is_file():
        parser.error(f"{directory} has no journal of a driver: name a directory that `./tools/dev chaos --journals` has made")
    journals, broken, counts = judge(directory)
    print_summary(journals, *counts)
    for promise, cases in broken.cases.items():
        print(f"broken: {promise}: {len(cases)} times")
        for text, lines in cases[:SHOWN]:
            print(f"  {text}")
            for where in lines:
                print(f"    {journals.text(where)}")
    sys.exit(1 if broken.cases else 0)


if __name__ == "__main__":
    main()
