#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Debian's changelog says what the project's does.

usage: release_test.py ROOT     ROOT: the sources
"""
import os
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.dont_write_bytecode = True
WHO = "A Person <person@example.org>"
CHANGES = """# Changes

## 1.2.3 (2026-11-21)

About this one.

- One change, told in a line that is long enough to be wrapped, since Debian's lines have at most 80 characters.
- Another.

## 1.2.2 (unreleased)

- The first.
"""


def run(*words, **options):
    return subprocess.run([str(word) for word in words], capture_output=True, text=True, check=False, **options)


class Changelog(unittest.TestCase):
    def made(self, text):
        with tempfile.NamedTemporaryFile("w", suffix=".md", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            return run(sys.executable, ROOT / "packaging/debian/changelog.py", file.name, WHO,
                       env={**os.environ, "SOURCE_DATE_EPOCH": "86400"})

    def test_each_change_is_an_item_of_its_release(self):
        self.assertEqual(self.made(CHANGES).stdout, """detent (1.2.3-1) unstable; urgency=medium

  * One change, told in a line that is long enough to be wrapped, since
    Debian's lines have at most 80 characters.
  * Another.

 -- A Person <person@example.org>  Sat, 21 Nov 2026 00:00:00 +0000

detent (1.2.2-1) UNRELEASED; urgency=medium

  * The first.

 -- A Person <person@example.org>  Fri, 02 Jan 1970 00:00:00 +0000
""")

    def test_the_projects_own_is_understood_and_debian_understands_the_result(self):
        made = self.made((ROOT / "CHANGELOG.md").read_text(encoding="utf-8"))
        self.assertEqual(made.stderr, "")
        said = run("dpkg-parsechangelog", "-l", "-", input=made.stdout)
        self.assertEqual((said.returncode, said.stderr), (0, ""))
        self.assertRegex(said.stdout, r"(?m)^Source: detent$")

    def test_what_is_no_changelog_is_one_line(self):
        for text, words in (("# Changes\n", "no heading"), ("## 1.0.0 (2026-01-01)\n\nNothing.\n", "no change below")):
            done = self.made(text)
            self.assertEqual((done.returncode, done.stdout), (1, ""))
            self.assertTrue(re.fullmatch(rf".*{words}.*\n", done.stderr), done.stderr)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__.split("\n\n")[1])
    ROOT = Path(sys.argv[1])
    unittest.main(argv=sys.argv[:1])
