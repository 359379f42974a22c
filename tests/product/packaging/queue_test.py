#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Configuring finds moodycamel's queue, names the cure where it is missing, and downloads it where it is told to.

usage: queue_test.py ROOT CMAKE COMPILER     ROOT: the sources; CMAKE: the program
"""
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

HEADERS = Path("/usr/include/concurrentqueue")  # Debian's
ALONE = [f"-DDETENT_{each}=OFF" for each in ("USDT", "JEMALLOC", "BUILD_TOOLS", "BUILD_CALENDAR", "BUILD_DURABLE")]


def git(directory, *words):
    done = subprocess.run(["git", "-c", "user.name=x", "-c", "user.email=x@example.org", "-C", directory, *words],
                          capture_output=True, text=True, check=True)
    return done.stdout.strip()


@unittest.skipUnless(HEADERS.exists(), "no libconcurrentqueue-dev to make a repository of")
class Queue(unittest.TestCase):
    def setUp(self):
        work = tempfile.TemporaryDirectory()
        self.addCleanup(work.cleanup)
        self.work = Path(work.name)
        self.build = self.work / "build"

    def configure(self, *words):
        done = subprocess.run(
            [CMAKE, "-S", ROOT, "-B", self.build, f"-DCMAKE_CXX_COMPILER={COMPILER}", *ALONE, *words],
            capture_output=True, text=True, check=False)
        # CMake breaks the lines of its messages.
        return done.returncode, " ".join(done.stderr.split())

    def repository(self):
        """A repository as upstream's is laid out, and a commit of it that is not the last."""
        clone = self.work / "clone"
        shutil.copytree(HEADERS, clone)
        (clone / "CMakeLists.txt").write_text("message(FATAL_ERROR upstream's)\n", encoding="utf-8")
        git(self.work, "init", "-q", clone)
        git(clone, "add", ".")
        git(clone, "commit", "-q", "-m", "headers")
        commit = git(clone, "rev-parse", "HEAD")
        (clone / "concurrentqueue.h").write_text("#error not this one\n", encoding="utf-8")
        git(clone, "commit", "-q", "-a", "-m", "later")
        return clone, commit

    def test_that_is_missing_is_one_error_with_the_cures(self):
        failed, said = self.configure("-DCMAKE_IGNORE_PATH=/usr/include;/usr/local/include")
        self.assertNotEqual(failed, 0)
        self.assertIn("apt-get install libconcurrentqueue-dev", said)
        self.assertIn("-DDETENT_FETCH_CONCURRENTQUEUE=ON", said)
        self.assertFalse((self.build / "_deps").exists(), "something was downloaded")

    def test_is_fetched_at_its_commit_where_that_is_wished(self):
        clone, commit = self.repository()
        done = self.configure("-DDETENT_FETCH_CONCURRENTQUEUE=ON", f"-DDETENT_CONCURRENTQUEUE_REPOSITORY={clone}",
                              f"-DDETENT_CONCURRENTQUEUE_COMMIT={commit}")
        self.assertEqual(done, (0, ""))
        used = self.build / "concurrentqueue-include/concurrentqueue"
        for header in ("concurrentqueue.h", "lightweightsemaphore.h"):
            self.assertEqual((used / header).read_bytes(), (HEADERS / header).read_bytes())

    def test_may_be_a_copy(self):
        for directory, where in ((HEADERS, "concurrentqueue.h itself"), (HEADERS.parent, "the directory above")):
            with self.subTest(where):
                self.assertEqual(self.configure(f"-DDETENT_CONCURRENTQUEUE_INCLUDE_DIR={directory}"), (0, ""))
        failed, said = self.configure(f"-DDETENT_CONCURRENTQUEUE_INCLUDE_DIR={self.work}")
        self.assertNotEqual(failed, 0)
        self.assertIn(f"{self.work} holds neither concurrentqueue/concurrentqueue.h nor concurrentqueue.h", said)


if __name__ == "__main__":
    if len(sys.argv) != 4:
        sys.exit(__doc__.split("\n\n")[1])
    ROOT, CMAKE, COMPILER = Path(sys.argv[1]).resolve(), sys.argv[2], sys.argv[3]
    unittest.main(argv=sys.argv[:1])
