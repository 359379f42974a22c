#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The table that says what detent promises where its peers promise something, against the tests that prove it.

usage: contract_check.py ROOT [TABLE FIRST LAST]
Reads ROOT/docs/evidence/contract.md, rows 1 to 187, or those of another TABLE. Each number has one row; each row names a test
(`Suite.Name`, proofs.suite or walks.kind) or gives a reason; each test named is there. Exit status 1 if not.
"""
import re
import sys
from pathlib import Path

ROW = re.compile(r"^\|\s*(\d+)\s*\|(.*)\|\s*$")
NAMED = re.compile(r"`([A-Z]\w*\.[A-Z]\w*)`|\b((?:proofs|walks)\.\w+)")
DEFINED = re.compile(r"\b(?:TYPED_)?TEST(?:_[FP])?\s*\(\s*(\w+)\s*,\s*(\w+)\s*\)")
LEAST_REASON = 4  # words


def tests_of(root):
    """Suite.Name of each test of the engine, the modules and the command, proofs.suite of each suite of the explorer,
    and walks.kind of each folder of walks."""
    names = {f"proofs.{suite.stem}" for suite in root.glob("tests/proofs/protocols/*.cpp")}
    names.update(f"walks.{folder.name.removesuffix('_walks')}" for folder in root.glob("tests/search/*_walks"))
    for folder in (root / "tests", *root.glob("modules/*/tests"), root / "command/tests"):
        for source in sorted([*folder.rglob("*.cpp"), *folder.rglob("*.hpp")]):
            names.update(".".join(found) for found in DEFINED.findall(source.read_text(encoding="utf-8")))
    return names


def check_row(number, cells, tests):
    """What is wrong with one row."""
    if len(cells) != 3 or not all(cells):
        yield f"row {number}: {len(cells) + 1} columns instead of 4, or an empty one"
        return
    named = ["".join(found) for found in NAMED.findall(cells[2])]
    for name in named:
        if name not in tests:
            yield f"row {number}: there is no test {name}"
    if not named and len(NAMED.sub("", cells[2]).split()) < LEAST_REASON:
        yield f"row {number}: neither a test nor a reason"


def check(table, first, last, tests):
    """What is wrong with the table."""
    seen = set()
    for line in table.splitlines():
        if not (row := ROW.match(line)):
            continue
        number = int(row.group(1))
        if number in seen:
            yield f"row {number}: comes twice"
        if not first <= number <= last:
            yield f"row {number}: not between {first} and {last}"
        seen.add(number)
        yield from check_row(number, [cell.strip() for cell in row.group(2).split("|")], tests)
    for number in range(first, last + 1):
        if number not in seen:
            yield f"row {number}: missing"


def main(arguments):
    if len(arguments) not in (1, 4):
        sys.exit(__doc__.split("\n\n")[1])
    root = Path(arguments[0])
    path, first, last = (Path(arguments[1]), *map(int, arguments[2:])) if len(arguments) == 4 else (
        root / "docs/evidence/contract.md", 1, 187)
    if not path.is_file():
        sys.exit(f"contract_check: there is no {path}")
    wrong = list(check(path.read_text(encoding="utf-8"), first, last, tests_of(root)))
    print("\n".join(wrong) if wrong else f"contract_check: {last - first + 1} rows, nothing missing")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main(sys.argv[1:])
