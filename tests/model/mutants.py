#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Compiles the model suites against headers with one fault each, and runs them: some scenario must fail.

usage: mutants.py --root ROOT --build BUILD --link FILE... [--of NAME] [--only MUTANT]

The mutants are in mutants/*.toml, one table each: `file` with `old` replaced by `new`, which `suite` must notice. `old`
is there once, or `times`, comments and line breaks aside; if it is not, the header has changed under the mutant, and
that is a failure as well.
"""
import argparse
import json
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path

HERE = Path(__file__).resolve().parent
COMMENT = re.compile(r"\"(?:\\.|[^\"\\\n])*\"|//[^\n]*|/\*.*?\*/", re.DOTALL)
SECONDS = 120


class Problem(Exception):
    """One line on what is wrong."""


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


def compile_command(build, source):
    """The arguments that compile `source` in the build, but for debug information and the output."""
    commands = json.loads((build / "compile_commands.json").read_text())
    found = [each for each in commands if Path(each["file"]) == source]
    if len(found) != 1:
        raise Problem(f"{source} is compiled {len(found)} times in {build}, not once")
    arguments = shlex.split(found[0]["command"])
    output = arguments.index("-o")
    del arguments[output:output + 2]
    source_at = arguments.index("-c")
    del arguments[source_at:source_at + 2]
    # The dependency file, -MD -MT x.o -MF x.o.d, is not to be written either; and most mutants die sooner than they compile.
    kept = [each for each in arguments if each != "-g" and not each.startswith(("-M", "-O")) and
            not each.endswith((".d", ".o"))]
    return [*kept, "-O1"], found[0]["directory"]


def run(arguments, directory, what):
    done = subprocess.run(arguments, cwd=directory, capture_output=True, text=True, timeout=SECONDS, check=False)
    if what and done.returncode != 0:
        first = next((line for line in done.stderr.splitlines() if "error" in line), done.stderr.strip()[:300])
        raise Problem(f"{what}: {first}")
    return done


def try_mutant(mutant, root, build, link, scratch):
    """What killed it. Raises Problem where nothing did."""
    original = root / mutant["file"]
    changed = mutate(original.read_text(), mutant["old"], mutant["new"], mutant.get("times", 1))
    source = HERE / f"protocols/{mutant['suite']}.cpp"
    arguments, directory = compile_command(build, source)
    if "/include/" in mutant["file"]:
        copy = scratch / mutant["file"].split("/include/", 1)[1]
        copy.parent.mkdir(parents=True, exist_ok=True)
    else:  # the suite, or a header of its own: the part of the engine that is repeated there
        copy = scratch / original.name
        arguments.insert(1, f"-I{source.parent}")
        source = Path(shutil.copy(source, scratch))
    copy.write_text(changed)
    arguments.insert(1, f"-I{scratch}")
    program = scratch / "mutant"
    # What a fault leaves unused is no matter.
    run([*arguments, "-w", "-c", str(source), "-o", str(scratch / "mutant.o")], directory, "does not compile")
    run([arguments[0], str(scratch / "mutant.o"), *link, "-lpthread", "-o", str(program)], directory, "does not link")
    done = run([str(program), "--mutant"], directory, None)
    if done.returncode != 0:
        raise Problem("survives" if done.returncode == 1 else f"ends with status {done.returncode}")
    return done.stdout.strip()


def main():
    parser = argparse.ArgumentParser(usage=__doc__.split("\n\n")[1].removeprefix("usage: "))
    parser.add_argument("--root", type=Path, required=True)
    parser.add_argument("--build", type=Path, required=True)
    parser.add_argument("--link", nargs="+", required=True)
    parser.add_argument("--of", default="*")
    parser.add_argument("--only")
    chosen = parser.parse_args()
    mutants = [each for file in sorted(HERE.glob(f"mutants/{chosen.of}.toml"))
               for each in tomllib.loads(file.read_text())["mutant"] if chosen.only in (None, each["name"])]
    if not mutants:
        sys.exit(f"mutants: none in mutants/{chosen.of}.toml is called '{chosen.only or '*'}'")
    failures = 0
    for mutant in mutants:
        with tempfile.TemporaryDirectory() as scratch:
            try:
                print(f"killed   {mutant['name']}: "
                      f"{try_mutant(mutant, chosen.root, chosen.build, chosen.link, Path(scratch))}", flush=True)
            except (Problem, subprocess.TimeoutExpired) as problem:
                failures += 1
                print(f"FAILURE  {mutant['name']}: {problem}", flush=True)
    print(f"{len(mutants) - failures} of {len(mutants)} mutants killed")
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
