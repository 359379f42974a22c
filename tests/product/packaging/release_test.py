#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What stands in the way of a release is found, in a made-up tree; and Debian's changelog says what the project's does.

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


class Release(unittest.TestCase):
    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.tree = Path(directory.name)
        header = self.tree / "core/include/detent/version.hpp"
        header.parent.mkdir(parents=True)
        header.write_text("".join(f"#define DETENT_VERSION_{part} {number}\n"
                                  for part, number in (("MAJOR", 1), ("MINOR", 2), ("PATCH", 3))), encoding="utf-8")
        (self.tree / "CHANGELOG.md").write_text(CHANGES, encoding="utf-8")
        self.git("init", "-q")
        self.commit()

    def git(self, *words):
        done = run("git", "-C", self.tree, "-c", "user.name=nobody", "-c", "user.email=nobody@localhost", *words)
        self.assertEqual(done.returncode, 0, done.stderr)

    def commit(self):
        self.git("add", "-A")
        self.git("commit", "-q", "-m", "all")

    def check(self, *version):
        done = run(sys.executable, ROOT / "packaging/release_check.py", self.tree, *version)
        self.assertEqual(done.returncode, 1 if done.stderr else 0)
        return done.stderr

    def test_nothing_stands_in_the_way_of_a_sound_tree(self):
        self.assertEqual(self.check(), "")
        self.assertEqual(self.check("1.2.3"), "")

    def test_another_version_than_the_headers(self):
        self.assertIn("version.hpp has 1.2.3, not 1.3.0", self.check("1.3.0"))

    def test_something_that_is_not_committed(self):
        (self.tree / "more").touch()
        self.assertEqual(self.check(), "release: not committed: 1 files, more for one\n")

    def test_a_changelog_without_the_version_or_its_date(self):
        (self.tree / "CHANGELOG.md").write_text(CHANGES.replace("1.2.3", "1.2.4"), encoding="utf-8")
        self.commit()
        self.assertIn("its first heading is not '## 1.2.3 (DATE)'", self.check())
        (self.tree / "CHANGELOG.md").write_text(CHANGES.replace("2026-11-21", "unreleased"), encoding="utf-8")
        self.commit()
        self.assertIn("1.2.3 is dated 'unreleased'", self.check())

    def test_a_version_that_is_out_already(self):
        self.git("tag", "v1.2.3")
        self.assertIn("tag v1.2.3 is there already", self.check())

    def test_what_is_no_version_is_a_usage_error(self):
        self.assertIn("usage:", self.check("1.2"))


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
