# SPDX-License-Identifier: MIT
"""The mutants that somebody thought of: what explored.txt and tested.txt say, checked, and how a fault is put into a source. Each
takes a line:

    ## PROTOCOL: TITLE
    # FILE [through SOURCE...]
    KILLER: NAME: OLD ~> NEW

In FILE, OLD is replaced by NEW; nothing after the arrow: it is left out. OLD is there once, comments and line breaks aside
(`~2>`: twice); if it is not, the source has changed under the mutant, and that is a failure as well. KILLER is what has to
notice it:

    suite.Scenario      a scenario of the explorer, in tests/proofs/protocols/suite.cpp
    Suite.Name[@FILE]   a GoogleTest, in FILE if its name does not say where it is. For a fault in a header, the sources of
                        the library after `through` are compiled against it besides
"""
import re
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).resolve().parent
COMMENT = re.compile(r"\"(?:\\.|[^\"\\\n])*\"|//[^\n]*|/\*.*?\*/", re.DOTALL)
LINE = re.compile(r"(?P<killer>\S+): (?P<name>.+?): (?P<old>.+?) ~(?P<times>\d*)>(?: (?P<new>.*))?")
TEST = re.compile(r"\b(?:TYPED_)?TEST(?:_[FP])?\(\s*(\w+),\s*(\w+)\s*\)")
LEAST = 200


class Problem(Exception):
    """One line on what is wrong."""


@dataclass
class Mutant:
    """One fault, and what notices it."""
    protocol: str
    file: str
    through: list
    killer: str
    name: str
    old: str
    new: str
    times: int
    source: str = ""  # of the test that kills, from the root of the tree

    @property
    def is_explored(self):
        return self.killer[0].islower()


def headed_lines(path):
    """(section, heading, line) of a list: a section begins with ##, a heading with #; what is above the first is a comment."""
    section = heading = ""
    for line in path.read_text(encoding="utf-8").splitlines():
        if line.startswith("## "):
            section = line[3:]
        elif line.startswith("# "):
            heading = line[2:]
        elif line and heading:
            yield section, heading, line


def without_comments(text):
    return COMMENT.sub(lambda found: found.group() if found.group().startswith('"') else " ", text)


def mutate(text, mutant):
    """`text` with the fault in it, wherever its lines are broken and whatever comments stand in it."""
    text = without_comments(text)
    tokens = re.findall(r"\w+|[^\w\s]", mutant.old)
    pattern = re.compile(r"(?<!\w)" * tokens[0].isidentifier() + r"\s*".join(map(re.escape, tokens)))
    count = len(pattern.findall(text))
    if count != mutant.times:
        raise Problem(f"'{mutant.old}' is there {count} times, not {mutant.times}")
    return pattern.sub(lambda _: mutant.new, text)


def check_fit(root, mutants):
    """A problem if a source has changed under a mutant, or what kills it is not there."""
    for each in mutants:
        try:
            for path in (each.file, each.source, *each.through):
                if not (root / path).is_file():
                    raise Problem(f"there is no {path}")
            mutate((root / each.file).read_text(encoding="utf-8"), each)
            if each.is_explored and f'{{"{each.killer.split(".")[1]}"' not in (root / each.source).read_text(encoding="utf-8"):
                raise Problem(f"there is no scenario {each.killer}")
        except Problem as problem:
            raise Problem(f"'{each.name}': {problem}") from problem


def tests_by_name(root):
    """Where each GoogleTest is, by Suite.Name."""
    found = {}
    for path in sorted([*(root / "tests").rglob("*_test.cpp"), *root.glob("modules/*/tests/**/*_test.cpp")]):
        for suite, name in TEST.findall(path.read_text(encoding="utf-8")):
            found.setdefault(f"{suite}.{name}", str(path.relative_to(root)))
    return found


def read_all(root):
    mutants, tests = [], tests_by_name(root)
    for section, heading, line in (*headed_lines(HERE / "explored.txt"), *headed_lines(HERE / "tested.txt")):
        protocol = section.partition(": ")[0]
        found = LINE.fullmatch(line)
        if not found:
            raise Problem(f"'{line}' is not KILLER: NAME: OLD ~> NEW")
        killer, _, source = found["killer"].partition("@")
        file, _, through = heading.partition(" through ")
        mutant = Mutant(protocol, file, through.split(), killer, found["name"], found["old"], found["new"] or "",
                        int(found["times"] or 1))
        mutant.source = (f"tests/proofs/protocols/{killer.split('.')[0]}.cpp" if mutant.is_explored
                         else source or tests.get(killer, ""))
        if not mutant.source:
            raise Problem(f"'{mutant.name}': there is no test {killer}")
        mutants.append(mutant)
    names = [each.name for each in mutants]
    for name in names:
        if names.count(name) != 1:
            raise Problem(f"'{name}' comes twice")
    if len(mutants) < LEAST:
        raise Problem(f"{len(mutants)} mutants, and there should be at least {LEAST}")
    return mutants
