# SPDX-License-Identifier: MIT
"""Reads, when all is over, from what contenders said and what the journal saw, whether the lock did what a lock is for."""
import dataclasses

from stage import demand


@dataclasses.dataclass
class Term:
    """One time of having the lock, from the grant to the last moment at which its holder could believe in it."""
    name: str
    granted: int
    until: int
    released: int | None = None

    @property
    def end(self):
        return self.until if self.released is None else min(self.until, self.released)


def terms_of(record):
    terms = {}
    for event in record:
        if event.kind == "granted":
            demand(event.fence not in terms, f"fence {event.fence} was given out twice")
            terms[event.fence] = Term(event.name, event.at, event.until)
        elif event.kind == "renewed":
            terms[event.fence].until = max(terms[event.fence].until, event.until)
        elif event.kind == "released":
            terms[event.fence].released = event.at
    return terms


def check_terms(terms):
    """In the order of their fences, each term ended before the next was granted."""
    ordered = sorted(terms.items())
    for (fence, term), (later_fence, later) in zip(ordered, ordered[1:]):
        demand(term.end <= later.granted,
               f"{term.name} (fence {fence}) and {later.name} (fence {later_fence}) both had the lock for "
               f"{(term.end - later.granted) / 1e6:.3f} ms")


def check_losses(record, terms):
    """A contender that says that the time ran out says so after it has."""
    for event in record:
        if event.kind == "lost" and event.why == "its time ran out":
            demand(event.at >= event.until == terms[event.fence].until,
                   f"{event.name} gave up {event.until - event.at} ns before the end of its lease")


def check_entries(entries, terms):
    """Each deed was permitted when its holder asked, and what the journal took in came in its time and in turn."""
    highest = 0
    for entry in entries:
        demand(entry.fence in terms, f"an entry with fence {entry.fence}, which nobody was granted")
        demand(entry.checked < entry.until,
               f"{terms[entry.fence].name} acted {(entry.checked - entry.until) / 1e6:.3f} ms after its lease had ended")
        if entry.verdict != "ok":
            continue
        term = terms[entry.fence]
        demand(entry.fence >= highest, f"an entry of fence {entry.fence} after one of {highest}")
        demand(term.granted <= entry.received < entry.until,
               f"an entry of {term.name} at a time when the lock was not its own")
        highest = entry.fence


def check(record, entries):
    """Returns what was checked, in words."""
    terms = terms_of(record)
    demand(terms, "nobody ever got the lock")
    check_terms(terms)
    check_losses(record, terms)
    check_entries(entries, terms)
    taken = sum(entry.verdict == "ok" for entry in entries)
    renewals = sum(event.kind == "renewed" for event in record)
    lost = sum(event.kind == "lost" for event in record)
    return [
        f"{len(terms)} terms, {renewals} renewals, {lost} terms lost: no two overlapped",
        f"{taken} entries taken, {len(entries) - taken} refused: every one permitted when its holder asked, "
        "none taken out of time or turn",
    ]
