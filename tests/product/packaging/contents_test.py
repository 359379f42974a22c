#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The look into the packages finds what is missing and what is too many.

usage: contents_test.py ROOT     ROOT: the sources
"""
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.dont_write_bytecode = True

CONTROL = "Package: {}\nVersion: 0.1.0-1\nArchitecture: all\nMaintainer: nobody <nobody@localhost>\nDescription: made up\n"
PAPERS = ("copyright", "changelog.gz", "changelog.Debian.gz")


def make_package(directory, name, files):
    tree = Path(directory) / name
    (tree / "DEBIAN").mkdir(parents=True)
    (tree / "DEBIAN/control").write_text(CONTROL.format(name), encoding="utf-8")
    for file in files:
        (tree / "usr" / file).parent.mkdir(parents=True, exist_ok=True)
        (tree / "usr" / file).touch()
    subprocess.run(["dpkg-deb", "--root-owner-group", "-b", tree, f"{directory}/{name}_0.1.0-1_all.deb"], check=True,
                   stdout=subprocess.DEVNULL)


class Packages(unittest.TestCase):
    def looked_at(self, files):
        with tempfile.TemporaryDirectory() as directory:
            make_package(directory, "libdetent7", files)
            done = subprocess.run([sys.executable, ROOT / "packaging/contents.py", "debs", directory], check=False, text=True,
                                  stdout=subprocess.PIPE)
        self.assertEqual(done.returncode, 1)  # two of three packages are not there at all
        return [line for line in done.stdout.splitlines() if line.startswith("libdetent7")]

    sound = ["lib/x86_64-linux-gnu/libdetent.so.7", "lib/x86_64-linux-gnu/libdetent.so.0.1.0",
             *(f"share/doc/libdetent7/{paper}" for paper in PAPERS)]

    def test_a_sound_one_is_found_sound(self):
        self.assertEqual(self.looked_at(self.sound), [])

    def test_a_missing_file_is_named(self):
        self.assertEqual(self.looked_at(self.sound[1:]),
                         ["libdetent7: nothing is there like lib/(?:[\\w-]+-linux-gnu/)?libdetent\\.so\\.\\d+"])

    def test_a_file_too_many_is_named(self):
        self.assertEqual(self.looked_at([*self.sound, "bin/detent"]), ["libdetent7: bin/detent does not belong there"])


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__.split("\n\n")[1])
    ROOT = Path(sys.argv[1])
    unittest.main(argv=sys.argv[:1])
