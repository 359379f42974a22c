#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Completion in bash offers what --help names.

usage: completion_test.py DETENT ROOT     DETENT: the command; ROOT: the sources
"""
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.dont_write_bytecode = True
from help_text import COMMANDS, help_of, options_of, programs

# As readline calls it: the function that `complete` names, the words, and which of them is at hand.
SCRIPT = """
source "$1"; shift
COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)) COMP_LINE="$*"
$(complete -p "$1" | sed 's/.* -F \\([^ ]*\\) .*/\\1/')
[ ${#COMPREPLY[@]} -eq 0 ] || printf '%s\\n' "${COMPREPLY[@]}"
"""


def offered(*words, directory=None):
    done = subprocess.run(["bash", "-c", SCRIPT, "bash", str(COMPLETION), *words], capture_output=True, text=True,
                          check=True, cwd=directory)
    if done.stderr:
        raise AssertionError(done.stderr)
    return set(done.stdout.splitlines())


class Completion(unittest.TestCase):
    def test_every_option_of_every_program_is_offered_and_no_other(self):
        for name, call in programs(DETENT, ROOT / "tools").items():
            words = {"detent-profile": ["detent-profile", "pid"], "detent-kernel-trace": ["detent-kernel-trace"]}
            with self.subTest(program=name):
                self.assertEqual(offered(*words.get(name, name.split("-")), "-"), set(options_of(help_of(call))))

    def test_every_command_is_offered(self):
        self.assertEqual({word for word in offered("detent", "") if not word.startswith("-")}, set(COMMANDS))
        self.assertEqual(offered("detent", "st"), {"stat"})

    def test_values_are_offered_behind_their_option_and_its_equals_sign(self):
        waits = {"busy", "hybrid", "sleep"}
        for words in (["--wait", ""], ["--wait", "="], ["--wait", "=", ""], ["--json", "--wait", ""]):
            self.assertEqual(offered("detent", "run", *words), waits)
        self.assertEqual(offered("detent", "replay", "--wheel", "h"), {"hierarchical", "hashed"})
        self.assertEqual(offered("detent-kernel-trace", "--kind", "h"), {"hrtimer"})
        self.assertEqual(offered("detent", "run", "--timers", ""), set())

    def test_what_help_lists_as_a_choice_is_what_is_offered(self):
        choices = options_of(help_of(programs(DETENT, ROOT / "tools")["detent-kernel-trace"]))["--kind"]
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
    COMPLETION = ROOT / "packaging/completions/detent"
    unittest.main(argv=sys.argv[:1])
