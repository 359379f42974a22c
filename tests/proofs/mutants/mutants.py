#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Puts one fault at a time into the sources, and runs what must notice it: a mutant that survives is a failure.

usage: mutants.py --root ROOT --build BUILD --suites FILE... --tests FILE... [--of NAME] [--only MUTANT]
       mutants.py --root ROOT --table [check]

The mutants are in protocols/*.toml; faults.py has the format. --of runs those of one file, --only a single one; --suites
and --tests name the objects and archives to link the explorer's suites and the unit tests with. --table prints
docs/evidence/mutants.md; with `check` it compares it with the page instead, and looks whether each fault still fits its source.
"""
import argparse
import subprocess
import sys
import tempfile
from pathlib import Path

import faults
import layers
import table


def passes(success, name, step):
    """Whether `step`, which gets a folder of its own, raises nothing; prints what came of it."""
    with tempfile.TemporaryDirectory() as scratch:
        try:
            print(f"{success:8} {name}: {step(Path(scratch))}", flush=True)
            return True
        except (faults.Problem, subprocess.TimeoutExpired) as problem:
            print(f"FAILURE  {name}: {problem}", flush=True)
            return False


def run_all(mutants, build):
    failures = sum(not passes("killed", each.name, lambda scratch, each=each: layers.kill(each, build, scratch))
                   for each in mutants)
    failures += sum(not passes("sound", each, lambda scratch, each=each: layers.check_suite(each, build, scratch))
                    for each in build.deaths)
    print(f"{len(mutants)} mutants, {failures} failures")
    return 1 if failures else 0


def main():
    parser = argparse.ArgumentParser(usage=__doc__.split("\n\n")[1].removeprefix("usage: "))
    parser.add_argument("--root", type=Path, required=True)
    parser.add_argument("--build", type=Path)
    parser.add_argument("--suites", nargs="+", default=[])
    parser.add_argument("--tests", nargs="+", default=[])
    parser.add_argument("--of")
    parser.add_argument("--only")
    parser.add_argument("--table", nargs="?", const="print", choices=["print", "check"])
    chosen = parser.parse_args()
    try:
        protocols = faults.read_all(chosen.root)
        if chosen.table:
            if chosen.table == "check":
                faults.check_fit(chosen.root, protocols)
            return table.show(protocols, chosen.root / "docs/evidence/mutants.md", chosen.table == "check")
        if chosen.build is None or not chosen.suites or not chosen.tests:
            parser.error("--build, --suites and --tests say what to compile and link with")
        build = layers.Build(chosen.root, chosen.build, chosen.suites, chosen.tests)
        mutants = [each for protocol in protocols if chosen.of in (None, protocol.file)
                   for each in protocol.mutants if chosen.only in (None, each.name)]
        if not mutants:
            raise faults.Problem(f"none in {chosen.of or 'any protocol'} is called '{chosen.only or '*'}'")
        return run_all(mutants, build)
    except faults.Problem as problem:
        sys.exit(f"mutants: {problem}")


if __name__ == "__main__":
    sys.exit(main())
