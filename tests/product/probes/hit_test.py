#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""usage: hit_test.py perf|bpftrace PROGRAM: each probe is hit as often as PROGRAM says that it passed it; and, where
bpftrace counts, with the arguments that it says.

Exit status 77: this machine does not let it be tried; the last line says why.
"""
import re
import sys
import tempfile
from pathlib import Path

sys.dont_write_bytecode = True  # a test leaves the sources as they are
from notes import PROBES
from trial import end, may, need_static_probes, run

EXPECTED = re.compile(r"^(\w+) ([=>]) (\d+)$", re.MULTILINE)
ARGUMENTS = re.compile(r"^(\w+)\(([\d, ]+)\)$", re.MULTILINE)
FIRST = 3  # before it are addresses and what names the timer


def by_perf(program, scratch):
    """(what the program printed, {probe: hits}, None); events of this name that were there before are replaced."""
    perf = ["perf", "--buildid-dir", str(scratch)]
    may(*perf, "buildid-cache", "--add", program)
    # The events belong to the whole machine.
    run("perf", "probe", "--del", "sdt_detent:*")
    try:
        may(*perf, "probe", "--exec", program, *[f"--add=%sdt_detent:{name}" for name in PROBES])
        events = sum((["-e", f"sdt_detent:{name}*"] for name in PROBES), [])
        counted = may(*perf, "stat", "-x", ";", "-o", scratch / "counts", *events, program)
    finally:
        run("perf", "probe", "--del", "sdt_detent:*")
    hits = {}
    for line in (scratch / "counts").read_text(encoding="utf-8").splitlines():
        if found := re.match(r"(\d+);[^;]*;sdt_detent:([a-z]+)", line):
            hits[found.group(2)] = hits.get(found.group(2), 0) + int(found.group(1))
    return counted.stdout, hits, None


def by_bpftrace(program, scratch):
    """As by_perf(); and instead of None, (probe, arguments) as the program prints them."""
    actions = {name: f"@{name} = count();" for name in PROBES}
    for name, count in PROBES.items():
        if count > FIRST:
            keys = ", ".join(f"arg{each}" for each in range(FIRST, count))
            actions[name] += f" @{name}_told[{keys}] = count();"
    script = scratch / "count.bt"
    script.write_text("".join(f"usdt:{program}:detent:{name} {{ {action} }}\n" for name, action in actions.items()),
                      encoding="utf-8")
    printed = may("bpftrace", "-c", program, script).stdout
    return (printed, {name: int(count) for name, count in re.findall(r"^@(\w+): (\d+)$", printed, re.M)},
            set(re.findall(r"^@(\w+)_told\[(.*)\]: \d+$", printed, re.M)))


def main():
    tracer, program = sys.argv[1], str(Path(sys.argv[2]).resolve())
    need_static_probes(tracer)
    with tempfile.TemporaryDirectory(prefix="detent-probes-") as scratch:
        printed, hits, told = (by_perf if tracer == "perf" else by_bpftrace)(program, Path(scratch))
    expected = {name: (relation, int(count)) for name, relation, count in EXPECTED.findall(printed)}
    assert set(expected) == set(PROBES), f"the program told of {sorted(expected)}"
    wrong = 0
    for name, (relation, count) in expected.items():
        hit = hits.get(name, 0)
        right = hit == count if relation == "=" else hit >= count
        wrong += not right
        least = "at least " if relation == ">" else ""
        print(f"{name}: {hit} hits, {least}{count} expected{'' if right else ': WRONG'}")
    arguments = ARGUMENTS.findall(printed)
    assert {name for name, _ in arguments} == {name for name, count in PROBES.items() if count > FIRST}, arguments
    missing = [] if told is None else [each for each in arguments if each not in told]
    for name, wanted in missing:
        print(f"{name}: no hit with ({wanted}), but with {sorted(each for probe, each in told if probe == name)}")
    return 1 if wrong or missing else 0


if __name__ == "__main__":
    end(main)
