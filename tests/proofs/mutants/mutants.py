#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Puts one fault at a time into the sources, and runs what must notice it: a mutant that survives is a failure.

usage: mutants.py --root ROOT --build BUILD --suites FILE... --tests FILE... [--of PROTOCOL] [--only NAME]
       mutants.py --root ROOT --build BUILD --orders [--only TEXT]
       mutants.py --root ROOT --check

explored.txt and tested.txt have the mutants that somebody thought of; faults.py says how to write one. Weaker orders are generated from the
sources: orders.py. --of runs the mutants of one protocol, --only a single one, or of the weaker orders those whose file or
text contains TEXT; --suites and --tests name the objects and archives to link the explorer's suites and the unit tests with.
--check only looks whether each fault still fits its source.
"""
import argparse
import subprocess
import sys
import tempfile
from pathlib import Path

import faults
import layers
import orders


def run_each(mutants, attempt):
    """Prints what `attempt` says of each (name, mutant). Returns the exit status: 1 where one has raised a problem."""
    failures = 0
    for name, mutant in mutants:
        try:
            print(f"killed   {name}: {attempt(mutant)}", flush=True)
        except (faults.Problem, subprocess.TimeoutExpired) as problem:
            failures += 1
            print(f"FAILURE  {name}: {problem}", flush=True)
    print(f"{len(mutants)} mutants, {failures} failures")
    return 1 if failures else 0


def run_faults(chosen, mutants):
    build = layers.Build(chosen.root, chosen.build, chosen.suites, chosen.tests)

    def attempt(mutant):
        with tempfile.TemporaryDirectory() as scratch:
            return layers.kill(mutant, build, Path(scratch))

    wanted = [(each.name, each) for each in mutants
              if chosen.of in (None, each.protocol) and chosen.only in (None, each.name)]
    if not wanted:
        raise faults.Problem(f"none in {chosen.of or 'any protocol'} is called '{chosen.only or '*'}'")
    return run_each(wanted, attempt)


def run_orders(chosen):
    wanted = [each for each in orders.generated(chosen.root) if (chosen.only or "") in str(each)]
    suites = orders.Suites(chosen.root.resolve(), chosen.build.resolve())
    return run_each([(str(each), each) for each in wanted], suites.kill)


def main():
    parser = argparse.ArgumentParser(usage=__doc__.split("\n\n")[1].removeprefix("usage: "))
    parser.add_argument("--root", type=Path, required=True)
    parser.add_argument("--build", type=Path)
    parser.add_argument("--suites", nargs="+", default=[])
    parser.add_argument("--tests", nargs="+", default=[])
    parser.add_argument("--of")
    parser.add_argument("--only")
    parser.add_argument("--orders", action="store_true")
    parser.add_argument("--check", action="store_true")
    chosen = parser.parse_args()
    try:
        mutants = faults.read_all(chosen.root)
        if chosen.check:
            faults.check_fit(chosen.root, mutants)
            orders.generated(chosen.root)
            return 0
        if chosen.build is None:
            parser.error("--build says where the programs are")
        return run_orders(chosen) if chosen.orders else run_faults(chosen, mutants)
    except faults.Problem as problem:
        sys.exit(f"mutants: {problem}")


if __name__ == "__main__":
    sys.exit(main())
