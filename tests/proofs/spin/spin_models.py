#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Has Spin search a protocol's model, all of it, and each of its broken variants, in which it must find the error.

usage: spin_models.py MODEL --spin SPIN --cc CC [--only NAME]

MODEL.toml lists the runs of MODEL.pml. Each [[intact]] is a configuration, searched for safety and, with `progress`, for
runs in which the claim does not come true; there must be no error, and nothing left out. What is `long`, and a search for
`progress` that is, takes part if DETENT_LONG_TESTS is set. Each [[broken]] defines BROKEN_name in a configuration and says by
`error` what must be found.
"""
import argparse
import os
import re
import subprocess
import sys
import tempfile
import time
import tomllib
from pathlib import Path

HERE = Path(__file__).resolve().parent
LONG = bool(os.environ.get("DETENT_LONG_TESTS"))
DEPTH, SLOTS, MEGABYTES, SECONDS = 100_000, 22, 1400, 600  # two to the power of SLOTS
# Pan's words for an error, by the kinds that a variant may ask for.
KINDS = {"assertion": "assertion violated", "invalid end state": "invalid end state", "acceptance cycle": "acceptance cycle"}
INCOMPLETE = ("max search depth too small", "out of memory", "reached -DMEMLIM", "Search not completed", "VECTORSZ")


class Problem(Exception):
    """One line on what is wrong."""


def run(arguments, directory, what):
    try:
        done = subprocess.run(arguments, cwd=directory, capture_output=True, text=True, timeout=SECONDS, check=False)
    except subprocess.TimeoutExpired:
        raise Problem(f"{what} takes more than {SECONDS} s") from None
    except OSError as problem:
        raise Problem(f"{arguments[0]} cannot be run: {problem.strerror}") from None
    return done.returncode, done.stdout + done.stderr


def search(chosen, flags, progress, optimise):
    """What pan prints of the model with these flags, searched for safety or for progress. Most searches take less time
    than an optimizing compiler would. States are stored as they are: to compress them takes as long again as to search."""
    with tempfile.TemporaryDirectory() as scratch:
        model = HERE / f"{chosen.model}.pml"
        status, said = run([chosen.spin, *flags, *["-DPROGRESS"] * progress, "-a", str(model)], scratch, "spin")
        if status != 0 or "Error" in said or not (Path(scratch) / "pan.c").exists():
            first = next((line for line in said.splitlines() if "Error" in line), said.strip()[:300])
            raise Problem(f"spin refuses the model: {first}")
        options = ["-DNOFAIR", f"-DMEMLIM={MEGABYTES}"] + ([] if progress else ["-DSAFETY"])
        status, said = run([chosen.cc, "-w", optimise, *options, "-o", "pan", "pan.c"], scratch, "compiling pan.c")
        if status != 0:
            raise Problem(f"pan.c does not compile: {said.strip().splitlines()[0]}")
        # Looking for progress, assertions are left to the search for safety.
        claim = ["-a", "-A"] if progress else []
        return run([str(Path(scratch) / "pan"), f"-m{DEPTH}", f"-w{SLOTS}", "-n", *claim], scratch, "the search")[1]


def outcome(said):
    """(error or None, states). Raises Problem where the search tells neither."""
    count = re.search(r"errors: (\d+)", said)
    states = re.search(r"(\d+(?:\.\d+)?(?:e\+\d+)?) states, stored", said)
    if not count or not states:
        raise Problem(f"the search says nothing of errors: {said.strip()[-200:]}")
    if count.group(1) == "0":
        for mark in INCOMPLETE:
            if mark in said:
                raise Problem(f"the search is not complete: {mark}")
        return None, int(float(states.group(1)))
    first = next((line for line in said.splitlines() if line.startswith("pan:")), "")
    kind = next((name for name, mark in KINDS.items() if mark in first), None)
    if kind is None:
        raise Problem(f"the search ends by: {first or said.strip()[-200:]}")
    return kind, int(float(states.group(1)))


def check_intact(chosen, each):
    told = []
    for progress in [False, True][:1 + (each.get("progress") in (True, *["long"] * LONG))]:
        found, states = outcome(search(chosen, each["flags"], progress, "-Og"))
        if found:
            raise Problem(f"the search for {'progress' if progress else 'safety'} finds: {found}")
        told.append(f"{'progress' if progress else 'safety'} {states:,} states")
    return ", ".join(told)


def check_broken(chosen, each):
    if each["error"] not in KINDS:
        raise Problem(f"error = '{each['error']}': there are {', '.join(KINDS)}")
    progress = each["error"] == "acceptance cycle"
    flag = f"BROKEN_{each['name']}"
    if not any(re.search(rf"\b{flag}\b", part.read_text()) for part in HERE.glob(f"{chosen.model}*.pml")):
        raise Problem(f"{flag} is not in {chosen.model}*.pml")
    found, states = outcome(search(chosen, [*each["flags"], f"-D{flag}"], progress, "-O0"))
    if found != each["error"]:
        raise Problem(f"survives {states:,} states" if found is None else f"refuted by an {found}, not by an {each['error']}")
    return f"{found}, after {states:,} states"


def main():
    parser = argparse.ArgumentParser(usage=__doc__.split("\n\n")[1].removeprefix("usage: "))
    parser.add_argument("model")
    parser.add_argument("--spin", required=True)
    parser.add_argument("--cc", required=True)
    parser.add_argument("--only")
    chosen = parser.parse_args()
    try:
        listed = tomllib.loads((HERE / f"{chosen.model}.toml").read_text())
    except OSError as problem:
        sys.exit(f"spin_models: {chosen.model}.toml: {problem.strerror}")
    runs = [(kind, check, each) for kind, check in (("intact", check_intact), ("broken", check_broken))
            for each in listed[kind] if chosen.only in (None, each["name"]) and (LONG or not each.get("long", False))]
    if not runs:
        sys.exit(f"spin_models: no run of {chosen.model} is called '{chosen.only}'")
    failures = 0
    for kind, check, each in runs:
        started = time.monotonic()
        try:
            said = f"{kind}   {each['name']}: {check(chosen, each)}"
        except Problem as problem:
            failures += 1
            said = f"FAILURE  {kind} {each['name']}: {problem}"
        print(f"{said} ({time.monotonic() - started:.1f} s)", flush=True)
    print(f"{chosen.model}: {len(runs) - failures} of {len(runs)} runs are as they should be")
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
