# SPDX-License-Identifier: MIT
"""The page: what was found and the plot of it, the results, the targets, and how they were measured."""
import against_record
import hardware_page
import tables
import targets
from markdown import cell, list_table
from opening import opening
from own_tables import own_section, own_sections
from series import number
from target_list import ALL

HOW_TO_READ = """A figure is the median of the rounds, with the least and the greatest in brackets. Absolute figures hold only for this
machine on this day. Compare them with the floor of the same run, which is the same work without a timer system: bare
operations in a loop. In each round, the systems do a work right after one another, and ratios are computed for each
round. `bench/peers/README.md` explains how the works are done, and `bench/peers/children/README.md` explains the
systems in other languages."""

LATENESS = """The load is 1,000 timers a second with delays of 1 to 100 ms. The floors are bare threads that know all deadlines in
advance: one spins on the clock, and one sleeps with `clock_nanosleep`. The machine causes the tails. The best rival is
the one with the least p50 among those that never fire early. The last column says how often a system fires early."""

PAIRS = """Each step schedules a timer by a relative delay and cancels the oldest live one. The floor is a free node taken, an
enqueue with its share of a bulk dequeue, and a 16-byte exchange, all in the cache. Except in the columns by deadline,
it also includes a reading of the clock. In wall time, the floor is divided by the number of the producers' CPUs. The
floor reads the steady clock, so `detent`, which reads the TSC if it can, may lie below the floor."""

CALLS = """Each call is timed by itself, on one thread that makes a step each microsecond. A step cancels a random one of 10,000
timers, schedules it again 50 µs to 50 ms ahead, and restarts another one. The system's own thread fires some of them at
the same time. Each figure includes two readings of the time-stamp counter. Asio, DPDK and the multimap take a lock. A
call of libuv, libevent, libev or `asio-post` is an enqueue for the loop's thread, which does the work later."""

FIRING = """The figure is the CPU time of the whole process from the first schedule to the last callback, with deadlines spread over
a second. `detent` meets each deadline separately and spins from one to the next; `detent-tick1ms` is as coarse as a
ticking wheel. The floor sorts the same number of deadlines, visits their nodes in that order and calls them."""

TICKING = """2,000,000 timers on wheels with a tick of 1 ms; the hashed one has Netty's 512 slots."""

MEMORY = "Resident bytes for each timer, which has an argument of 24 bytes, by the number of timers."

AGAINST = """Measured by `./tools/dev bench --against {other}` on {date}, in {minutes} minutes. The same programs ran in turns on
the library of that commit and on this tree's. A bound in x applies to the ratio, and any other to this tree's figure."""


# Sections for detent's own programs.
OWN = {"burst": "Bursts", "aged": "An engine that has aged", "heartbeat": "Heartbeats",
       "sleep_cost": "Sleeps on an io_context", "plain_cost": "Plain timers on an io_context",
       "limit_cost": "Time limits on an io_context"}


class Facts:
    """What is known of the run beside its figures."""

    def __init__(self, command, seconds, notes, base):
        self.command, self.seconds, self.notes = command, seconds, list(notes)
        self._base = f"{base}/"

    def plain(self, text):
        """As a cell, without the way to this tree."""
        return cell(str(text).replace(self._base, ""))


def _machine(results, facts):
    said = results.compared.machine
    rows = [["command", f"`{facts.command}`"], ["began", said["date"]],
            ["took", f"{facts.seconds / 60:.1f} minutes, after the build"],
            ["rounds", f"up to {results.compared.rounds()} of each work"]]
    rows += [[name, facts.plain(said[name])] for name in ("cpu", "cores", "kernel", "compiler", "flags")]
    rows.append(["load before", number(said["load"])])
    return list_table(["the run", ""], rows)


def targets_table(results, wanted=ALL):
    rows, counts = targets.verdicts(results, wanted)
    lines = [[target.what, target.against, target.bound(), measured, verdict if verdict == "met" else f"**{verdict}**"]
             for target, verdict, measured in rows]
    return list_table(["what", "against", "target", "measured", ""], lines), targets.summary(counts)


def _fired_note(results):
    worst = {s: share for s, share in results.compared.pairs_fired().items() if share > 0.001}
    if not worst:
        return ""
    said = ", ".join(f"{system} {number(100 * share)} %" for system, share in worst.items())
    return f"\nTimers that fired because their cancel came too late, by the pairs made, at worst: {said}.\n"


def _firing(results):
    counts = results.compared.requests("fire", "timers")
    parts = ["## Firing", FIRING]
    parts += [tables.fire_table(results, counts[0])] if counts else ["Not measured."]
    if len(counts) > 1:
        parts += [TICKING, tables.fire_table(results, counts[-1])]
    return parts


def _calls(results, plot):
    if not results.compared.who_did("calls"):
        return []
    parts = ["## The tails of the calls", CALLS, *plot("calls", "Percentiles of schedule_at by system")]
    return parts + [tables.calls_table(results, call) for call in ("schedule", "cancel", "restart")]


def _own(results):
    parts = []
    for program, heading in OWN.items():
        section = own_section(program, results.own)
        parts += [f"## {heading}", *section] if section else []
    return parts


def _against(record):
    if record is None:
        return []
    facts = record.facts
    said = AGAINST.format(other=facts["other"], date=facts["date"], minutes=number(facts["seconds"] / 60))
    return ["### Against an earlier build", said, against_record.table(record)]


def _systems(results, facts):
    compared = results.compared
    text = list_table(["system", "version", "how it is used"],
                      [[name, facts.plain(said["version"]) or "–", facts.plain(said["how"])]
                       for name, said in compared.systems.items()])
    if compared.skipped:
        rows = [[name, facts.plain(why)] for name, why in compared.skipped.items()]
        text += "\n\nSkipped:\n\n" + list_table(["system", "why"], rows)
    else:
        text += "\n\nNo system was skipped."
    if compared.failures:
        rows = [[name, f"`{request}`", facts.plain(why)] for name, request, why in compared.failures]
        text += "\n\nFailed:\n\n" + list_table(["system", "request", "why"], rows)
    return text


def _left_out(results, facts):
    said = list(facts.notes)
    said += [f"`{program}`: {facts.plain(why)}." for program, why in results.own.left_out.items()]
    said += [f"`{program}`, `{name}`: {facts.plain(why)}." for program, name, why in results.own.errors()]
    if results.against:
        said += [f"`--against`, `{work}`, {side}: {facts.plain(why)}." for side, work, why in results.against.failures]
    return "\n".join(f"- {each}" for each in said) if said else "Everything that was to be run was run."


def page(results, facts, pictures, drawn):
    """`pictures`: the way from the page to the SVG files; `drawn`: their names."""
    def plot(name, words):
        return [f"![{words}]({pictures}/{name}.svg)"] if name in drawn else []

    verdicts, summary = targets_table(results)
    parts = ["# Benchmarks", opening(results), *plot("cpu-against-lateness", "CPU against lateness"),
             "## Lateness", LATENESS, *plot("lateness", "Lateness percentiles by system"), tables.lateness_table(results),
             "## Schedule and cancel", PAIRS, *plot("throughput", "Throughput by live timers"),
             "Wall time:", tables.PairTable(results, "wall").text(),
             "CPU time of the whole process:", tables.PairTable(results, "cpu").text() + _fired_note(results),
             *_calls(results, plot), *_firing(results), *_own(results),
             "## Memory", MEMORY, *plot("memory", "Memory of a pending timer"), tables.memory_table(results),
             "## detent alone",
             "These are detent's own benchmark programs. A name that begins with `floor_` is the bare operation.",
             *own_sections(results.own, OWN)]
    parts += hardware_page.section()
    parts += ["## Targets", f"{summary[0].upper()}{summary[1:]}.", verdicts, *_against(results.against),
              "## The run", f"Written by `{facts.command}`; not edited by hand.", HOW_TO_READ, _machine(results, facts),
              tables.floors_table(results), "## Systems", _systems(results, facts), "## Left out",
              _left_out(results, facts)]
    return "\n\n".join(each.strip("\n") for each in parts if each) + "\n"
