#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The commands that install Debian packages wait for another process's lock on them, and say so in one line.

usage: locks_test.py ROOT     apt-get, sudo and dpkg-query are stand-ins here, and a lock on a file of the test's own is Debian's
"""
import fcntl
import os
import subprocess
import sys
import tempfile
import threading
import unittest
from pathlib import Path

ROOT = Path(sys.argv.pop(1) if len(sys.argv) > 1 else Path(__file__).parents[3]).resolve()
APT_GET = """#!/bin/sh
if [ -n "$BROKEN" ]; then echo "E: $BROKEN" >&2; exit 100; fi
flock --nonblock "$LOCK" true && { echo "$1" >>"$DONE"; exit 0; }
echo "E: Could not get lock $LOCK. It is held by process 4711 (unattended-upgr)" >&2
echo "E: Unable to acquire the dpkg frontend lock ($LOCK), is another process using it?" >&2
exit 100
"""
NEED = """. tools/dev.d/packages.bash
say() { printf '%s\\n' "$*"; }
die() { printf '%s\\n' "$*" >&2; exit 1; }
apt_patience=$1
need format
"""


class Locks(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        for name, text in (("apt-get", APT_GET), ("sudo", '#!/bin/sh\nexec "$@"\n'), ("dpkg-query", "#!/bin/sh\n")):
            (self.folder / name).write_text(text, encoding="utf-8")
            (self.folder / name).chmod(0o755)
        (self.folder / "lock").touch()
        (self.folder / "done").touch()

    def need(self, patience=60, **more):
        """The status, what was printed, and what apt-get was asked for and did."""
        environment = os.environ | more | {"PATH": f"{self.folder}:{os.environ['PATH']}", "LOCK": str(self.folder / "lock"),
                                           "DONE": str(self.folder / "done")}
        done = subprocess.run(["bash", "-euo", "pipefail", "-c", NEED, "need", str(patience)], cwd=ROOT, env=environment,
                              stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
        return done.returncode, done.stdout.splitlines(), done.stderr, (self.folder / "done").read_text(encoding="utf-8").split()

    def hold(self, seconds):
        """This process has the lock from now on, for so long."""
        lock = (self.folder / "lock").open(encoding="utf-8")
        self.addCleanup(lock.close)
        fcntl.flock(lock, fcntl.LOCK_EX)
        end = threading.Timer(seconds, lock.close)
        self.addCleanup(end.cancel)
        end.start()

    def test_a_lock_that_is_free_is_no_matter(self):
        status, said, _, done = self.need()
        self.assertEqual((0, ["Installing Debian packages: clang-format-14"], ["update", "install"]), (status, said, done))

    def test_a_lock_that_is_held_is_waited_for(self):
        self.hold(3)
        status, said, complaint, done = self.need()
        self.assertEqual((0, "", ["update", "install"]), (status, complaint, done))
        self.assertEqual(2, len(said))
        self.assertEqual("Waiting for another process to finish with Debian's packages "
                         f"(process 4711 (unattended-upgr), lock {self.folder / 'lock'})", said[1])

    def test_the_wait_has_an_end(self):
        self.hold(60)
        status, _, complaint, done = self.need(patience=1)
        self.assertEqual((1, []), (status, done))
        self.assertIn("Could not get lock", complaint)

    def test_any_other_failure_is_one_at_once(self):
        status, said, complaint, _ = self.need(BROKEN="Unable to locate package")
        self.assertEqual((1, 1), (status, len(said)))
        self.assertIn("Unable to locate package", complaint)
        self.assertIn("apt-get could not install: clang-format-14", complaint)


if __name__ == "__main__":
    unittest.main()
