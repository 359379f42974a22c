# SPDX-License-Identifier: MIT
"""The layers that kill: the explorer's suites and the unit tests, compiled against a source with a fault in it."""
import hashlib
import json
import os
import shlex
import shutil
import subprocess
from pathlib import Path

from faults import Problem, mutate

# What no mutant changes, and most sources include.
HEADERS = ("gtest/gtest.h", "algorithm", "array", "atomic", "chrono", "functional", "map", "memory", "optional", "random",
           "set", "string", "thread", "tuple", "vector")
SECONDS = 120
HUNG = 10  # a unit test takes a second or two; one that hangs is as dead as one that fails


class Build:
    """A build of the tree as it is: how each source is compiled there, and what to link with."""

    def __init__(self, root, folder, suites, tests):
        self.root, self.folder, self.suites, self.tests = root.resolve(), folder, suites, tests
        commands = json.loads((folder / "compile_commands.json").read_text(encoding="utf-8"))
        self.commands = [(Path(each["file"]), shlex.split(each["command"]), Path(each["directory"])) for each in commands]

    def command(self, source, into):
        """Compiler and flags of `source` in the build, but for debug information and optimization; its object."""
        found = [each for each in self.commands if each[0] == source and f"CMakeFiles/{into}" in " ".join(each[1])]
        if len(found) != 1:
            raise Problem(f"{source} is compiled {len(found)} times into {into}, not once")
        arguments, directory = list(found[0][1]), found[0][2]
        if Path(arguments[0]).name in ("ccache", "sccache"):
            del arguments[0]
        output = arguments.index("-o")
        built = directory / arguments[output + 1]
        del arguments[output:output + 2]
        source_at = arguments.index("-c")
        del arguments[source_at:source_at + 2]
        # The dependency file, -MD -MT x.o -MF x.o.d, is not to be written either.
        while "-include" in arguments:  # the precompiled header holds the sources without the fault
            include_at = arguments.index("-include")
            del arguments[include_at:include_at + 2]
        kept = [each for each in arguments
                if not each.startswith(("-M", "-O", "-g")) and not each.endswith((".d", ".o"))]
        return kept, built, directory


def run(arguments, what=None, seconds=SECONDS):
    done = subprocess.run(arguments, capture_output=True, text=True, timeout=seconds, check=False)
    if what and done.returncode != 0:
        first = next((line for line in done.stderr.splitlines() if "error" in line), done.stderr.strip()[:300])
        raise Problem(f"{what}: {first}")
    return done


def precompiled(flags, build):
    """The flags for HEADERS, which are compiled once for all that have these flags."""
    if not Path(flags[0]).name.startswith("g++"):
        return []
    name = hashlib.sha256(" ".join([*flags, *HEADERS]).encode()).hexdigest()[:16]
    header = build.folder / "mutants" / f"{name}.hpp"
    if not header.exists():  # several may come here at once: a whole one takes its place
        header.parent.mkdir(exist_ok=True)
        mine = header.with_suffix(f".{os.getpid()}.hpp")
        mine.write_text("".join(f"#include <{each}>\n" for each in HEADERS), encoding="utf-8")
        made = Path(f"{mine}.gch")
        run([*flags, "-w", "-x", "c++-header", "-c", str(mine), "-o", str(made)], "does not compile")
        made.rename(f"{header}.gch")
        mine.rename(header)
    return ["-include", str(header)]


def compile_source(flags, first, source, level, build, scratch):
    """With the flags `first` before the others."""
    made = scratch / f"{source.stem}.o"
    common = precompiled([*flags, level], build)
    # What a fault leaves unused is no matter.
    run([flags[0], *first, *flags[1:], level, *common, "-w", "-c", str(source), "-o", str(made)], "does not compile")
    return made


def plant(mutant, build, scratch):
    """Writes the changed source below `scratch`, beside copies of its neighbours. Returns it, and the flags that have
    it found first."""
    changed = mutate((build.root / mutant.file).read_text(encoding="utf-8"), mutant.old, mutant.new, mutant.times)
    if "/include/" in mutant.file:
        copy = scratch / "include" / mutant.file.split("/include/", 1)[1]
        copy.parent.mkdir(parents=True)
        flags = [f"-I{scratch / 'include'}"]
    else:
        folder = Path(mutant.file).parent
        shutil.copytree(build.root / folder, scratch / folder)
        copy = scratch / mutant.file
        flags = [f"-I{scratch / folder}"]
    copy.write_text(changed, encoding="utf-8")
    return copy, flags


def kill_by_suite(mutant, build, scratch):
    _, first = plant(mutant, build, scratch)
    source = build.root / f"tests/model/protocols/{mutant.suite}.cpp"
    flags, _, _ = build.command(source, f"model.{mutant.suite}_explored")
    if mutant.file.startswith("tests/"):  # the suite, or a header of its own: the part of the engine repeated there
        source = scratch / source.relative_to(build.root)
    # Most mutants die sooner than an optimizing compiler would be done.
    made = compile_source(flags, first, source, "-O1", build, scratch)
    program = scratch / "mutant"
    run([flags[0], str(made), *build.suites, "-lpthread", "-o", str(program)], "does not link")
    done = run([str(program), "--mutant"])
    if done.returncode != 0:
        raise Problem("survives" if done.returncode == 1 else f"ends with status {done.returncode}")
    return done.stdout.strip()


def chosen_tests(name):
    """The filter for Suite.Name, be it a plain test, one with a parameter or one of a type."""
    suite, test = name.split(".")
    return f"{name}:*/{name}/*:*/{suite}/*.{test}"


def kill_by_test(mutant, build, scratch):
    copy, first = plant(mutant, build, scratch)
    source = build.root / "tests" / mutant.test
    flags, built, _ = build.command(source, ".".join(Path(mutant.test).with_suffix("").parts))
    objects = []
    through = build.root / mutant.through if mutant.through else None
    if copy.suffix == ".cpp":
        through = copy
    if through is None:
        objects.append(compile_source(flags, first, source, "-O0", build, scratch))
    else:  # the archive's own object is left out where this one has all its symbols
        objects.append(built)
        original = build.root / (mutant.through or mutant.file)
        how, _, _ = build.command(original, "detent.dir")
        near = scratch / original.relative_to(build.root)
        objects.append(compile_source(how, first, near if near.is_file() else original, "-O0", build, scratch))
    program = scratch / "mutant"
    run([flags[0], *map(str, objects), *build.tests, "-lpthread", "-o", str(program)], "does not link")
    try:
        done = run([str(program), f"--gtest_filter={chosen_tests(mutant.kills)}", "--gtest_fail_fast"], seconds=HUNG)
    except subprocess.TimeoutExpired:
        return f"{mutant.kills} hangs"
    if done.returncode == 0:
        raise Problem(f"survives {mutant.kills}" if "[  PASSED  ] 0 tests" not in done.stdout
                      else f"there is no test {mutant.kills}")
    return f"{mutant.kills} " + ("fails" if done.returncode == 1 else f"crashes with status {done.returncode}")


def kill(mutant, build, scratch):
    """What killed it. Raises Problem where nothing did."""
    return (kill_by_suite if mutant.suite else kill_by_test)(mutant, build, scratch)
