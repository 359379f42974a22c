#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Sessions with the command: what its user types, the status that it ends with, and what it prints.

usage: session_test.py FILE DETENT SAMPLE ENGINE [--update]     FILE: one of sessions/

A line `N$ COMMAND` is given to bash in a directory of the session's own, where `detent`, `counters_sample`, `counters_engine`
the bundled traces in `data` and the functions of sessions/functions.bash are at hand. The command has to end with status N and to print the lines that follow, which
are indented by two spaces, on standard output and standard error together; empty ones are left out. Other lines are for the
reader. With --update the file is written again with what the commands have printed.
"""
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).parents[2] / "tests/support"))
import snapshot

TYPED = re.compile(r"\d+\$ (.*)")


def printed(command, directory, environment):
    done = subprocess.run(["bash", "-c", command], cwd=directory, env=environment, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=300)
    lines = done.stdout.decode(errors="backslashreplace").splitlines()
    return "".join(f"{line}\n" for line in (f"{done.returncode}$ {command}", *(f"  {each}".rstrip() for each in lines if each)))


def session(text, programs):
    """The text as it should be."""
    with tempfile.TemporaryDirectory() as directory:
        for name, program in programs.items():
            Path(directory, "bin").mkdir(exist_ok=True)
            Path(directory, "bin", name).symlink_to(program)
        work = Path(directory, "work")
        work.mkdir()
        (work / "data").symlink_to(Path(__file__).resolve().parents[2] / "bench/data")
        environment = {**os.environ, "PATH": f"{directory}/bin:{os.environ['PATH']}", "LC_ALL": "C.UTF-8",
                       "BASH_ENV": str(Path(__file__).resolve().parent / "sessions/functions.bash")}
        for line in text.splitlines():
            typed = TYPED.fullmatch(line)
            if typed:
                yield printed(typed[1], work, environment)
            elif not line.startswith("  "):
                yield line + "\n"


def main():
    words = [word for word in sys.argv[1:] if word != "--update"]
    if len(words) != 4:
        sys.exit(__doc__.split("\n\n")[1])
    file = Path(words[0])
    programs = dict(zip(("detent", "counters_sample", "counters_engine"), map(os.path.abspath, words[1:])))
    sys.exit(snapshot.difference(file, "".join(session(file.read_text(encoding="utf-8"), programs))))


if __name__ == "__main__":
    main()
