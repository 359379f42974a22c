# SPDX-License-Identifier: MIT
"""What each timer is promised: what it runs with and when, that it runs, that it does not after a cancel, how it is retried,
and how it recurs."""
import collections

SECOND = 1_000_000
HEARD = 1_000_000  # us: a replica hears of a write within that
CALLS = 250_000  # us: so long after a run the node has looked at its outcome, or before it has answered for it


class Timer:
    """All that has one name."""

    def __init__(self, name):
        self.name, self.puts, self.cancels, self.restarts, self.runs = name, [], [], [], []
        self.by_hash = {}

    @property
    def ops(self):
        return [*self.puts, *self.cancels, *self.restarts]


def timers_of(journals):
    timers = {}
    for op in journals.ops.values():
        its = timers.setdefault(op.name, Timer(op.name))
        {"put": its.puts, "cancel": its.cancels, "restart": its.restarts}[op.what].append(op)
        if op.what == "put":
            its.by_hash[op.hash] = op
    for its in timers.values():
        for ops in (its.puts, its.cancels, its.restarts):
            ops.sort(key=lambda op: op.asks[-1].at)
    for run in journals.runs:
        if run.name in timers:
            timers[run.name].runs.append(run)
    return timers


def check_identity(journals, timers, broken):
    owners = {op.hash: op for op in journals.ops.values() if op.what == "put"}
    for run in journals.runs:
        its, owner = timers.get(run.name), owners.get(run.hash)
        put = its.by_hash.get(run.hash) if its else None
        if put is None or put.size != run.size:
            what = "key" if owner and owner.name[0] == run.name[0] and owner.name != run.name else "payload"
            broken(what, f"{shown(run.name)} ran with what was not put for it", run.lines + (owner.lines if owner else []))
            continue
        if run.begin < put.asks[0].at:
            broken("payload", f"{shown(run.name)} ran before it was put", put.lines + run.lines)
        if put.answer == "exists" and not is_of_the_old_master(journals, put, run):
            broken("refused", f"{shown(run.name)} ran though its put was refused", put.lines + run.lines)
        if run.wall < run.due or run.begin < journals.at(run.due) - int(journals.set["skew"]):
            broken("early", f"{shown(run.name)} ran {run.due - run.wall} us before its time", run.lines)
        if run.attempt > 1:
            continue
        if put.rule != "-":
            if run.due % SECOND:
                broken("recurring", f"{shown(run.name)} ran at a time that its rule does not have", put.lines + run.lines)
        elif run.due != put.due and all(run.due != one.due or one.asks[0].at > run.begin for one in its.restarts):
            broken("time", f"{shown(run.name)} ran at a time that was not asked for", put.lines + run.lines)


def is_of_the_old_master(journals, put, run):
    """Whether a promoted replica may not know that it ran, and what ran before it: the put was answered after that."""
    return any(fault.end < put.answered for fault in forgotten_by(journals, run))


def forgotten_by(journals, run):
    """The promotions of a replica that may not have heard that it began or ended."""
    return [fault for fault in journals.faults if fault.kind == "forgot" and fault.begin - HEARD <= run.begin <= fault.end]


def is_lost(journals, its):
    """Whether a standby that was promoted may lack a change of it: then it may be gone, or as it was before. A change that the
    old server has carried out may be answered later, together with others."""
    spans = [(fault.begin, fault.end) for fault in journals.faults if fault.kind == "lost"]
    return any(op.asks[0].at <= end and begin <= (op.answered or begin) for op in its.ops for begin, end in spans)


def shown(name):
    return name[0] if name[1] == "-" else f"{name[0]} of {name[1]}"


def check_cancels(journals, its, broken):
    for cancel in its.cancels:
        if cancel.answer not in ("cancelled", "running", "gone"):
            continue
        before = {put.hash for put in its.puts if put.asks[-1].at < cancel.asks[-1].at}
        runs = [run for run in its.runs if run.hash in before]
        later = [run for run in runs if run.begin > cancel.answered]
        if cancel.answer == "running" and len(later) == len(runs):
            # It writes its first line a little after it has begun.
            if later and later[0].begin <= journals.held.after(cancel.answered, CALLS):
                later = later[1:]
            else:
                broken("cancelled", f"{shown(its.name)} was said to be running, and had not begun", cancel.lines)
        for run in later:
            broken("cancelled", f"{shown(its.name)} ran after a cancel was answered {cancel.answer}", cancel.lines + run.lines)


def is_taken(journals, its, put):
    """Whether a later call may have taken it away."""
    asked = put.asks[0].at
    # A cancel that was asked for before may have taken the timer that the put kept.
    kept_none = any(one.answer == "cancelled" and one.asks[-1].at < asked < one.answered for one in its.cancels)
    for cancel in its.cancels:
        if cancel.asks[-1].at < asked:
            continue
        lost_answer = len(cancel.asks) > 1 or journals.held.between(cancel.asks[-1].at, cancel.answered) > 0
        if cancel.answer != "gone" or lost_answer or kept_none:
            return True
    return any(one.mode == "replace" and one.asks[-1].at > asked and one.answer != "failed" for one in its.puts if one is not put)


def owed_runs(journals, its, put):
    """The runs that may be what the put is owed."""
    if put.mode == "keep" and its.puts[0] is not put:
        stays = journals.set["keep"] == "stays"
        return [run for run in its.runs if stays or run.begin >= put.asks[0].at or is_kept_by_the_old_master(journals, put, run)]
    runs = [run for run in its.runs if run.hash == put.hash]
    moved = [one for one in its.restarts if one.answer == "ok" and one.asks[0].at > put.asks[0].at]
    if moved:
        runs = [run for run in runs if run.due == moved[-1].due or run.attempt > 1]
    return runs


def is_kept_by_the_old_master(journals, put, run):
    """Whether a promoted replica has kept it, until its node sent the end again that the replica had not heard of."""
    lease = int(journals.set["lease"])
    return any(put.asks[0].at <= fault.end + lease and fault.end < put.answered for fault in forgotten_by(journals, run))


def check_lost(journals, its, broken):
    for put in its.puts:
        if put.answer != "ok" or is_taken(journals, its, put):
            continue
        owed = owed_runs(journals, its, put)
        if not owed:
            kept = put.mode == "keep" and its.puts[0] is not put
            broken("keep" if kept else "lost", f"{shown(its.name)} was stored, and did not run" + (" after that" if kept else ""),
                   [line for op in its.ops for line in op.lines] + [line for run in its.runs for line in run.lines])
            continue
        if put.handler == "kills":
            continue  # it ends as a dead one
        last = max(owed, key=lambda run: (run.attempt, run.due, run.end or run.begin))
        most = journals.handlers[put.handler].attempts
        if last.outcome == "" and not any(run.begin > last.begin for run in its.runs) and last.attempt < most:
            broken("lost", f"{shown(its.name)} did not run again after a run without an end", put.lines + last.lines)
        if last.outcome.startswith("retry") and last.attempt < most and not is_given_up(journals, last, most):
            broken("lost", f"{shown(its.name)} failed, and was not tried again", put.lines + last.lines)


def check_old_versions(journals, its, grace, broken):
    """On a store that is shared, the node that has it in hand hears of a change a little later."""
    changes = [(one, {put.hash for put in its.puts if put is not one and put.asks[0].at < one.asks[0].at}, None)
               for one in its.puts if one.mode == "replace" and one.answer == "ok"]
    changes += [(one, {put.hash for put in its.puts}, one.due) for one in its.restarts if one.answer == "ok"]
    for change, hashes, due in changes:
        for run in its.runs:
            late = run.begin - change.answered - journals.held.between(change.answered, run.begin)
            if run.hash in hashes and run.due != due and run.attempt == 1 and late > grace:
                broken("replaced" if due is None else "restarted", f"{shown(its.name)} ran as it was before a change",
                       change.lines + run.lines)


def check_retries(journals, its, grace, broken):
    for put in its.puts:
        starts = []
        if put.handler == "kills":
            starts = [run for run in its.runs if run.hash == put.hash and not forgotten_by(journals, run)]
        unmarked = journals.set["store"] != "sqlite"  # there, the first one is not counted
        if starts and len(starts) > journals.handlers[put.handler].attempts + unmarked:
            broken("attempts", f"{shown(its.name)} has taken its process with it {len(starts)} times",
                   put.lines + [run.where for run in starts])
    for run in its.runs:
        put = its.by_hash.get(run.hash)
        if run.attempt == 1 or put is None or put.handler == "kills":
            continue
        how = journals.handlers[put.handler]
        if run.attempt > how.attempts:
            broken("attempts", f"{shown(its.name)} ran {run.attempt} times, and may {how.attempts}", run.lines)
        before = [one for one in its.runs if one.hash == run.hash and one.attempt == run.attempt - 1 and one.begin < run.begin]
        if journals.may_be_careful(run) or any(one.outcome == "" or journals.last_of[one.life] is one for one in before):
            continue  # a start that its process did not outlive counts; that may end after its last line
        failed = [one for one in before if one.outcome.startswith("retry")]
        if not failed:
            broken("attempts", f"{shown(its.name)} has attempt {run.attempt} without a failed one before it", run.lines)
        elif not any(is_backed_off(journals, one, run, how, grace) for one in failed):
            broken("back-off", f"{shown(its.name)} was tried again at another time than its back-off says",
                   [line for one in failed for line in one.lines] + run.lines)


def is_backed_off(journals, failed, run, how, grace):
    _, _, delay = failed.outcome.partition(":")
    most = int(delay) if delay else min(how.first << (failed.attempt - 1), how.longest)
    least = most if delay else most // 2
    waited = run.due - failed.end_wall
    return least <= waited <= most + grace + journals.held.between(failed.end, run.begin)


def check_dead(journals, timers, broken):
    """Of each timer that failed for good there is a dead one, and of no other."""
    dead = collections.defaultdict(list)
    for one in journals.left:
        if one.state == "dead":
            dead[one.name].append(one.where)
    reported = {name: where for name, _, where in journals.dead}
    for its in timers.values():
        if is_lost(journals, its):
            continue
        final = [run for run in its.runs if run.hash in its.by_hash and is_final(journals, its.by_hash[run.hash], run)]
        if not final:
            for where in dead.get(its.name, []) + ([reported[its.name]] if its.name in reported else []):
                broken("dead", f"{shown(its.name)} is dead, and did not fail for good", [where])
        elif its.name not in dead and len(its.puts) + len(its.cancels) + len(its.restarts) == 1:
            broken("dead", f"{shown(its.name)} failed for good, and is not among the dead", final[-1].lines)


def is_given_up(journals, run, most):
    """Whether it is among the dead by starts that were marked, and of which a kill left no line."""
    if journals.set["store"] == "sqlite" or not run.outcome.startswith("retry") or \
            all(one.name != run.name or one.state != "dead" for one in journals.left):
        return False
    at = max((at for name, at, _ in journals.dead if name == run.name), default=journals.listed)
    kills = sum(fault.kind == "killed" and run.end <= fault.end and fault.begin <= at for fault in journals.faults)
    return kills >= most - run.attempt


def is_final(journals, put, run):
    most = journals.handlers[put.handler].attempts
    used_up = run.attempt >= most and run.outcome[:5] in ("", "retry")
    return run.outcome == "dead" or used_up or put.handler == "kills" or is_given_up(journals, run, most)


def check_recurring(journals, its, grace, broken):
    for put in its.puts:
        if put.rule == "-" or put.answer != "ok" or is_taken(journals, its, put):
            continue
        times = collections.defaultdict(list)
        for run in its.runs:
            if run.hash == put.hash:
                times[run.due].append(run)
        ask = put.asks[-1]
        due, end, wall, lines, last = 0, ask.at, ask.wall, put.lines, None
        for next_due, runs in sorted(times.items()):
            waits = max(0, min(journals.held.after(end, CALLS), runs[0].begin) - end)
            if next_due > (max(due, wall + waits) // SECOND + 1) * SECOND:
                broken("recurring", f"{shown(its.name)} has lost a run before {next_due}", lines + runs[0].lines)
            last = max(runs if last is None else [last, *runs], key=lambda run: run.end or run.begin)  # one may come again later
            due, end, wall, lines = next_due, last.end or last.begin, last.end_wall or last.wall, last.lines
        if times and last.outcome != "dead" and journals.at(due + 2 * SECOND) < journals.listed - grace:
            broken("recurring", f"{shown(its.name)} has no run after {due}", lines)
