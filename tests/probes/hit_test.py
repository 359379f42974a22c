#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""usage: hit_test.py perf|bpftrace PROGRAM: each probe is hit as often as PROGRAM says that it passed it.

Exit status 77: this machine does not let it be tried; the last line says why.
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

sys.dont_write_bytecode = True  # a test leaves the sources as they are
from notes import PROBES

SKIPPED = 77
EXPECTED = re.compile(r"^(\w+) ([=>]) (\d+)$", re.MULTILINE)


class Skipped(Exception):
    """What this machine lacks; one line."""


def run(*command):
    return subprocess.run(command, capture_output=True, text=True, timeout=100, check=False)


def last_line(done):
    lines = [line.strip() for line in (done.stderr + done.stdout).splitlines() if line.strip()]
    return lines[-1] if lines else f"exit status {done.returncode}, and nothing said"


def may(*command):
    """Runs what the machine may forbid."""
    done = run(*command)
    if done.returncode != 0:
        raise Skipped(f"{' '.join(map(str, command[:3]))} is not possible here: {last_line(done)}")
    return done


def by_perf(program, scratch):
    """(what the program printed, {probe: hits}); events of this name that were there before are replaced."""
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
    return counted.stdout, hits


def by_bpftrace(program, scratch):
    script = scratch / "count.bt"
    script.write_text("".join(f"usdt:{program}:detent:{name} {{ @{name} = count(); }}\n" for name in PROBES),
                      encoding="utf-8")
    may("bpftrace", "-e", "BEGIN { exit(); }")
    traced = may("bpftrace", "-c", program, script)
    return traced.stdout, {name: int(count) for name, count in re.findall(r"^@(\w+): (\d+)$", traced.stdout, re.M)}


def main():
    tracer, program = sys.argv[1], str(Path(sys.argv[2]).resolve())
    if shutil.which(tracer) is None:
        raise Skipped(f"no {tracer} (Debian: {'linux-perf' if tracer == 'perf' else tracer})")
    if os.geteuid() != 0:
        raise Skipped(f"{tracer} needs root for static probes")
    with tempfile.TemporaryDirectory(prefix="detent-probes-") as scratch:
        printed, hits = (by_perf if tracer == "perf" else by_bpftrace)(program, Path(scratch))
    expected = {name: (relation, int(count)) for name, relation, count in EXPECTED.findall(printed)}
    assert set(expected) == set(PROBES), f"the program told of {sorted(expected)}"
    wrong = 0
    for name, (relation, count) in expected.items():
        hit = hits.get(name, 0)
        right = hit == count if relation == "=" else hit >= count
        wrong += not right
        print(f"{name}: {hit} hits, {'at least ' if relation == '>' else ''}{count} expected{'' if right else ': WRONG'}")
    return 1 if wrong else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except Skipped as reason:
        print(f"skipped: {reason}")
        sys.exit(SKIPPED)
