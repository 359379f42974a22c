#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A project that builds detent as a part of itself gets the library alone, in few steps, and what DETENT_MODULES asks for.

usage: fetch_test.py ROOT CMAKE COMPILER     ROOT: the sources; CMAKE: the program
"""
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

MOST_STEPS = 60
LIBRARIES = {"calendar": "libdetent_calendar.a", "durable": "libdetent_durable_sqlite.a", "durable_redis": "libdetent_durable_redis.a",
             "durable_postgres": "libdetent_durable_postgres.a"}


@unittest.skipUnless(shutil.which("ninja"), "no ninja, which counts the steps")
class Fetch(unittest.TestCase):
    def setUp(self):
        work = tempfile.TemporaryDirectory()
        self.addCleanup(work.cleanup)
        self.build = Path(work.name)

    def configure(self, *words):
        done = subprocess.run(
            [CMAKE, "-S", Path(__file__).parent / "fetch", "-B", self.build, "-G", "Ninja", f"-DCMAKE_CXX_COMPILER={COMPILER}",
             "-DCMAKE_BUILD_TYPE=Release", f"-DFETCHCONTENT_SOURCE_DIR_DETENT={ROOT}", *words],
            capture_output=True, text=True, check=False)
        return done.returncode, " ".join(done.stderr.split())  # CMake breaks the lines of its messages

    def ninja(self, *words):
        done = subprocess.run(["ninja", "-C", self.build, *words], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                              check=False)
        self.assertEqual(done.returncode, 0, done.stdout)
        return done.stdout

    def steps(self):
        return int(re.findall(r"^\[\d+/(\d+)\]", self.ninja("-n"), re.MULTILINE)[0])

    def libraries(self):
        """The modules whose libraries are built."""
        said = self.ninja("-t", "targets", "all")
        return {name for name, file in LIBRARIES.items() if re.search(rf"^\S*{file}: CXX_STATIC", said, re.MULTILINE)}

    def test_the_library_comes_alone_in_few_steps_without_a_warning(self):
        self.assertEqual(self.configure(), (0, ""))
        self.assertEqual(self.libraries(), set())
        self.assertLessEqual(self.steps(), MOST_STEPS)
        self.assertNotIn("warning", self.ninja())
        for program in ("server", "minimal"):
            subprocess.run([self.build / program], check=True, timeout=60)

    def test_a_module_that_is_asked_for_comes_with_what_it_stands_on(self):
        for asked, built in (("pools", set()), ("coroutine;calendar", {"calendar"}), ("durable", {"calendar", "durable"})):
            with self.subTest(asked):
                status, said = self.configure(f"-DDETENT_MODULES={asked}")
                if "sqlite3" in said and "not found" in said:
                    self.skipTest("no sqlite3")
                self.assertEqual((status, said), (0, ""))
                self.assertEqual(self.libraries(), built)
                self.assertLessEqual(self.steps(), MOST_STEPS)

    def test_a_module_asked_for_by_its_option_comes_too(self):
        self.assertEqual(self.configure("-DDETENT_BUILD_CALENDAR=ON"), (0, ""))
        self.assertEqual(self.libraries(), {"calendar"})

    def test_all_of_them_can_be_asked_for(self):
        self.assertEqual(self.configure("-DDETENT_MODULES=all"), (0, ""))
        self.assertIn("calendar", self.libraries())

    def test_an_unknown_module_is_refused_with_the_list(self):
        status, said = self.configure("-DDETENT_MODULES=calendar;durble")
        self.assertNotEqual(status, 0)
        self.assertIn("there is no module 'durble'", said)
        for name in [*LIBRARIES, "coroutine", "pools", "all"]:
            self.assertIn(name, said)


if __name__ == "__main__":
    if len(sys.argv) != 4:
        sys.exit(__doc__.split("\n\n")[1])
    ROOT, CMAKE, COMPILER = Path(sys.argv[1]).resolve(), sys.argv[2], sys.argv[3]
    unittest.main(argv=sys.argv[:1])
