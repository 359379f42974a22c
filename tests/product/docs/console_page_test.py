#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The commands of a page do what it shows.

usage: console_page_test.py PAGE ROOT DETENT

Runs what follows `$ ` in ```console blocks, in a directory where the tree and the command `detent` are at hand. The words
that come out must be those of the page; numbers, and what stands for one that is missing, differ from run to run. In a block that
begins with `# ` stands what only root can do: it is not run.
"""
import os
import re
import subprocess
import sys
import tempfile

BLOCK = re.compile(r"^```console\n(.*?)^```$", re.MULTILINE | re.DOTALL)
NUMBER = re.compile(r"(?<![\w.])(?:[\d,]+(?:\.\d+)?(?: (?:[num]?s|%)(?!\w))?|-)(?![\w.]*\.csv)")
EXACT = " --virtual "


def commands(text):
    """Yields (command, what the page shows)."""
    for block in BLOCK.findall(text):
        if block.startswith("$ "):
            for part in block[2:].split("\n$ "):
                command, _, shown = part.partition("\n")
                yield command, shown


def alike(command, shown, printed):
    if EXACT in command:
        return shown.split() == printed.split()
    return NUMBER.sub("#", shown).split() == NUMBER.sub("#", printed).split()


def check(page, root, detent):
    with open(page, encoding="utf-8") as file:
        found = list(commands(file.read()))
    with tempfile.TemporaryDirectory() as directory:
        for name in ("bench", "modules", "tests", "tools"):
            os.symlink(os.path.join(root, name), os.path.join(directory, name))
        environment = {**os.environ, "PATH": os.path.dirname(detent) + os.pathsep + os.environ["PATH"]}
        for command, shown in found:
            done = subprocess.run(["bash", "-c", command], cwd=directory, env=environment, stdin=subprocess.DEVNULL,
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=300)
            if done.returncode != 0 or not alike(command, shown, done.stdout):
                sys.exit(f"{page}: $ {command}\nshown:\n{shown}\nprinted, with status {done.returncode}:\n{done.stdout}")
    return len(found)


if __name__ == "__main__":
    if len(sys.argv) != 4:
        sys.exit(__doc__.split("\n\n")[1])
    print(f"{check(*map(os.path.abspath, sys.argv[1:]))} commands")
