#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The man pages and the completion in bash have the options of --help, no more and no fewer, under the names of their values.

usage: help_test.py DETENT ROOT     DETENT: the command; ROOT: the sources
"""
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

COMMANDS = ("replay", "run", "doctor", "stat", "pending", "top", "console", "cron", "durable")
LINE = re.compile(r"^  +(-.*?)(?=  |\n)", re.MULTILINE)
RULES = re.compile(r" (?:Excludes|Needs):.*| REQUIRED")  # which other options it goes with
OPTION = re.compile(r"(?<![\w-])(--?[\w-]+)(?:[ =](\{[^}]*\}|[A-Z][A-Z.a-z|]*))?")
PLAIN = ((re.compile(r'\\f[A-Z]'), ""), (re.compile(r"\\-"), "-"), (re.compile(r"\\\(dq"), '"'))
# As readline calls it: the function that `complete` names, the words, and which of them is at hand.
COMPLETE = """
source "$1"; shift
COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)) COMP_LINE="$*"
$(complete -p "$1" | sed 's/.* -F \\([^ ]*\\) .*/\\1/')
[ ${#COMPREPLY[@]} -eq 0 ] || printf '%s\\n' "${COMPREPLY[@]}"
"""


def programs():
    """{name of the man page: how the program is called}"""
    return {
        "detent": [DETENT],
        **{f"detent-{command}": [DETENT, command] for command in COMMANDS},
        "detent-kernel-trace": [sys.executable, f"{ROOT}/tools/kernel-trace"],
        "detent-profile": [sys.executable, f"{ROOT}/tools/profile", "pid"],
    }


def help_of(call):
    """That of a command that has commands of its own, with theirs."""
    done = subprocess.run([*call, "--help"], capture_output=True, text=True, check=True, timeout=60)
    below = done.stdout.partition("\nSubcommands:\n")[2] if len(call) > 1 else ""
    return done.stdout + "".join(help_of([*call, name]) for name in re.findall(r"^  (\w+) ", below, re.MULTILINE))


def options_of(text):
    """{option: its value's name, or empty}, from what stands at the beginnings of a help text's lines."""
    found = {}
    for line in LINE.findall(text + "\n"):
        value = ""
        named = OPTION.findall(RULES.sub("", line))
        for _, name in named:
            value = name or value
        found.update({option: value for option, _ in named})
    return found


def described(page):
    """The same of what the page puts at the head of a paragraph in OPTIONS."""
    options, text = {}, page.read_text(encoding="utf-8")
    for pattern, plain in PLAIN:
        text = pattern.sub(plain, text)
    for head in re.findall(r"^\.TP\n\.(?:B|BR|BI) (.*)$", text.split(".SH OPTIONS\n")[1].split(".SH ")[0], re.MULTILINE):
        line = re.sub(r'"([^"]*)"', r"\1", head)
        options.update(options_of("  " + re.sub(r"\s+", " ", line).replace(" ,", ",")))
    return options


def offered(*words, directory=None):
    done = subprocess.run(["bash", "-c", COMPLETE, "bash", str(ROOT / "packaging/completions/detent"), *words],
                          capture_output=True, text=True, check=True, cwd=directory)
    if done.stderr:
        raise AssertionError(done.stderr)
    return set(done.stdout.splitlines())


class Help(unittest.TestCase):
    def test_each_page_and_the_completion_have_its_options(self):
        for name, call in programs().items():
            words = {"detent-profile": ["detent-profile", "pid"], "detent-kernel-trace": ["detent-kernel-trace"]}
            with self.subTest(program=name):
                said = options_of(help_of(call))
                self.assertIn("--help", said)
                self.assertEqual(described(PAGES / f"{name}.1"), said)
                self.assertEqual(offered(*words.get(name, name.split("-")), "-"), set(said))

    def test_every_command_is_on_the_first_page_and_offered(self):
        text = (PAGES / "detent.1").read_text(encoding="utf-8")
        for command in COMMANDS:
            self.assertIn(f".TP\n.B {command}\n", text)
            self.assertIn(f"  {command} ", help_of([DETENT]))
        self.assertEqual({word for word in offered("detent", "") if not word.startswith("-")}, set(COMMANDS))
        self.assertEqual(offered("detent", "st"), {"stat"})


class ManPages(unittest.TestCase):
    def test_there_is_one_for_each_program_named_by_its_heading_with_a_line_on_what_it_is_for(self):
        self.assertEqual({page.stem for page in PAGES.iterdir()}, set(programs()))
        for page in PAGES.iterdir():
            text = page.read_text(encoding="utf-8")
            self.assertIn(f".TH {page.stem.upper()} 1 ", text)
            self.assertRegex(text, rf"(?m)^\.SH NAME\n{page.stem} \\- \w.*$")

    @unittest.skipUnless(shutil.which("groff"), "no groff")
    def test_none_gives_a_warning(self):
        for page in sorted(PAGES.iterdir()):
            done = subprocess.run(["groff", "-man", "-ww", "-rLL=100n", "-Tutf8", "-z", str(page)], capture_output=True,
                                  text=True, check=True)
            self.assertEqual(done.stderr, "")


class Completion(unittest.TestCase):
    def test_values_are_offered_behind_their_option_and_its_equals_sign(self):
        waits = {"busy", "hybrid", "sleep"}
        for words in (["--wait", ""], ["--wait", "="], ["--wait", "=", ""], ["--json", "--wait", ""]):
            self.assertEqual(offered("detent", "run", *words), waits)
        self.assertEqual(offered("detent", "replay", "--wheel", "h"), {"hierarchical", "hashed"})
        self.assertEqual(offered("detent-kernel-trace", "--kind", "h"), {"hrtimer"})
        self.assertEqual(offered("detent", "run", "--timers", ""), set())
        choices = options_of(help_of(programs()["detent-kernel-trace"]))["--kind"]
        self.assertEqual(offered("detent-kernel-trace", "--kind", ""), set(choices.strip("{}").split(",")))

    def test_files_with_spaces_in_their_names_stay_whole(self):
        with tempfile.TemporaryDirectory() as directory:
            (Path(directory) / "two words.csv").touch()
            (Path(directory) / "copy").mkdir()
            self.assertEqual(offered("detent", "replay", "tw", directory=directory), {"two words.csv"})
            self.assertEqual(offered("detent", "run", "--record", "", directory=directory), {"two words.csv", "copy"})
            self.assertEqual(offered("detent", "doctor", "--root", "", directory=directory), {"copy"})


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__.split("\n\n")[1])
    DETENT, ROOT = sys.argv[1], Path(sys.argv[2])
    PAGES = ROOT / "packaging/man"
    unittest.main(argv=sys.argv[:1])
