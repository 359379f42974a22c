#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Compares detent with its rivals and with the floors of this machine, and writes the page with tables and plots.

usage: report.py [--quick]     runs, and writes docs/benchmarks.md (--quick: build/bench/quick/benchmarks.md)
       report.py --again       writes the page of the last full run again

The page shows what against.py has recorded of two builds as well, if it has.
"""
import argparse
import json
import sys
from pathlib import Path

sys.dont_write_bytecode = True  # a run leaves the sources as they are
import against_record
import page
import run
import targets
from comparison import BadRecord, Comparison, is_rival
from draw import draw
from programs import Programs

ROOT = Path(__file__).resolve().parents[2]


def arguments():
    parser = argparse.ArgumentParser(prog="report.py", allow_abbrev=False,
                                     description="The comparison, and the page about it.")
    parser.add_argument("--build", type=Path, default=ROOT / "build/gcc", metavar="DIR",
                        help="the build tree with the programs (default: build/gcc)")
    how = parser.add_mutually_exclusive_group()
    how.add_argument("--quick", action="store_true", 
                     help="one small round in under 2 minutes; its page stays in build/bench")
    how.add_argument("--again", action="store_true", help="write the page of the last full run again")
    wanted = parser.parse_args()
    if not wanted.again and not wanted.build.is_dir():
        parser.error(f"--build {wanted.build}: no such directory")
    return wanted


def measure(build, size, directory):
    """Runs all of it; leaves its records in `directory`."""
    directory.mkdir(parents=True, exist_ok=True)
    going = run.Run(build, size, directory)
    going.compare()
    going.measure_own()
    (directory / "run.json").write_text(json.dumps({"seconds": going.seconds(), "notes": going.notes}) + "\n",
                                        encoding="utf-8")


def recorded(directory, command):
    """The results of the run that left its records there, and the facts about it."""
    results = targets.Results(Comparison.read(directory / "comparison.jsonl"),
                              Programs.read(directory / "programs.json"),
                              against_record.Record.read(ROOT / "build/against/record.json"))
    try:
        said = json.loads((directory / "run.json").read_text(encoding="utf-8"))
        return results, page.Facts(command, said["seconds"], said["notes"], ROOT)
    except (OSError, ValueError, KeyError) as problem:
        raise BadRecord(f"{directory}/run.json: {problem}") from problem


def write_page(results, facts, target):
    pictures = target.parent / target.stem
    drawn = draw(results, pictures)
    target.write_text(page.page(results, facts, target.stem, drawn), encoding="utf-8")


def summarize(results, facts, target):
    """The targets on stdout, what went wrong on stderr. True if all of detent's own figures are there."""
    verdicts, summary = page.targets_table(results)
    print(f"{verdicts}\n\nTargets: {summary}. Took {facts.seconds:.0f} s. Page: {target}")
    for note in facts.notes:
        print(f"report.py: {note}", file=sys.stderr)
    for name, why in results.compared.skipped.items():
        print(f"report.py: {name} was skipped: {why}", file=sys.stderr)
    for system, request, why in results.compared.failures:
        print(f"report.py: {system}: {request}: {why}", file=sys.stderr)
    for program, name, why in results.own.errors():
        print(f"report.py: {program}: {name}: {why}", file=sys.stderr)
    # If a rival cannot do something, that is a finding like any other. If detent or a floor cannot, it is a fault.
    return all(is_rival(system) for system, _, _ in results.compared.failures) and not results.own.errors()


def main():
    wanted = arguments()
    size = run.QUICK if wanted.quick else run.FULL
    directory = ROOT / "build/bench" / size.name
    target = directory / "benchmarks.md" if wanted.quick else ROOT / "docs" / "benchmarks.md"
    command = "./tools/dev bench" + (" --quick" if wanted.quick else "")
    try:
        if not wanted.again:
            measure(wanted.build, size, directory)
        results, facts = recorded(directory, command)
        write_page(results, facts, target)
    except BadRecord as problem:
        sys.exit(f"report.py: {problem}")
    sys.exit(0 if summarize(results, facts, target) else 1)


if __name__ == "__main__":
    main()
