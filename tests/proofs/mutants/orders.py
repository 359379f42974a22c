# SPDX-License-Identifier: MIT
"""The mutants of weaker orders, which nobody writes down: each atomic operation of the library that has an order, and each
fence, is weakened by one step, and a suite of the explorer must fail. The suites' own programs do it, as they are
(`proofs.x --weaken=...`), so that nothing is compiled. exempt.txt names what no suite can kill, with the reason:

    # FILE                       or a pattern of files, such as modules/pools/*
    TEXT ~> ORDER: REASON        of the operations that contain TEXT, what is no failure if it survives
    *: REASON                    the whole file
"""
import os
import re
import subprocess
from dataclasses import dataclass
from fnmatch import fnmatch
from pathlib import Path

from faults import HERE, Problem, headed_lines

SOURCES = ("core/include", "core/src", "alloc/include", "modules/*/include", "modules/*/src")
OPERATION = re.compile(r"(?P<object>\w*(?:\[[^][]*\]|\([^()]*\))?)(?:\.|->)"
                       r"(?P<member>load|store|exchange|fetch_\w+|compare_exchange_\w+)\s*\(|"
                       r"(?<!\w)base::(?P<free>full_fence|heavy_fence|waiting_fence|add_alone)\s*\(")
ORDER = re.compile(r"\bbase::(relaxed|acquire|release|acq_rel|seq_cst)\b")
COMMENT = re.compile(r"//[^\n]*")
# One step each. A fence has no other step, and a fence of all threads becomes one of its caller.
WEAKER = {"acq_rel": ("acquire", "release"), "acquire": ("relaxed",), "release": ("relaxed",), "relaxed": ()}
SEQUENTIAL = {"load": "acquire", "failure": "acquire", "store": "release", "fence": "relaxed", "everybody": "relaxed"}
PATIENCE = (2_000, 30_000)  # executions of a scenario: all suites have a short look before one has a long one
SECONDS, LEAST = 300, 60


@dataclass(frozen=True)
class Operation:
    """An ordered operation in a source: the lines which it takes, and what the explorer calls it."""
    file: str
    first: int
    last: int
    kind: str
    order: str
    text: str

    def __str__(self):
        return f"{self.file}:{self.first}: {self.text}"


@dataclass(frozen=True)
class Weaker:
    """A mutant: an operation with a weaker order than it is written with."""
    operation: Operation
    order: str

    def __str__(self):
        return f"{self.operation}, {self.operation.kind} {self.operation.order} -> {self.order}"


def closing(text, begin):
    """Where the parenthesis closes that opens at `begin`."""
    depth = 0
    for at in range(begin, len(text)):
        depth += (text[at] == "(") - (text[at] == ")")
        if depth == 0:
            return at
    raise Problem("a parenthesis that does not close")


def kinds(found, orders):
    """(kind, order) of each mutant of an operation, as the explorer calls them."""
    if found["free"]:
        of_free = {"full_fence": ("fence", "seq_cst"), "add_alone": ("store", "release")}
        return [of_free.get(found["free"], ("everybody", "seq_cst"))]
    names = ("success", "failure") if found["member"].startswith("compare") else (found["member"],)
    return list(zip(names, orders[-len(names):]))


def operations_of(root, path):
    file = str(path.relative_to(root))
    text = COMMENT.sub(lambda comment: " " * len(comment[0]), path.read_text(encoding="utf-8"))
    for found in OPERATION.finditer(text):
        end = closing(text, found.end() - 1)
        own = " ".join(text[found.start():end + 1].split())
        lines = [text.count("\n", 0, at) + 1 for at in (found.start(), end)]
        for kind, order in kinds(found, ORDER.findall(text[found.end():end])):
            if order != "relaxed":
                yield Operation(file, *lines, kind, order, own)


def all_operations(root):
    for pattern in SOURCES:
        for folder in sorted(root.glob(pattern)):
            for path in sorted(folder.rglob("*.?pp")):
                yield from operations_of(root, path)


class Exemptions:
    """exempt.txt; each entry has to be about something."""

    def __init__(self):
        self.entries, self.used = [], set()
        for _, file, line in headed_lines(HERE / "exempt.txt"):
            what, _, reason = line.rpartition(": ")
            text, _, order = what.partition(" ~> ")
            if not reason or (text != "*" and not order):
                raise Problem(f"exempt.txt: '{line}' is neither 'TEXT ~> ORDER: REASON' nor '*: REASON'")
            self.entries.append((file, text, order))

    def hold(self, operation, order):
        for entry in self.entries:
            file, text, exempt = entry
            if fnmatch(operation.file, file) and (text == "*" or (text in operation.text and order == exempt)):
                self.used.add(entry)
                return True
        return False

    def require_use(self):
        for entry in self.entries:
            if entry not in self.used:
                raise Problem(f"exempt.txt: {entry[0]} has no '{entry[1]} ~> {entry[2]}' that is generated")


def steps(operation, exempt):
    """The weaker orders that have to be noticed: of an exempt one, those which are weaker still."""
    todo = [SEQUENTIAL.get(operation.kind, "acq_rel")] if operation.order == "seq_cst" else [*WEAKER[operation.order]]
    taken = []
    while todo:
        order = todo.pop(0)
        if exempt.hold(operation, order):
            todo += [each for each in WEAKER[order] if each not in todo]
        else:
            taken.append(order)
    return taken


def generated(root):
    """All mutants; a problem if an exemption is about nothing."""
    exempt = Exemptions()
    mutants = [Weaker(each, order) for each in all_operations(root) for order in steps(each, exempt)]
    exempt.require_use()
    if len(mutants) < LEAST:
        raise Problem(f"{len(mutants)} weaker orders, and there should be at least {LEAST}")
    return list(dict.fromkeys(mutants))


def ask(program, *arguments):
    return subprocess.run([str(program), "--mutant", *arguments], capture_output=True, text=True, timeout=SECONDS, check=False)


class Suites:
    """The programs of the suites, and where each passes an operation with an order."""

    def __init__(self, root, build):
        self.root, self.sites = root, {}  # by (file, kind, order): (line, program)
        folder = build / "tests/proofs/protocols"
        programs = [each for each in sorted(folder.glob("proofs.*")) if os.access(each, os.X_OK) and each.suffix != ".cmake"]
        for program in programs:
            done = ask(program, "--sites", f"--executions={PATIENCE[0]}")
            if "survives" not in done.stderr:
                raise Problem(f"{program.name} fails without a fault: {done.stdout[:200]}")
            for line in done.stdout.splitlines():
                path, at, kind, order = line.rsplit(":", 3)
                if (found := (build / path).resolve()).is_relative_to(root):
                    self.sites.setdefault((str(found.relative_to(root)), kind, order), []).append((int(at), program))
        if not self.sites:
            raise Problem(f"no suite is built in {folder}")

    def that_pass(self, operation):
        return [(line, program) for line, program in self.sites.get((operation.file, operation.kind, operation.order), [])
                if operation.first <= line <= operation.last]

    def kill(self, mutant):
        """What killed it. Raises Problem where nothing did."""
        operation = mutant.operation
        passing = self.that_pass(operation)
        if not passing:
            raise Problem("no suite passes it")
        for executions in PATIENCE:
            for line, program in passing:
                site = f"--weaken={operation.file}:{line}:{operation.kind}:{operation.order}:{mutant.order}"
                done = ask(program, site, f"--executions={executions}")
                if done.returncode == 0:
                    return done.stdout.strip()
                if done.returncode != 1 or "survives" not in done.stderr:
                    raise Problem(f"{program.name} ends with status {done.returncode}: {done.stderr[:200]}")
        raise Problem("survives " + " ".join(sorted({program.name for _, program in passing})))
