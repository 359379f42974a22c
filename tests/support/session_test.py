#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Sessions with programs: what their user types, the status that each line ends with, and what it prints.

usage: session_test.py FILE PROGRAM... [--update]     FILE: the session

A line `N$ COMMAND` is given to bash in a directory of the session's own, where the programs are at hand, the
bundled traces in `data`, the folder above the session in `here`, and the functions of the file functions.bash beside it. The
command has to end with status N and to print the lines that follow, which are indented by two spaces, on standard output and
standard error together; empty ones are left out. Other lines are for the reader. With --update the file is written again with
what the commands have printed.
"""
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

sys.dont_write_bytecode = True
import snapshot

TYPED = re.compile(r"\d+\$ (.*)")


def printed(command, functions, directory, environment):
    done = subprocess.run(["bash", "-c", f". '{functions}'; {command}"], cwd=directory, env=environment, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=300)
    lines = done.stdout.decode(errors="backslashreplace").splitlines()
    return "".join(f"{line}\n" for line in (f"{done.returncode}$ {command}", *(f"  {each}".rstrip() for each in lines if each)))


def session(file, programs):
    """The text as it should be."""
    with tempfile.TemporaryDirectory() as directory:
        work, tools = Path(directory, "work"), Path(directory, "bin")
        work.mkdir()
        tools.mkdir()
        for program in programs:
            (tools / Path(program).name.removeprefix("detent_")).symlink_to(Path(program).resolve())
        (work / "data").symlink_to(Path(__file__).resolve().parents[2] / "bench/data")
        (work / "here").symlink_to(file.resolve().parents[1])
        environment = {**os.environ, "PATH": f"{tools}:{os.environ['PATH']}", "LC_ALL": "C.UTF-8"}
        for line in file.read_text(encoding="utf-8").splitlines():
            typed = TYPED.fullmatch(line)
            if typed:
                yield printed(typed[1], file.resolve().parent / "functions.bash", work, environment)
            elif not line.startswith("  "):
                yield line + "\n"


def main():
    words = [word for word in sys.argv[1:] if word != "--update"]
    if len(words) < 2:
        sys.exit(__doc__.split("\n\n")[1])
    file = Path(words[0])
    sys.exit(snapshot.difference(file, "".join(session(file, words[1:]))))


if __name__ == "__main__":
    main()
