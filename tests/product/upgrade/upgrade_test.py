#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""docs/upgrading.md: the script converts a program for 0.1, which compiles then and did not before, and still does what it
did; a second run changes nothing; what is not detent's stays; a file that is not there is refused.

    upgrade_test.py TREE LIBRARY COMPILER FLAG..."""

import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

TREE, LIBRARY, COMPILER, *FLAGS = sys.argv[1:]
SCRIPT = Path(TREE, "tools/upgrade/from_0_1.py")


class Upgrade(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.program = Path(folder.name, "program.cpp")
        self.program.write_text(Path(TREE, "tests/product/upgrade/written_for_0_1.txt").read_text())

    def convert(self, *places):
        return subprocess.run([sys.executable, SCRIPT, *places], text=True, capture_output=True, check=False)

    def compile(self):
        out = self.program.with_suffix("")
        command = [COMPILER, "-std=c++20", "-Wall", "-Wextra", "-Werror", *FLAGS, self.program, LIBRARY, "-pthread", "-ldl", "-o", out]
        return subprocess.run(command, text=True, capture_output=True, check=False)

    def test_a_converted_program_compiles_and_does_what_it_did(self):
        self.assertNotEqual(self.compile().returncode, 0, "the program is for 0.1, and compiles as it stands")
        done = self.convert(self.program.parent)
        self.assertEqual((done.returncode, done.stdout), (0, f"{self.program}\n"))
        compiled = self.compile()
        self.assertEqual(compiled.returncode, 0, compiled.stderr)
        self.assertEqual(subprocess.run(self.program.with_suffix(""), check=False).returncode, 0)

    def test_a_second_run_changes_nothing(self):
        self.convert(self.program)
        once = self.program.read_text()
        self.assertEqual(self.convert(self.program).stdout, "")
        self.assertEqual(self.program.read_text(), once)

    def test_the_programs_own_structs_and_texts_stay(self):
        self.convert(self.program)
        text = self.program.read_text()
        for own in ("{.missed = 1}", "{.capacity = 2}", '"old, {.capacity = 5, .name = \\"x\\"}"', "now.missed()"):
            self.assertIn(own, text)

    def test_a_list_with_comments_stays(self):
        text = 'detent::engine e({.tick = 1ms,  // coarse\n                  .name = "e"});\n'
        self.program.write_text(text)
        self.assertEqual(self.convert(self.program).stdout, "")
        self.assertEqual(self.program.read_text(), text)

    def test_options_in_c_are_converted(self):
        program = self.program.with_suffix(".c")
        program.write_text("detent_options own, *other = &own;\ndetent_options *third = &own;\n"
                           "own.capacity = 5;\nthird->capacity = DETENT_WISH_OFF;\nbox.capacity = 1;\n")
        self.convert(program)
        self.assertEqual(program.read_text().splitlines()[2:], [
            "own.max_pending = 5;", "third->max_pending = DETENT_PREFERENCE_OFF;", "box.capacity = 1;"])

    def test_the_page_has_the_old_names_beside_the_new_ones(self):
        for row in re.findall(r"^\| (`.*?) \| (`.*?) \|", Path(TREE, "docs/upgrading.md").read_text(), re.M):
            old, new = (set(re.findall(r"`([^`]+)`", cell)) for cell in row)
            self.assertFalse(old & new, row)

    def test_the_pages_sed_does_the_names(self):
        page = Path(TREE, "docs/upgrading.md").read_text()
        command = page[page.index("    sed -Ei"):].replace("FILE...", str(self.program))
        subprocess.run(["bash", "-euc", command], check=True)
        text = self.program.read_text()
        for name in ("worker.drain_for(", "detent::unfired_timer>", "<detent/unfired_timer.hpp>", "detent::preference::off"):
            self.assertIn(name, text)

    def test_a_place_that_is_not_there_is_refused(self):
        done = self.convert("not-there")
        self.assertEqual((done.returncode, done.stderr), (2, "from_0_1.py: not-there: no such file or folder\n"))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
