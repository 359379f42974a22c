#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""CONTRIBUTING.md's way from a clone to a changed line, tested: its five commands, typed as they stand.

usage: contributing_test.py ROOT     skipped where ROOT is no git repository
"""
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

NOT_A_CLONE = 77
TITLE = "## From clone to a changed line, tested"
IDENTITY = {f"GIT_{who}_{what}": "reader@example.org" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
STEP = {"NINJA_STATUS": "[%f/%t] "}  # what is looked for below, whatever the caller prefers


def commands(page):
    return re.findall(r"^    (.+)$", page.split(TITLE)[1].split("\n\n")[1], re.MULTILINE)


def main(root):
    if not Path(root, ".git").exists():
        print("skipped: not a clone")
        return NOT_A_CLONE
    typed = commands(Path(root, "CONTRIBUTING.md").read_text(encoding="utf-8"))
    if len(typed) != 5:
        sys.exit(f"{len(typed)} commands, and there should be 5")
    with tempfile.TemporaryDirectory() as directory:
        script = "set -e\n" + "".join(f"echo '>>> {number}'\n{line}\n" for number, line in enumerate(typed, 1))
        done = subprocess.run(["bash", "-c", script.replace(" URL ", f" {root} ")], cwd=directory, text=True, check=False,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env=os.environ | IDENTITY | STEP)
        if done.returncode != 0:
            sys.exit(f"{done.stdout}\nended with {done.returncode}")
    outputs = done.stdout.split(">>> ")
    if "[2/2]" not in outputs[4] or "PASSED" not in outputs[4]:
        sys.exit(f"the changed line took more than one compile and one link, or was not tested:\n{outputs[4]}")
    return 0


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__.split("\n\n")[1])
    sys.exit(main(*sys.argv[1:]))
