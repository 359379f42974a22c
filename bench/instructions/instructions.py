#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Instructions per hot operation, counted by callgrind; the loop around an operation is taken off.

They do not depend on the machine's load, but on compiler and flags: baseline.json is of g++ 12 and -O2, without -march
(valgrind knows no AVX-512). bounds.json has what an operation may take at most.
"""
import argparse
import json
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
DEFAULT_PROGRAM = HERE.parents[1] / "build/gcc/bench/instructions/detent_instructions"
BASELINE, BOUNDS = HERE / "baseline.json", HERE / "bounds.json"
# A rise counts if it exceeds both limits.
MAX_RISE_RATIO, MAX_RISE = 0.03, 1.0
NO_LOOP = "-"

DUMPED_BY = re.compile(r"^desc: Trigger: Client Request: (.*)$", re.MULTILINE)
EVENTS = re.compile(r"^events: (.*)$", re.MULTILINE)
TOTALS = re.compile(r"^totals: (.*)$", re.MULTILINE)


class Problem(Exception):
    """What keeps the counts from being taken or compared; one line."""


def read_dump(text):
    """(name, instructions) of one dump of callgrind; None if the program did not ask for it."""
    if not (name := DUMPED_BY.search(text)):
        return None
    events, totals = EVENTS.search(text), TOTALS.search(text)
    if not events or not totals or "Ir" not in events.group(1).split():
        raise Problem(f"the dump of {name.group(1)} has no total of instructions")
    # Callgrind leaves out zeroes at the end of a line.
    counts = dict(zip(events.group(1).split(), map(int, totals.group(1).split())))
    return name.group(1), counts.get("Ir", 0)


def read_dumps(texts):
    """{name: instructions} of all dumps that the program asked for."""
    dumped = {}
    for text in texts:
        if (dump := read_dump(text)) is None:
            continue
        if dump[0] in dumped:
            raise Problem(f"{dump[0]} was dumped twice")
        dumped[dump[0]] = dump[1]
    return dumped


def read_output(text):
    """(compiler, {name: (times, loop)}) of what the program printed."""
    compiler, counted = None, {}
    for line in text.splitlines():
        if found := re.fullmatch(r"compiler (.+)", line):
            compiler = found.group(1)
        elif found := re.fullmatch(r"(\w+) ([1-9]\d*) (\w+|-)", line):
            counted[found.group(1)] = (int(found.group(2)), found.group(3))
        else:
            raise Problem(f"the program printed a line that is none of its own: {line}")
    if compiler is None or not counted:
        raise Problem("the program did not say what it counted")
    return compiler, counted


def per_operation(dumped, counted):
    """{name: instructions per operation, to one decimal}, without the empty loops themselves."""
    loops = {loop for _, loop in counted.values()}
    for name in sorted(set(counted) | loops - {NO_LOOP}):
        if name not in counted or name not in dumped:
            raise Problem(f"{name} was not counted")

    def each(name):
        return dumped[name] / counted[name][0]

    return {name: round(each(name) - (0 if loop == NO_LOOP else each(loop)), 1)
            for name, (_, loop) in counted.items() if name not in loops}


def run(program, valgrind):
    """(compiler, {name: instructions}) of the program under callgrind."""
    if not Path(program).is_file():
        raise Problem(f"{program}: no such program; ./tools/dev instructions builds it")
    if shutil.which(valgrind) is None:
        raise Problem(f"{valgrind}: not found; on Debian: apt-get install valgrind")
    with tempfile.TemporaryDirectory(prefix="detent-instructions-") as directory:
        command = [valgrind, "--tool=callgrind", f"--callgrind-out-file={directory}/dump", str(Path(program).resolve())]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            said = done.stderr.strip().splitlines() or ["nothing said"]
            raise Problem(f"the program ended with {done.returncode} under callgrind: {said[-1]}")
        compiler, counted = read_output(done.stdout)
        texts = [path.read_text(errors="replace") for path in sorted(Path(directory).iterdir())]
        return compiler, per_operation(read_dumps(texts), counted)


def read_json(path):
    try:
        return json.loads(path.read_text())
    except FileNotFoundError as missing:
        raise Problem(f"{path}: no such file") from missing
    except ValueError as wrong:
        raise Problem(f"{path}: {wrong}") from wrong


def check_bounds(bounds, measured, path=BOUNDS):
    """bounds.json: {operation: {"bound": N}}, or {"bound": N, "asserted": M, "why": TEXT} where N is missed."""
    for name, entry in bounds.items():
        if name not in measured:
            raise Problem(f"{path}: {name} is not an operation")
        if set(entry) not in ({"bound"}, {"bound", "asserted", "why"}):
            raise Problem(f"{path}: {name}: takes bound alone, or bound, asserted and why")
        if "asserted" in entry and (entry["asserted"] <= entry["bound"] or not entry["why"].strip()):
            raise Problem(f"{path}: {name}: asserted must be above the bound, and why must say why")


def is_rise(now, before):
    return now - before > MAX_RISE and now - before > MAX_RISE_RATIO * before


def notes_on_bounds(bounds, measured):
    """What is to be said of bounds that are missed, and of exceptions that are not needed."""
    for name, entry in bounds.items():
        if "asserted" not in entry:
            continue
        if measured[name] <= entry["bound"]:
            yield f"{name}: the bound of {entry['bound']} is met; its exception in {BOUNDS.name} can go"
        else:
            yield f"{name}: the bound of {entry['bound']} is missed, {entry['asserted']} asserted: {entry['why']}"


def failures(measured, baseline, bounds):
    """What --check fails for, one line each."""
    for name, now in measured.items():
        if name not in baseline:
            yield f"{name}: not in {BASELINE.name}; --record adds it"
        elif is_rise(now, baseline[name]):
            yield f"{name}: {now} instructions, up from {baseline[name]} in {BASELINE.name}"
        entry = bounds.get(name, {})
        limit = entry.get("asserted", entry.get("bound", now))
        if now > limit:
            yield f"{name}: {now} instructions, over {limit} in {BOUNDS.name}"
    for name in baseline:
        if name not in measured:
            yield f"{name}: in {BASELINE.name}, but no longer counted; --record takes it out"


def table(measured, baseline, bounds):
    """The lines of the table, a heading first. A bound that is missed shows what is asserted instead in brackets."""
    rows = [("operation", "instructions", "baseline", "bound")]
    for name, now in measured.items():
        before, entry = baseline.get(name), bounds.get(name)
        bound = "" if entry is None else str(entry["bound"]) + (f" ({entry['asserted']})" if "asserted" in entry else "")
        rows.append((name, f"{now:.1f}", "" if before is None else f"{before:.1f}", bound))
    widths = [max(map(len, column)) for column in zip(*rows)]
    for row in rows:
        yield "  ".join([row[0].ljust(widths[0])] + [cell.rjust(width) for cell, width in zip(row[1:], widths[1:])]).rstrip()


def major(compiler):
    """Of "12.2.0" the 12; another compiler names itself before its version."""
    return compiler.split(".")[0]


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", default=DEFAULT_PROGRAM, help="the built program (default: of the preset gcc)")
    parser.add_argument("--valgrind", default="valgrind", help="valgrind's program (default: the one in PATH)")
    doing = parser.add_mutually_exclusive_group()
    doing.add_argument("--record", action="store_true", help=f"rewrite {BASELINE.name}")
    doing.add_argument("--check", action="store_true",
                       help=f"fail on a rise over 3 %% and one instruction above {BASELINE.name}, or beyond {BOUNDS.name}")
    parser.add_argument("--json", action="store_true", help="print JSON instead of the table")
    return parser.parse_args()


def main():
    wanted = parse_arguments()
    compiler, measured = run(wanted.program, wanted.valgrind)
    bounds = read_json(BOUNDS)
    check_bounds(bounds, measured)
    if wanted.record:
        recorded = {"compiler": compiler, "instructions": measured}
        BASELINE.write_text(json.dumps(recorded, indent=2) + "\n")
    recorded = read_json(BASELINE)
    if set(recorded) != {"compiler", "instructions"}:
        raise Problem(f"{BASELINE}: takes compiler and instructions; --record rewrites it")
    comparable = major(recorded["compiler"]) == major(compiler)
    baseline = recorded["instructions"] if comparable else {}
    if wanted.json:
        print(json.dumps({"compiler": compiler, "instructions": measured, "baseline": baseline, "bounds": bounds}, indent=2))
    else:
        print(*table(measured, baseline, bounds), *notes_on_bounds(bounds, measured), sep="\n")
    if not comparable:
        different = f"{BASELINE.name} is of compiler {recorded['compiler']}, this program of {compiler}"
        if wanted.check:
            raise Problem(different)
        print(different, file=sys.stderr)
    failed = list(failures(measured, baseline, bounds)) if wanted.check else []
    for line in failed:
        print(line, file=sys.stderr)
    return 1 if failed else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except Problem as problem:
        sys.exit(f"instructions.py: {problem}")
