# SPDX-License-Identifier: MIT
"""The layers that kill: the explorer's suites and the unit tests, compiled against a source with a fault in it. What fails
without the fault as well kills nothing: a test is run in the build's own program first, and each suite is a test of the build."""
import hashlib
import json
import os
import re
import shlex
import shutil
import subprocess
import time
from pathlib import Path

from faults import Problem, mutate

# Headers that no mutant changes, and that most sources include.
HEADERS = ("gtest/gtest.h", "algorithm", "array", "atomic", "chrono", "functional", "map", "memory", "optional", "random",
           "set", "string", "thread", "tuple", "vector")
SECONDS = 120
HUNG_FACTOR, HUNG_SECONDS = 20, 5  # a test that hangs, compared with how it is without the fault, is as dead as one that fails


DURABLE = "modules/durable/src/"
REDIS = DURABLE + "redis/"


def library_of(source):
    """The target folder in which the build compiles it."""
    if source.startswith(DURABLE + "sqlite/"):
        return "detent_durable_sqlite.dir"
    if source.startswith(REDIS):
        return "detent_durable_redis.dir"
    return "detent_durable.dir" if source.startswith(DURABLE) else "detent.dir"


class Build:
    """A build of the tree as it is: how each source is compiled there, and what to link with."""

    def __init__(self, root, folder, suites, tests):
        self.root, self.folder, self.suites, self.tests = root.resolve(), folder, suites, tests
        self.passed = {}  # seconds by test, without a fault
        self.united = {}  # the sources of a file that CMake has made of several
        commands = json.loads((folder / "compile_commands.json").read_text(encoding="utf-8"))
        self.commands = [(Path(each["file"]), shlex.split(each["command"]), Path(each["directory"])) for each in commands]

    def sources_of(self, compiled):
        """What is compiled there: the file, or those which CMake has made one of."""
        if compiled.parent.name != "Unity":
            return {compiled}
        if compiled not in self.united:
            self.united[compiled] = {Path(each) for each in re.findall(r'#include "(.+)"', compiled.read_text(encoding="utf-8"))}
        return self.united[compiled]

    def command(self, source, into=""):
        """Compiler and flags of `source` in the build, for the target folder `into`, but for debug information and
        optimization; its object."""
        found = [each for each in self.commands if source in self.sources_of(each[0]) and f"CMakeFiles/{into}" in " ".join(each[1])]
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
    # Names that a fault leaves unused do not matter.
    run([flags[0], *first, *flags[1:], level, *common, "-w", "-c", str(source), "-o", str(made)], "does not compile")
    return made


def plant(mutant, build, scratch):
    """Writes the changed source below `scratch`, beside copies of its neighbours. Returns it, and the flags that have
    it found first."""
    changed = mutate((build.root / mutant.file).read_text(encoding="utf-8"), mutant)
    if "/include/" in mutant.file:
        copy = scratch / "include" / mutant.file.split("/include/", 1)[1]
        copy.parent.mkdir(parents=True)
        flags = [f"-I{scratch / 'include'}"]
    elif mutant.file.startswith("core/src/"):  # named by its room: "ROOM/HEADER.hpp"
        shutil.copytree(build.root / Path(mutant.file).parent, scratch / Path(mutant.file).parent)
        copy = scratch / mutant.file
        flags = [f"-I{scratch / 'core/src'}"]
    elif mutant.file.startswith(DURABLE):  # includes its neighbours by "../ROOM/HEADER.hpp"
        shutil.copytree(build.root / DURABLE, scratch / DURABLE)
        copy = scratch / mutant.file
        flags = [f"-I{copy.parent}"]
    else:
        folder = Path(mutant.file).parent
        shutil.copytree(build.root / folder, scratch / folder)
        copy = scratch / mutant.file
        flags = [f"-I{scratch / folder}"]
    copy.write_text(changed, encoding="utf-8")
    return copy, flags


def braces_end(text, begin):
    """Where the braces end that open at `begin`."""
    depth = 0
    for at in range(begin, len(text)):
        depth += (text[at] == "{") - (text[at] == "}")
        if depth == 0:
            return at + 1
    raise Problem("a suite whose braces do not close")


def alone(text, scenario):
    """The text of a suite with no other scenario: what only others use is not compiled, which is half of it."""
    begin = text.index("{", text.index("\nconst suite "))
    end = braces_end(text, begin)
    at = text.find("{", begin + 1, end)
    while at >= 0:
        after = braces_end(text, at)
        if text[at:after].split('"')[1] == scenario:
            return text[:begin] + "{" + text[at:after] + "}" + text[end:]
        at = text.find("{", after, end)
    raise Problem(f"there is no scenario {scenario}")


def suite_program(suite, scenario, first, build, scratch):
    """The program of a suite with one scenario."""
    source = build.root / f"tests/proofs/protocols/{suite}.cpp"
    flags, _, _ = build.command(source, f"proofs.{suite}_explored.dir")
    near = scratch / source.relative_to(build.root)
    inside = near.is_file()  # the fault is in the suite, or in a header of its own: the part of the engine repeated there
    text = alone((near if inside else source).read_text(encoding="utf-8"), scenario)
    copy = near if inside else scratch / source.name
    copy.write_text(text, encoding="utf-8")
    first = [*first, "-iquote", str(copy.parent if inside else source.parent)]
    # Most mutants die sooner than an optimizing compiler would be done.
    made = compile_source(flags, first, copy, "-O1", build, scratch)
    program = scratch / "mutant"
    run([flags[0], str(made), *build.suites, "-lpthread", "-o", str(program)], "does not link")
    return str(program)


def kill_by_suite(mutant, build, scratch):
    _, first = plant(mutant, build, scratch)
    suite, scenario = mutant.killer.split(".")
    done = run([suite_program(suite, scenario, first, build, scratch), "--mutant"])
    if done.returncode != 0:
        raise Problem("survives" if done.returncode == 1 else f"ends with status {done.returncode}")
    if not re.match(r"\w+\.\w+ after \d+ executions: ", done.stdout):
        raise Problem(f"dies by {done.stdout.strip()[:200]}")
    return done.stdout.strip()


def chosen_tests(name):
    """The filter for Suite.Name, be it a plain test, one with a parameter or one of a type."""
    suite, test = name.split(".")
    return f"{name}:*/{name}/*:*/{suite}/*.{test}"


def seconds_unchanged(mutant, built, build):
    """How long the test takes in the build's own program, where it has to pass."""
    if mutant.killer not in build.passed:
        folder, target = str(built).split("/CMakeFiles/", maxsplit=1)
        program = Path(folder) / target.split(".dir/", maxsplit=1)[0]
        if not program.is_file():
            raise Problem(f"{program.name} is not built")
        started = time.monotonic()
        done = run([str(program), f"--gtest_filter={chosen_tests(mutant.killer)}"])
        if "[  PASSED  ] 0 tests" in done.stdout:
            raise Problem(f"there is no test {mutant.killer}")
        if done.returncode != 0:
            raise Problem(f"{mutant.killer} fails without the fault as well")
        build.passed[mutant.killer] = time.monotonic() - started
    return build.passed[mutant.killer]


def kill_by_test(mutant, build, scratch):
    copy, first = plant(mutant, build, scratch)
    source = build.root / mutant.source
    flags, built, _ = build.command(source)
    seconds = seconds_unchanged(mutant, built, build)
    objects = []
    through = [mutant.file] if copy.suffix == ".cpp" else mutant.through
    if not through:
        objects.append(compile_source(flags, first, source, "-O0", build, scratch))
    else:  # the archive's own object is left out where this one has all its symbols
        objects.append(built)
    for original in through:
        how, _, _ = build.command(build.root / original, library_of(original))
        near = scratch / original
        objects.append(compile_source(how, first, near if near.is_file() else build.root / original, "-O0", build, scratch))
    program = scratch / "mutant"
    run([flags[0], *map(str, objects), *build.tests, "-lpthread", "-o", str(program)], "does not link")
    try:
        done = run([str(program), f"--gtest_filter={chosen_tests(mutant.killer)}", "--gtest_fail_fast"],
                   seconds=HUNG_FACTOR * seconds + HUNG_SECONDS)
    except subprocess.TimeoutExpired:
        return f"{mutant.killer} hangs"
    if done.returncode == 0:
        raise Problem(f"survives {mutant.killer}")
    return f"{mutant.killer} " + ("fails" if done.returncode == 1 else f"crashes with status {done.returncode}")


def kill(mutant, build, scratch):
    """What killed it. Raises Problem where nothing did."""
    return (kill_by_suite if mutant.is_explored else kill_by_test)(mutant, build, scratch)
