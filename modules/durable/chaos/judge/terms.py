# SPDX-License-Identifier: MIT
"""What holds over all timers: terms, their order, repetitions, answers, lateness, and what is left in the store."""
import collections

from journals import Fault
from timers import HEARD, shown


def by_partition(journals):
    groups = collections.defaultdict(list)
    for run in journals.runs:
        groups[run.name[1] if run.name[1] != "-" else run.name].append(run)
    return groups


def stopped_amid(journals):
    """The runs that a stop of their process came before: between its look at the clock and its line."""
    return {next((id(run) for run in journals.runs if run.life[0] == stop.whom and run.begin >= stop.end), 0)
            for stop in journals.faults if stop.kind == "stopped"}


def check_fences(journals, broken):
    amid = stopped_amid(journals)
    for runs in by_partition(journals).values():
        newest, owner = runs[0], {}
        for run in runs:
            other = owner.setdefault(run.fence, run)
            if other.life != run.life:
                broken("term", f"two processes ran {shown(run.name)}'s partition under one fence", other.lines + run.lines)
            if run.fence < newest.fence and id(run) not in amid and not is_unheard_of(journals, run, newest):
                broken("term", f"{shown(run.name)} began under an older fence after a newer one", newest.lines + run.lines)
            newest = max(newest, run, key=lambda one: one.fence)


def is_unheard_of(journals, run, newer):
    """Whether a promoted replica gave the newer term, and may not have heard of the older one, which stands for a lease."""
    return any(fault.kind == "forgot" and journals.at(run.fence) <= fault.end and journals.at(newer.fence) >= fault.begin
               and run.begin <= fault.end + int(journals.set["lease"]) for fault in journals.faults)


def check_order(journals, timers, broken):
    """A timer that was stored in time begins before one of its partition that is due later and was put after it, if both are of
    one term. What fails, recurs, is changed or was due when its node took the shard comes when it comes."""
    for runs in by_partition(journals).values():
        ahead, fence = [], None  # runs that began, without those that another one was both due and put after
        for run in runs:
            its = timers.get(run.name)
            put = its.by_hash.get(run.hash) if its else None
            if run.fence != fence:
                ahead, fence = [], run.fence
            if put is None or run.attempt > 1 or put.rule != "-" or put.answer != "ok" or len(its.puts) > 1 or its.restarts \
                    or journals.may_be_careful(run):
                continue
            last, first = put.asks[-1].at, put.asks[0].at
            if put.answered <= journals.at(run.due):
                wrong = next(((one, of) for one, of in ahead if one.due > run.due and of.asks[0].at > last), None)
                if wrong:
                    other, of = wrong
                    broken("order", f"{shown(run.name)} began after {shown(other.name)}, which is due later and was put later",
                           put.lines + of.lines + other.lines + run.lines)
            if not any(one.due >= run.due and of.asks[0].at >= first for one, of in ahead):
                ahead = [(one, of) for one, of in ahead if one.due > run.due or of.asks[0].at > first]
                ahead.append((run, put))


def excuse_of(journals, first, second):
    """The fault that made a node run again what it, or another one, had run."""
    shared, lease = journals.set["store"] != "sqlite", int(journals.set["lease"])
    for fault in journals.faults:
        if fault.begin > second.begin:
            break
        if fault.end + (lease if fault.kind in ("away", "forgot") else 0) < first.begin:  # terms are found to be over, and end
            continue
        if fault.kind in ("killed", "power") and fault.whom == first.life[0]:
            return fault
        if shared and (fault.kind in ("away", "forgot") or (fault.kind == "stopped" and fault.whom == first.life[0])):
            return fault
    taken = journals.at(second.fence)  # its node had not renewed the term for a lease by then
    spans = ((first.begin, min(second.begin, first.begin + 2 * lease)), (taken - lease, taken))
    if shared and any(journals.starved.between(*span) > lease // 2 for span in spans):
        return "starved"
    return None


def written_before(journals, run, at):
    """The line by which the node had written the run's end by then."""
    if not run.end:
        return None
    return next((where for time, count, where in journals.written[run.life] if run.number <= count and time < at), None)


def check_repetitions(journals, timers, broken):
    """Returns how many there were, by what they came from."""
    last, counts, ended = {}, collections.Counter(), collections.defaultdict(list)
    forgot = [(fault.begin - HEARD, fault.end + int(journals.set["lease"])) for fault in journals.faults if fault.kind == "forgot"]
    amid = stopped_amid(journals)
    for run in journals.runs:
        key = run.name, run.hash, run.due, run.attempt
        first = last.get(key)
        last[key] = run
        its = timers.get(run.name)
        put = its.by_hash.get(run.hash) if its else None
        if first is None or put is None:
            continue
        if not put.answer or first.begin < put.answered or id(run) in amid:
            counts["a stop" if id(run) in amid else "its put was sent again"] += 1
            continue
        fault = excuse_of(journals, first, run)
        is_forgotten = any(begin <= first.begin <= end for begin, end in forgot)
        if fault is None:
            broken("repeated", f"{shown(run.name)} ran again, and nothing had happened to its node", first.lines + run.lines)
        elif (where := written_before(journals, first, run.begin)) and not is_forgotten:
            broken("repeated", f"{shown(run.name)} ran again though its end was in the store", [*first.lines, where, *run.lines])
        counts[f"{fault.kind} {fault.whom}" if isinstance(fault, Fault) else fault] += 1
        if first.end and not is_forgotten:  # what ends after the fault is of other terms
            ended[fault, first.life[0], isinstance(fault, Fault) and first.begin > fault.end].append((first, run))
    for (fault, node, _), pairs in ended.items():
        kind, where = (fault.kind, [fault.where]) if isinstance(fault, Fault) else ("", [])
        most = int(journals.set["after_kill" if kind == "killed" else "unwritten"])
        if len(pairs) > most:
            broken("repeated", f"{len(pairs)} runs of {node} that had ended ran again after one fault; at most {most}",
                   where + pairs[0][0].lines + pairs[0][1].lines)
    return counts, max(map(len, ended.values()), default=0)


def check_answers(journals, grace, broken):
    loaded = {life[0] for life in journals.loaded}  # whose later processes have asked again
    for op in journals.ops.values():
        ask = op.asks[-1]
        if not op.answer:
            if ask.life[0] in loaded:
                broken("answered", f"a {op.what} of {shown(op.name)} has no answer", op.lines)
        elif op.what == "cancel":
            late = op.answered - ask.at - op.patience - journals.held.between(ask.at, op.answered)
            if late > grace:
                broken("patience", f"a cancel of {shown(op.name)} was answered {late // 1000} ms after its patience", op.lines)
        elif op.answer == "failed":
            broken("stored", f"a {op.what} of {shown(op.name)} was given up", op.lines)
    for op, where in journals.twice:
        broken("answered", f"a {op.what} of {shown(op.name)} was answered twice", [*op.lines, where])
    if not journals.loaded:
        broken("answered", "not everything was asked for", [])


def lateness(journals, timers, grace, broken):
    """Of the first run of each due time, sorted, in us: without what held it up."""
    seen, late, last_of = set(), [], {}
    for run in journals.runs:
        before = last_of.get(run.life, 0)
        last_of[run.life] = run.begin
        its = timers.get(run.name)
        put = its.by_hash.get(run.hash) if its else None
        if put is None or (run.name, run.due, run.attempt) in seen or not put.answer or len(its.puts) > 1:
            continue
        seen.add((run.name, run.due, run.attempt))
        begin = max(journals.at(run.due), put.answered, *(one.answered for one in its.restarts if one.due == run.due), 0)
        for outage, end in journals.outages:  # what waits for an outage, or comes a little before one, is due at its end
            if outage - grace <= begin <= end:
                begin = end
            if journals.may_be_careful(run) and end <= run.begin:
                begin = max(begin, end)
        if journals.may_be_careful(run):  # what may have ended a process starts after the one before it, on whichever node
            begin = max(begin, before)
        late.append(run.begin - begin - journals.held.between(begin, run.begin))
        if late[-1] > grace:
            broken("late", f"{shown(run.name)} ran {late[-1] // 1000} ms late", put.lines + run.lines)
    return sorted(max(0, one) for one in late)


def check_end(journals, broken):
    if not journals.listed:
        broken("left", "no journal lists the timers that are left in the store", [])
    for one in journals.left:
        if one.state == "waits":
            broken("left", f"{shown(one.name)} is left in the store", [one.where])
    for node, status, where in journals.statuses:
        if status != "0":
            broken("ended", f"{node} ended with {status}", [where])
