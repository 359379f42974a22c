#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""All zones of the tz database, in each form that zic writes, beside Python's own zones, from 2020 to 2099.

usage: zone_files_test.py ZONE_OFFSETS     ZONE_OFFSETS: the program of that name
"""
import os
import shutil
import subprocess
import sys
import tempfile
import unittest
from datetime import datetime, timezone
from pathlib import Path
from zoneinfo import ZoneInfo

DATABASE = Path("/usr/share/zoneinfo")
RULES = DATABASE / "tzdata.zi"
LEAP_SECONDS = DATABASE / "leapseconds"
ZIC = shutil.which("zic") or shutil.which("zic", path="/usr/sbin:/sbin")
BEGIN, END = (int(datetime(year, 1, 1, tzinfo=timezone.utc).timestamp()) for year in (2020, 2100))
WEEK = 7 * 86400


def names_in(directory):
    return sorted(str(file.relative_to(directory)) for file in directory.rglob("*") if file.is_file())


def offset_at(zone, at):
    return int(datetime.fromtimestamp(at, zone).utcoffset().total_seconds())


class Zone:
    """What Python says of a zone: its offset in each week, and at any time."""

    def __init__(self, path):
        with path.open("rb") as file:
            self.zone = ZoneInfo.from_file(file)
        self.weeks = [offset_at(self.zone, at) for at in range(BEGIN, END, WEEK)]

    def difference(self, changes):
        """The first time at which these offsets are others."""
        for at, offset in changes:
            if offset_at(self.zone, at) != offset:
                return at
        for (_, before), (at, _) in zip(changes, changes[1:]):
            if offset_at(self.zone, at - 1) != before:
                return at - 1
        latest = 0
        for at, offset in zip(range(BEGIN, END, WEEK), self.weeks):
            while latest + 1 < len(changes) and changes[latest + 1][0] <= at:
                latest += 1
            if changes[latest][1] != offset:
                return at
        return None


@unittest.skipUnless(ZIC and RULES.is_file(), f"needs zic (Debian: libc-bin) and {RULES} (Debian: tzdata)")
class ZoneFiles(unittest.TestCase):
    oracles = {}  # by the file's content, as many names are of one zone

    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.directory = Path(temporary.name)

    def made(self, name, *options):
        subprocess.run([ZIC, *options, "-d", self.directory / name, RULES], check=True, stderr=subprocess.DEVNULL, timeout=300)
        return self.directory / name

    def check(self, directory, by=None):
        """The zones of the directory; by Python's reading of the same files, or of others."""
        names = names_in(directory)
        self.assertGreater(len(names), 400)
        done = subprocess.run([ZONE_OFFSETS], input="\n".join(names), capture_output=True, text=True, check=True, timeout=300,
                              env={**os.environ, "TZDIR": str(directory)})
        self.assertEqual(done.stderr, "")
        lines = done.stdout.splitlines()
        self.assertEqual([line.split()[0] for line in lines], names)
        wrong = []
        for name, line in zip(names, lines):
            if " refused " in line:
                wrong.append(line)
                continue
            file = (by or directory) / name
            content = file.read_bytes()
            if content not in self.oracles:
                self.oracles[content] = Zone(file)
            at = self.oracles[content].difference([tuple(map(int, each.split(":"))) for each in line.split()[1:]])
            if at is not None:
                wrong.append(f"{name} at {datetime.fromtimestamp(at, timezone.utc)}")
        if wrong:
            self.fail(f"{len(wrong)} of {len(names)} zones are wrong or refused:\n" + "\n".join(wrong[:20]))

    def test_fat(self):
        self.check(self.made("fat", "-b", "fat"))

    def test_slim(self):
        self.check(self.made("slim", "-b", "slim"))

    def test_from_the_year_2000_on(self):
        self.check(self.made("late", "-b", "slim", "-r", "@946684800"))

    def test_with_leap_seconds(self):
        if not LEAP_SECONDS.is_file():
            self.skipTest(f"no {LEAP_SECONDS}")
        # Without the time at which the list expires, where zic would end the zones.
        lines = LEAP_SECONDS.read_text(encoding="utf-8").splitlines()
        leaps = self.directory / "leaps"
        leaps.write_text("".join(f"{line}\n" for line in lines if line.startswith("Leap")), encoding="utf-8")
        for form in ("fat", "slim"):
            with self.subTest(form):  # Python leaves the leap seconds in
                self.check(self.made(f"right-{form}", "-b", form, "-L", leaps), by=self.made(form, "-b", form))


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__.split("\n\n")[1])
    ZONE_OFFSETS = sys.argv[1]
    unittest.main(argv=sys.argv[:1])
