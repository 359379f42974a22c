#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Follows a page word for word, as somebody would who reads it from the top.

usage: follow_page.py PAGE BUILD_DIRECTORY INSTALL

A block whose line before it is **`NAME`** is written to the file NAME. What follows `$ ` in ```console blocks is typed into
one shell, in that order, in a home directory of its own; what comes out must be what the page shows, word for word but
for numbers. Two commands need the network or an hour, and are not typed: `git clone` gives a link, and `./tools/dev install`
is `cmake --install` of BUILD_DIRECTORY. INSTALL is the source tree.
"""
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).parent.parent))
import console_page_test

STEP = re.compile(r"(?:^\*\*`(?P<file>[^`]+)`\*\*\n+)?^```(?P<kind>\w*)\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL)
# What has a number in it that is no word of its own.
NUMBERED = re.compile(r"(?<=detent\.)\d+\.\d+")
# Reads commands that end with a NUL, and answers each with its output, its status and another NUL.
SHELL = r"""exec 2>&1
while IFS= read -r -d '' -u 8 typed; do eval "$typed" </dev/null 8<&-; printf '\n%s\0' $?; done"""


class Shell:
    """One shell for the whole page: `cd`, `export` and `&` last."""

    def __init__(self, home):
        reader, self.typed = os.pipe()
        # Nothing else of ours: NINJA_STATUS or CXXFLAGS would change what is printed.
        environment = {name: os.environ[name] for name in ("PATH", "LANG", "TMPDIR") if name in os.environ}
        environment["HOME"] = str(home)
        self.process = subprocess.Popen(
            ["bash", "-c", f"exec 8<&{reader}\n{SHELL}"], cwd=home, env=environment, stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, pass_fds=[reader])
        os.close(reader)

    def type(self, command):
        os.write(self.typed, command.encode() + b"\0")
        out = bytearray()
        while not out.endswith(b"\0"):
            piece = os.read(self.process.stdout.fileno(), 1)
            if not piece:
                sys.exit(f"the shell ended in: {command}")
            out += piece
        text, _, status = out[:-1].decode().rpartition("\n")
        return text, int(status)

    def end(self):
        os.close(self.typed)
        try:
            self.process.wait(timeout=20)
        except subprocess.TimeoutExpired:
            self.process.kill()


def alike(command, shown, printed):
    return console_page_test.alike(command, NUMBERED.sub("", shown), NUMBERED.sub("", printed))


def commands(text):
    for part in ("\n" + text).split("\n$ ")[1:]:
        command, _, shown = part.partition("\n")
        while command.endswith("\\"):
            more, _, shown = shown.partition("\n")
            command += "\n" + more
        yield command, shown


def stand_in(command, build, source):
    """What is done in place of what a test must not do."""
    if command.startswith("git clone "):
        return f"ln -s '{source}' '{command.split()[-1]}'"
    if command.startswith("./tools/dev install "):
        return f"cmake --install '{build}' --prefix {command.split()[-1]} >/dev/null"
    return command


def follow(page, build, source):
    done = 0
    with tempfile.TemporaryDirectory() as home:
        shell = Shell(home)
        try:
            for step in STEP.finditer(page.read_text(encoding="utf-8")):
                if step["file"]:
                    where, _ = shell.type("pwd")
                    Path(where.strip(), step["file"]).write_text(step["text"], encoding="utf-8")
                elif step["kind"] == "console":
                    for command, shown in commands(step["text"]):
                        printed, status = shell.type(stand_in(command, build, source))
                        printed = printed.replace(home, "~")
                        if status != 0 or not alike(command, shown, printed):
                            sys.exit(f"{page.name}: $ {command}\nshown:\n{shown}\nprinted, with status {status}:\n{printed}")
                        done += 1
                elif step["kind"] in ("cpp", "cmake"):
                    sys.exit(f"{page.name}: a block of {step['kind']} that goes to no file:\n{step['text'][:200]}")
        finally:
            shell.end()
    return done


if __name__ == "__main__":
    if len(sys.argv) != 4:
        sys.exit(__doc__.split("\n\n")[1])
    print(f"{follow(Path(sys.argv[1]), sys.argv[2], sys.argv[3])} commands")
