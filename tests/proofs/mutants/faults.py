# SPDX-License-Identifier: MIT
"""The mutants: what protocols/*.toml say, checked, and how a fault is put into a source.

A file is a protocol: its `title`, and a table [[mutant]] for each fault:
  name        unique
  file        in the tree
  old, new    the fault: `old` replaced by `new`. `old` is there once, or `times`, comments and line breaks aside; if it
              is not, the source has changed under the mutant, and that is a failure as well
  order       true: nothing but a memory order is weaker, or a fence is gone
and the layer that kills it, one of:
  suite       explorer: a suite of tests/proofs/protocols, and `scenario`, the one of its scenarios that fails; without it
              all of them are compiled, which takes twice as long, and whichever fails first counts
  test        unit: the source of a GoogleTest program, below tests/ or, of a module, from the root on, and `kills`, which of its tests
  through     for a fault in a header: the sources of the library that are compiled against it besides, in one string
"""
import re
import tomllib
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).resolve().parent
COMMENT = re.compile(r"\"(?:\\.|[^\"\\\n])*\"|//[^\n]*|/\*.*?\*/", re.DOTALL)
LEAST_ALL, LEAST_A_PROTOCOL, LEAST_ORDERS = 40, 5, 12


class Problem(Exception):
    """One line on what is wrong."""


@dataclass
class Mutant:
    """One fault, and what notices it."""
    name: str
    file: str
    old: str
    new: str
    times: int = 1
    order: bool = False
    suite: str = ""
    scenario: str = ""
    test: str = ""
    kills: str = ""
    through: str = ""


@dataclass
class Protocol:
    """The faults of one file."""
    file: str
    title: str
    mutants: list


def without_comments(text):
    return COMMENT.sub(lambda found: found.group() if found.group().startswith('"') else " ", text)


def mutate(text, old, new, times):
    """`text` with `old` replaced, wherever its lines are broken and whatever comments stand in it."""
    text = without_comments(text)
    tokens = re.findall(r"\w+|[^\w\s]", old)
    pattern = re.compile(r"(?<!\w)" * tokens[0].isidentifier() + r"\s*".join(map(re.escape, tokens)))
    count = len(pattern.findall(text))
    if count != times:
        raise Problem(f"'{old}' is there {count} times, not {times}")
    return pattern.sub(lambda _: new, text)


def check_fit(root, protocols):
    """A problem if a source has changed under a mutant."""
    for protocol in protocols:
        for each in protocol.mutants:
            try:
                mutate((root / each.file).read_text(encoding="utf-8"), each.old, each.new, each.times)
            except Problem as problem:
                raise Problem(f"{protocol.file}: '{each.name}': {problem}") from problem


def read_mutant(entry, source):
    try:
        mutant = Mutant(**entry)
    except TypeError as wrong:
        raise Problem(f"{source}: '{entry.get('name', '?')}': {wrong}") from wrong
    if bool(mutant.suite) == bool(mutant.test) or bool(mutant.test) != bool(mutant.kills):
        raise Problem(f"{source}: '{mutant.name}': give either `suite`, or `test` and `kills`")
    if mutant.scenario and not mutant.suite:
        raise Problem(f"{source}: '{mutant.name}': `scenario` is one of a `suite`")
    if mutant.kills and not re.fullmatch(r"\w+\.\w+", mutant.kills):
        raise Problem(f"{source}: '{mutant.name}': `kills` is not one test, Suite.Name")
    return mutant


def test_source(mutant):
    """The source of the test that kills, from the root of the tree."""
    return mutant.test if mutant.test.startswith("modules/") else f"tests/{mutant.test}"


def read_all(root):
    """All protocols; that there are enough of each kind; that each killer is there."""
    protocols = []
    for source in sorted((HERE / "protocols").glob("*.toml")):
        told = tomllib.loads(source.read_text(encoding="utf-8"))
        protocols.append(Protocol(source.stem, told["title"], [read_mutant(each, source.name) for each in told["mutant"]]))
    mutants = [each for protocol in protocols for each in protocol.mutants]
    names = [each.name for each in mutants]
    for mutant in mutants:
        killer = f"tests/proofs/protocols/{mutant.suite}.cpp" if mutant.suite else test_source(mutant)
        for path in (mutant.file, killer, *mutant.through.split()):
            if not (root / path).is_file():
                raise Problem(f"'{mutant.name}': there is no {path}")
        if names.count(mutant.name) != 1:
            raise Problem(f"'{mutant.name}' comes twice")
    for what, count, least in (("mutants", len(mutants), LEAST_ALL),
                               ("weakened orders", sum(each.order for each in mutants), LEAST_ORDERS),
                               *((f"mutants of {each.file}", len(each.mutants), LEAST_A_PROTOCOL) for each in protocols)):
        if count < least:
            raise Problem(f"{count} {what}, and there should be at least {least}")
    return protocols
