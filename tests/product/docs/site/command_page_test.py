#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The commands of a page work.

usage: command_page_test.py PAGE ROOT DETENT

Runs each ```sh run block of the page with bash, one after the other, in one directory in which the tree's files and the command
`detent` are at hand: each command of a block must end with status 0. What it prints differs from host to host, and is not
checked. A ```sh host block changes the host or needs what a test has not: bash reads it, and does not run it.
"""
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

BLOCK = re.compile(r"^```sh (run|host)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
LONGEST = 120


def blocks(text):
    """(line, kind, commands) of each block."""
    for found in BLOCK.finditer(text):
        yield text.count("\n", 0, found.start()) + 2, found.group(1), found.group(2)


def bash(commands, options, where, environment):
    return subprocess.run(["bash", *options, "-c", commands], cwd=where, env=environment, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=LONGEST)


def check(page, root, detent):
    found = list(blocks(Path(page).read_text(encoding="utf-8")))
    if not any(kind == "run" for _, kind, _ in found):
        sys.exit(f"{page}: no command to run")
    environment = {**os.environ, "PATH": os.path.dirname(detent) + os.pathsep + os.environ["PATH"]}
    with tempfile.TemporaryDirectory() as directory:
        for entry in os.listdir(root):
            if entry not in (".git", "build"):
                os.symlink(os.path.join(root, entry), os.path.join(directory, entry))
        for line, kind, commands in found:
            options = ["-n"] if kind == "host" else ["-euo", "pipefail"]
            done = bash(commands, options, directory, environment)
            if done.returncode != 0:
                sys.exit(f"{page}:{line}: status {done.returncode} of\n{commands}\n{done.stdout}")
    return len(found)


if __name__ == "__main__":
    if len(sys.argv) != 4:
        sys.exit(__doc__.split("\n\n")[1])
    print(f"{check(*map(os.path.abspath, sys.argv[1:]))} blocks")
