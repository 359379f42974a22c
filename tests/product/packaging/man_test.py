#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The man pages have the options of --help, no more and no fewer, under the names of their values.

usage: man_test.py DETENT ROOT     DETENT: the command; ROOT: the sources
"""
import re
import shutil
import subprocess
import sys
import unittest
from pathlib import Path

sys.dont_write_bytecode = True
from help_text import COMMANDS, help_of, options_of, programs

PLAIN = ((re.compile(r'\\f[A-Z]'), ""), (re.compile(r"\\-"), "-"), (re.compile(r"\\\(dq"), '"'))


def described(page):
    """{option: its value's name} of what the page puts at the head of a paragraph in OPTIONS."""
    options, text = {}, page.read_text(encoding="utf-8")
    for pattern, plain in PLAIN:
        text = pattern.sub(plain, text)
    for head in re.findall(r"^\.TP\n\.(?:B|BR|BI) (.*)$", text.split(".SH OPTIONS\n")[1].split(".SH ")[0], re.MULTILINE):
        line = re.sub(r'"([^"]*)"', r"\1", head)
        options.update(options_of("  " + re.sub(r"\s+", " ", line).replace(" ,", ",")))
    return options


class ManPages(unittest.TestCase):
    def test_each_has_the_options_of_the_help(self):
        for name, call in programs(DETENT, ROOT / "tools").items():
            with self.subTest(page=name):
                said = options_of(help_of(call))
                self.assertIn("--help", said)
                self.assertEqual(described(PAGES / f"{name}.1"), said)

    def test_there_is_a_page_for_each_program_and_no_other(self):
        self.assertEqual({page.stem for page in PAGES.iterdir()}, set(programs(DETENT, ROOT / "tools")))

    def test_the_first_page_names_every_command(self):
        text = (PAGES / "detent.1").read_text(encoding="utf-8")
        for command in COMMANDS:
            self.assertIn(f".TP\n.B {command}\n", text)
            self.assertIn(f"  {command} ", help_of([DETENT]))

    def test_each_is_named_by_its_heading_and_says_in_a_line_what_it_is_for(self):
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


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__.split("\n\n")[1])
    DETENT, ROOT = sys.argv[1], Path(sys.argv[2])
    PAGES = ROOT / "packaging/man"
    unittest.main(argv=sys.argv[:1])
