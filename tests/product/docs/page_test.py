#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The commands of a page do what it says, and its programs are those that are tested.

usage: page_test.py shown PAGE DETENT       what follows `$ ` in a ```console block prints what the page shows
       page_test.py run PAGE DETENT         the commands of each ```sh run block end with status 0
       page_test.py follow PAGE BUILD       word for word, as somebody would who reads it from the top
       page_test.py guide PAGE PROGRAM...   the blocks of C++ are these programs, in this order

Commands are given to bash in a directory in which the tree's files and the command `detent` are at hand. The words that come
out must be those of the page; numbers, and what stands for one that is missing, differ from run to run. A ```console block
that begins with `# `, and a ```sh host block, need what a test has not: bash reads the latter, and runs neither.
"""
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
NUMBER = re.compile(r"(?<![\w.])(?:[\d,]+(?:\.\d+)?(?: (?:[num]?s|%)(?!\w))?|-)(?![\w.]*\.csv)")
VERSION = re.compile(r"(?<=detent\.)\d+\.\d+")  # of a soname: no word of its own
EXACT = " --virtual "
LONGEST = 300
STEP = re.compile(r"(?:^\*\*`(?P<file>[^`]+)`\*\*\n+)?^```(?P<kind>\w*)(?: (?P<word>\w+))?\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL)


def commands(block):
    """Yields (command, what the page shows)."""
    for part in ("\n" + block).split("\n$ ")[1:]:
        command, _, shown = part.partition("\n")
        while command.endswith("\\"):
            more, _, shown = shown.partition("\n")
            command += "\n" + more
        yield command, shown


def require(page, command, shown, printed, status):
    exact = EXACT in command
    words = lambda text: (text if exact else NUMBER.sub("#", VERSION.sub("", text))).split()
    if status != 0 or words(shown) != words(printed):
        sys.exit(f"{page}: $ {command}\nshown:\n{shown}\nprinted, with status {status}:\n{printed}")


def bash(commands, detent, *options):
    """(its output, its status), in a directory of its own."""
    environment = {**os.environ, "PATH": os.path.dirname(os.path.abspath(detent)) + os.pathsep + os.environ["PATH"],
                   "XDG_STATE_HOME": bash.directory}  # the console's history, which one console at a time may have
    done = subprocess.run(["bash", *options, "-c", commands], cwd=bash.directory, env=environment, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=LONGEST, check=False)
    return done.stdout, done.returncode


def shown(page, detent):
    for block in STEP.finditer(page.read_text(encoding="utf-8")):
        if block["kind"] == "console" and block["text"].startswith("$ "):
            for command, words in commands(block["text"]):
                require(page, command, words, *bash(command, detent))
                yield command


def run(page, detent):
    for block in STEP.finditer(page.read_text(encoding="utf-8")):
        if block["kind"] == "sh" and block["word"] in ("run", "host"):
            printed, status = bash(block["text"], detent, *(["-n"] if block["word"] == "host" else ["-euo", "pipefail"]))
            if status != 0:
                sys.exit(f"{page}: status {status} of\n{block['text']}\n{printed}")
            if block["word"] == "run":
                yield block


def guide(page, *programs):
    blocks = [block["text"] for block in STEP.finditer(page.read_text(encoding="utf-8")) if block["kind"] == "cpp"]
    tested = [Path(program).read_text(encoding="utf-8").partition("\n")[2] for program in programs]  # without the licence
    for number, program in enumerate(programs):
        if number >= len(blocks) or blocks[number] != tested[number]:
            sys.exit(f"{page}: block {number + 1} of C++ is not {program}")
    if len(blocks) != len(programs):
        sys.exit(f"{page}: {len(blocks)} blocks of C++, and {len(programs)} programs")
    return blocks


class Shell:
    """One shell for a whole page: `cd`, `export` and `&` last."""

    # It reads commands that end with a NUL, and answers each with its output, its status and another NUL.
    LOOP = r"""exec 2>&1
while IFS= read -r -d '' -u 8 typed; do eval "$typed" </dev/null 8<&-; printf '\n%s\0' $?; done"""

    def __init__(self, home):
        reader, self.typed = os.pipe()
        # Nothing else of ours: NINJA_STATUS or CXXFLAGS would change what is printed.
        environment = {name: os.environ[name] for name in ("PATH", "LANG", "TMPDIR") if name in os.environ}
        self.process = subprocess.Popen(
            ["bash", "-c", f"exec 8<&{reader}\n{self.LOOP}"], cwd=home, env=environment | {"HOME": home},
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, pass_fds=[reader])
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


def follow(page, build):
    """A block whose line before it is **`NAME`** is written to the file NAME. `git clone` gives a link, and `./tools/dev install`
    is `cmake --install`: they need the network, or an hour."""
    with tempfile.TemporaryDirectory() as home:
        shell = Shell(home)
        try:
            for step in STEP.finditer(page.read_text(encoding="utf-8")):
                if step["file"]:
                    Path(shell.type("pwd")[0].strip(), step["file"]).write_text(step["text"], encoding="utf-8")
                elif step["kind"] == "console":
                    for command, words in commands(step["text"]):
                        stand_in = command
                        if command.startswith("git clone "):
                            stand_in = f"ln -s '{ROOT}' '{command.split()[-1]}'"
                        if command.startswith("./tools/dev install "):
                            stand_in = f"cmake --install '{build}' --prefix {command.split()[-1]} >/dev/null"
                        printed, status = shell.type(stand_in)
                        require(page, command, words, printed.replace(home, "~"), status)
                        yield command
                elif step["kind"] in ("cpp", "cmake"):
                    sys.exit(f"{page}: a block of {step['kind']} that goes to no file:\n{step['text'][:200]}")
        finally:
            shell.end()


def main(what, page, *words):
    with tempfile.TemporaryDirectory() as bash.directory:
        for entry in os.listdir(ROOT):
            if entry not in (".git", "build"):
                os.symlink(ROOT / entry, os.path.join(bash.directory, entry))
        done = len(list({"shown": shown, "run": run, "follow": follow, "guide": guide}[what](Path(page), *words)))
    return f"{page}: {done} tried" if done else sys.exit(f"{page}: nothing to try")


if __name__ == "__main__":
    if len(sys.argv) < 4:
        sys.exit(__doc__.split("\n\n")[1])
    print(main(*sys.argv[1:]))
