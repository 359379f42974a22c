#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs whole programs against each mutant, and keeps in matrix.txt which of them notice it.

usage: kill_matrix.py --root ROOT --scratch FOLDER [--in PATH] [--only MUTANT] [--seconds N] [PROGRAM...]

A mutant is tried in a copy of the tree in FOLDER, which is built with every private limit as small as it may be. PROGRAMs
are targets of that build; without any they are the two walks. --in runs the mutants of the sources
below PATH (core/), --only a single one, and --seconds ends the work after that time. A row goes to the file as soon as it
is known. A program that stands in a row is run again only after the source of that mutant has changed.
"""
import argparse
import hashlib
import os
import subprocess
import sys
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[1] / "proofs/mutants"))
import faults  # noqa: E402

ROWS = HERE / "matrix.txt"
HEAD = "# Made by kill_matrix.py: the mutant's source as it was | the mutant | programs that fail | programs that do not\n"
# Seeds and counts are fixed, so that a row can be made again.
PROGRAMS = {"detent_walks": ["--seed", "1", "--walks", "3000", "--as-it-is"],
            "detent_worker_walks": ["--seed", "843000", "--walks", "4000", "--as-it-is"]}
SECONDS = 240  # a program that takes longer hangs
CONFIGURE = ["-G", "Ninja", "-DCMAKE_BUILD_TYPE=RelWithDebInfo", "-DCMAKE_CXX_FLAGS_RELWITHDEBINFO=-O1", "-DCMAKE_CXX_COMPILER=g++-12",
             "-DDETENT_TIGHT_LIMITS=ON", "-DDETENT_BUILD_TESTS=ON", "-DDETENT_UNITE=OFF"]


class Row:
    """What is known of a mutant."""

    def __init__(self, key, kill=(), miss=()):
        self.key, self.kill, self.miss = key, set(kill), set(miss)

    def text(self, name):
        return f"{self.key} | {name} | {' '.join(sorted(self.kill))} | {' '.join(sorted(self.miss))}".rstrip() + "\n"


def read_rows():
    rows = {}
    for line in ROWS.read_text(encoding="utf-8").splitlines() if ROWS.is_file() else []:
        if not line.startswith("#"):
            key, name, kill, miss = (cell.strip() for cell in line.split("|"))
            rows[name] = Row(key, kill.split(), miss.split())
    return rows


def write_rows(rows):
    ROWS.write_text(HEAD + "".join(rows[name].text(name) for name in sorted(rows)), encoding="utf-8")


def copy_tree(root, tree):
    """Copies what Git knows of; what is there already and the same keeps its time."""
    names = subprocess.run(["git", "-C", root, "ls-files", "-z"], check=True, capture_output=True, text=True).stdout
    for name in filter(None, names.split("\0")):
        source, target = root / name, tree / name
        if not source.is_file() or target.is_file() and target.read_bytes() == source.read_bytes():
            continue
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(source.read_bytes())
        target.chmod(source.stat().st_mode)


def build(folder, programs):
    """Whether they build."""
    return subprocess.run(["cmake", "--build", folder, "-j", "1", "--target", *programs], capture_output=True).returncode == 0


def notices(folder, program):
    """Whether the program fails, or hangs."""
    found = [path for path in folder.rglob(program) if path.is_file() and os.access(path, os.X_OK)]
    try:
        return subprocess.run([found[0], *PROGRAMS.get(program, ["--gtest_fail_fast", "--gtest_brief=1"])], capture_output=True,
                              cwd=folder, timeout=SECONDS).returncode != 0
    except subprocess.TimeoutExpired:
        return True


def try_mutant(mutant, row, tree, folder, programs):
    source = tree / mutant.file
    whole = source.read_text(encoding="utf-8")
    try:
        source.write_text(faults.mutate(whole, mutant), encoding="utf-8")
        if not build(folder, programs):
            row.kill.add("compiler")
            return
        for program in programs:
            (row.kill if notices(folder, program) else row.miss).add(program)
    finally:
        source.write_text(whole, encoding="utf-8")


def main():
    parser = argparse.ArgumentParser(usage=__doc__.split("\n\n")[1].removeprefix("usage: "))
    parser.add_argument("--root", type=Path, required=True)
    parser.add_argument("--scratch", type=Path, required=True)
    parser.add_argument("--in", dest="below", default="")
    parser.add_argument("--only")
    parser.add_argument("--seconds", type=float, default=1e9)
    parser.add_argument("programs", nargs="*", default=list(PROGRAMS))
    chosen = parser.parse_args()
    tree, folder = chosen.scratch / "tree", chosen.scratch / "build"
    copy_tree(chosen.root.resolve(), tree)
    mutants = [each for each in faults.read_all(tree)
               if each.file.startswith(chosen.below) and chosen.only in (None, each.name)]
    mutants.sort(key=lambda each: each.is_explored)  # first those for which an example is named
    subprocess.run(["cmake", "-S", tree, "-B", folder, *CONFIGURE], check=True, stdout=subprocess.DEVNULL)
    if not build(folder, chosen.programs) or any(notices(folder, each) for each in chosen.programs):
        sys.exit("kill_matrix: without a mutant the programs do not build, or fail")
    rows, end = read_rows(), time.monotonic() + chosen.seconds
    for mutant in mutants:
        source = faults.without_comments((tree / mutant.file).read_text(encoding="utf-8"))
        key = hashlib.sha256(f"{source}\0{mutant.old}\0{mutant.new}".encode()).hexdigest()[:10]
        row = rows.get(mutant.name)
        if row is None or row.key != key:
            row = Row(key)
        missing = [each for each in chosen.programs if each not in row.kill | row.miss and "compiler" not in row.kill]
        if not missing:
            continue
        if time.monotonic() > end:
            break
        try_mutant(mutant, row, tree, folder, missing)
        rows[mutant.name] = row
        write_rows(rows)
        print(row.text(mutant.name), end="", flush=True)
    known = sum(each.name in rows for each in mutants)
    print(f"{known} of {len(mutants)} mutants have a row")


if __name__ == "__main__":
    main()
