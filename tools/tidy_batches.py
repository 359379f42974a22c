#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""clang-tidy over the sources of a build tree, a few of one folder at a time.

usage: tidy_batches.py BUILD FOLDER...     BUILD has compile_commands.json; exit status 1 if there is a finding

Most of clang-tidy's time goes to the headers, which the sources of a folder share. Up to BATCH sources with the same flags
are one translation unit here. Where that one has a finding, or does not compile because two sources use one name, its sources
are looked at one by one, and what is found then counts. Two checks look at the main file alone: what they are about is
looked for by a pattern, and where it is, the source is looked at by these two besides.
"""
import itertools
import json
import os
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

BATCH = 8
OF_MAIN_FILE = "misc-unused-using-decls,misc-unused-alias-decls"
DECLARES = re.compile(r"^\s*(using\s+(typename\s+)?[\w:]+::\w+;|namespace\s+\w+\s*=)", re.MULTILINE)


def folder_of(name):
    """The folder at the top of the tree that a source counts to: tests of a module to tests/, its benchmarks to bench/."""
    parts = name.split("/")
    return next((each for each in ("tests", "bench") if each in parts[1:-1]), parts[0])


def commands_of(build, folders):
    """The sources of these folders, each with its command; other sources belong to projects of their own."""
    entries = json.loads((build / "compile_commands.json").read_text(encoding="utf-8"))
    root = Path.cwd()
    found = {}
    for entry in entries:
        name = os.path.relpath(entry["file"], root)
        if name.endswith(".cpp") and folder_of(name) in folders:
            found.setdefault(name, entry)
    return found


def flags_of(entry):
    """What the command says but for the source and the object."""
    return re.sub(r" -o \S+ -c \S+$", "", entry["command"])


def batches_of(found):
    """Lists of sources that share a folder and all flags."""
    def kind(name):
        return os.path.dirname(name), flags_of(found[name])
    for _, names in itertools.groupby(sorted(found, key=lambda name: (kind(name), name)), key=kind):
        names = list(names)
        for begin in range(0, len(names), BATCH):
            yield names[begin:begin + BATCH]


def write_units(folder, batches, found):
    """A source for each batch of two and more, and the compile_commands.json of these."""
    folder.mkdir(parents=True, exist_ok=True)
    database = []
    for number, names in enumerate(batches):
        unit = folder / f"{number}.cpp"
        unit.write_text("".join(f'#include "{Path(name).resolve()}"\n' for name in names), encoding="utf-8")
        entry = found[names[0]]
        database.append({"directory": entry["directory"], "file": str(unit),
                         "command": f"{flags_of(entry)} -Wno-shadow -o {number}.o -c {unit}"})
    (folder / "compile_commands.json").write_text(json.dumps(database), encoding="utf-8")


def tidy(database, *arguments):
    return subprocess.run(["clang-tidy-14", "-p", database, "--quiet", f"--config-file={Path('.clang-tidy').resolve()}", *arguments],
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)


def look(build, folder, number, names):
    """What clang-tidy printed of these sources if it found something, else nothing."""
    if len(names) > 1 and tidy(folder, "--checks=-bugprone-suspicious-include", folder / f"{number}.cpp").returncode == 0:
        names = [each for each in names if DECLARES.search(Path(each).read_text(encoding="utf-8"))]
        if not names:
            return ""
        result = tidy(build, f"--checks=-*,{OF_MAIN_FILE}", *names)
    else:
        result = tidy(build, *names)
    return result.stdout if result.returncode != 0 else ""


def main():
    build, folders = Path(sys.argv[1]).resolve(), sys.argv[2:]
    found = commands_of(build, folders)
    batches = list(batches_of(found))
    folder = build / "tidy_batches"
    write_units(folder, batches, found)
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        looks = [pool.submit(look, build, folder, number, names) for number, names in enumerate(batches)]
        printed = [each.result() for each in looks]
    print("".join(printed), end="")
    print(f"tidy_batches: {len(found)} sources, {sum(map(bool, printed))} of {len(batches)} batches with findings")
    return 1 if any(printed) else 0


if __name__ == "__main__":
    sys.exit(main())
