#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The hook for commits formats what is staged, that alone, and refuses what breaks the rules of the tree.

usage: git_hook_test.py ROOT     skipped where git or clang-format-14 is missing
"""
import os
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

MISSING = 77
ROOT = Path(sys.argv.pop(1) if len(sys.argv) > 1 else Path(__file__).parents[3]).resolve()
PARTS = ("tools/tidy.py", "tools/tidy_text.py", "tools/git-hooks/pre-commit", ".clang-format")
SPDX = "// SPDX-License-Identifier: MIT\n"
UGLY, TIDY = SPDX + "int  x ;\n", SPDX + "int x;\n"
SOURCE, LISTS = "core/src/wheel/a.cpp", "core/CMakeLists.txt"


class GitHookTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name)
        self.environment = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
        self.environment |= {"HOME": folder.name, "GIT_CONFIG_NOSYSTEM": "1"}
        for name in PARTS:
            (self.root / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, self.root / name)
        self.write(LISTS, "add_library(a src/wheel/a.cpp)\n")
        for words in ("init -q", "config user.name reader", "config user.email reader@example.org",
                      "config core.hooksPath tools/git-hooks", "add ."):
            self.assertEqual(0, self.git(*words.split()).returncode)

    def write(self, name, text):
        (self.root / name).parent.mkdir(parents=True, exist_ok=True)
        (self.root / name).write_text(text, encoding="utf-8")

    def git(self, *words):
        return subprocess.run(["git", *words], cwd=self.root, env=self.environment, capture_output=True, text=True, check=False)

    def commit(self, *words):
        return self.git("commit", "-q", "-m", "a", *words)

    def committed(self, name=SOURCE):
        return self.git("show", f"HEAD:{name}").stdout

    def test_what_is_staged_is_formatted_in_the_commit_and_in_the_folder(self):
        self.write(SOURCE, UGLY)
        self.git("add", SOURCE)
        done = self.commit()
        self.assertEqual(0, done.returncode, done.stderr)
        self.assertEqual(TIDY, self.committed())
        self.assertEqual(TIDY, (self.root / SOURCE).read_text())
        self.assertEqual("", self.git("status", "--porcelain").stdout)

    def test_what_is_not_staged_stays_as_it_is(self):
        self.write(SOURCE, UGLY)
        self.git("add", SOURCE)
        self.write(SOURCE, UGLY + "int  y ;\n")
        self.assertEqual(0, self.commit().returncode)
        self.assertEqual(TIDY, self.committed())
        self.assertEqual(UGLY + "int  y ;\n", (self.root / SOURCE).read_text())

    def test_a_commit_of_all_changes_is_formatted(self):
        self.write(SOURCE, TIDY)
        self.git("add", SOURCE)
        self.commit()
        self.write(SOURCE, UGLY + "int  y;\n")
        self.assertEqual(0, self.commit("-a").returncode)
        self.assertEqual(TIDY + "int y;\n", self.committed())
        self.assertEqual("", self.git("status", "--porcelain").stdout)

    def test_a_commit_of_named_files_is_formatted_the_second_time(self):
        self.write(SOURCE, TIDY)
        self.git("add", SOURCE)
        self.commit()
        self.write(SOURCE, UGLY + "int  y;\n")
        self.assertEqual(1, self.commit(SOURCE).returncode)
        self.assertEqual(0, self.commit(SOURCE).returncode)
        self.assertEqual(TIDY + "int y;\n", self.committed())
        self.assertEqual("", self.git("status", "--porcelain").stdout)

    def test_a_broken_rule_ends_the_commit_and_is_named(self):
        self.write(SOURCE, "int x;\n")
        self.git("add", SOURCE)
        done = self.commit()
        self.assertEqual(1, done.returncode)
        self.assertIn(f"{SOURCE}:1: [licence]", done.stderr)

    def test_a_list_that_is_not_staged_does_not_count(self):
        self.write("core/src/wheel/b.cpp", TIDY)
        self.git("add", "core/src/wheel/b.cpp")
        self.write(LISTS, "add_library(a src/wheel/a.cpp src/wheel/b.cpp)\n")
        done = self.commit()
        self.assertEqual(1, done.returncode)
        self.assertIn("b.cpp:1: [unlisted]", done.stderr)
        self.git("add", LISTS)
        self.assertEqual(0, self.commit().returncode)


if __name__ == "__main__":
    if not shutil.which("git") or not shutil.which("clang-format-14"):
        print("skipped: this needs git and clang-format-14")
        sys.exit(MISSING)
    unittest.main()
