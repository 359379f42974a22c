#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Random schedules by `detent cron --check` beside others: Quartz and systemd, where they are installed, and a walk through every
minute by Python's own zones.

usage: oracles_test.py DETENT [SEED]     DETENT: the command; a new seed is made and printed without one
"""
import csv
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from datetime import datetime, timedelta, timezone
from pathlib import Path
from zoneinfo import ZoneInfo

HEADER = ("expression", "dialect", "zone", "gap", "overlap", "from", "expected", "source")
QUARTZ = "/usr/share/java/quartz2.jar"
LOGGING = "/usr/share/java/slf4j-api.jar"
DAYS = ("SUN", "MON", "TUE", "WED", "THU", "FRI", "SAT")
MONTHS = ("JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC")
# Zones, and local dates near which their offset changes.
CHANGES = {
    "America/New_York": ("2024-03-10", "2024-11-03"), "Europe/London": ("2025-03-30", "2025-10-26"),
    "Africa/Cairo": ("2024-04-26", "2024-11-01"), "America/Sao_Paulo": ("2018-11-04", "2018-02-18"),
    "Pacific/Apia": ("2011-12-30", "2011-04-02"), "Australia/Lord_Howe": ("2024-10-06", "2024-04-07"),
    "America/Santiago": ("2024-09-08", "2024-04-07"), "Asia/Tehran": ("2021-03-22", "2021-09-22"),
    "Asia/Kathmandu": ("2024-01-01",), "Africa/Casablanca": ("2024-03-10", "2024-04-14"),
    "Antarctica/Troll": ("2024-03-31", "2024-10-27"), "Asia/Pyongyang": ("2018-05-05", "2015-08-15"),
}


def iso(at):
    return at.strftime("%Y-%m-%dT%H:%M:%SZ")


def item(low, high, step):
    first, last = random.randint(low, high), random.randint(low, high)
    by = random.randint(1, step)
    return random.choice((f"{first}", f"{first}", f"{first}-{last}", f"{first}/{by}", f"{first}-{last}/{by}", f"*/{by}"))


def field(low, high, step):
    if random.random() < 0.2:
        return "*"
    return ",".join(item(low, high, step) for _ in range(random.choice((1, 1, 1, 2, 3))))


def quartz_expression():
    month_day = random.choice((field(1, 31, 31), field(1, 31, 31), "L", "LW", f"L-{random.randint(0, 30)}",
                               f"L-{random.randint(0, 27)}W", f"{random.choice((*range(1, 29), 31))}W"))
    week_day = random.choice((field(1, 7, 7), f"{random.randint(1, 7)}#{random.randint(1, 5)}", f"{random.choice(DAYS)}L",
                              f"{random.choice(DAYS)}-{random.choice(DAYS)}", ",".join(random.sample(DAYS, 3)), "L"))
    month = random.choice((field(1, 12, 12), f"{random.choice(MONTHS)}-{random.choice(MONTHS)}", random.choice(MONTHS).lower()))
    days = random.choice(((month_day, "?"), ("?", week_day)))
    year = random.choice(("", "", " *", " 2024-2040/3", " 2031,2025"))
    return f"{field(0, 59, 59)} {field(0, 59, 59)} {field(0, 23, 23)} {days[0]} {month} {days[1]}{year}"


def minutes_and_hours():
    few = sorted(random.sample(range(6), 2))
    hour = random.choice((str(random.randint(0, 5)), "*", "*/2", f"{few[0]}-{few[1]}", f"{few[0]},{few[1]}"))
    minute = random.choice(("0", "30", "*/20", "5-50/15", "0,59", str(random.randint(0, 59))))
    return minute, hour


def numbers(text, high):
    found = set()
    for part in text.split(","):
        part, _, step = part.partition("/")
        first, _, last = ("0-" + str(high) if part == "*" else part).partition("-")
        found.update(range(int(first), int(last or first) + 1, int(step or 1)))
    return found


def walk(minute, hour, zone, start, choices, count):
    """The first due times after `start`, from the definition: every minute is looked at, by the zone's own clock."""
    minutes, hours, fixed = numbers(minute, 59), numbers(hour, 23), "*" not in minute + hour
    local = [(start + timedelta(minutes=i)).astimezone(zone).replace(tzinfo=None) for i in range(-1800, 0)]
    last, latest, due = local[-1], max(local), []
    while len(due) < count:
        now = start.astimezone(zone).replace(tzinfo=None)
        skipped = (now - last) // timedelta(minutes=1) - 1
        shown = [now]
        if fixed and choices["gap"] != "skip" and 0 < skipped < 180:
            shown += [last + timedelta(minutes=i + 1) for i in range(skipped)]
        if fixed and choices["overlap"] != "twice":
            shown = [each for each in shown if each > latest]
        if any(each.minute in minutes and each.hour in hours for each in shown):
            due.append(iso(start))
        last, latest, start = now, max(latest, now), start + timedelta(minutes=1)
    return due


class Oracles(unittest.TestCase):
    def check(self, rows):
        with tempfile.TemporaryDirectory() as directory:
            path = Path(directory) / "cases.csv"
            with path.open("w", encoding="utf-8", newline="") as file:
                table = csv.DictWriter(file, HEADER, restval="")
                table.writeheader()
                table.writerows(rows)
            done = subprocess.run([DETENT, "cron", "--check", path], capture_output=True, text=True, timeout=300)
            self.assertEqual(done.returncode, 0, f"seed {SEED}\n{done.stdout}{done.stderr}")
            self.assertIn(f" {len(rows)} agree", done.stdout)

    def test_the_grammar_by_quartz_in_utc(self):
        if not (os.path.exists(QUARTZ) and shutil.which("java") and shutil.which("javac")):
            self.skipTest("no Quartz (Debian: libquartz2-java, default-jdk-headless)")
        starts = [iso(datetime(2005, 1, 1) + timedelta(seconds=random.randrange(10**9))) for _ in range(2000)]
        cases = [(quartz_expression(), start) for start in starts]
        source = Path(__file__).with_name("QuartzTimes.java")
        answer = subprocess.run(["java", "-cp", f"{QUARTZ}:{LOGGING}", source], input="".join(
            f"{text}\t{start}\t5\n" for text, start in cases), stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
            check=True, timeout=300).stdout.splitlines()
        self.check([{"expression": text, "from": start, "expected": times, "source": "Quartz"}
                    for (text, start), times in zip(cases, answer, strict=True)])

    def test_clocks_that_jump_by_a_walk_through_every_minute(self):
        rows = []
        for _ in range(300):
            zone = random.choice(list(CHANGES))
            day = datetime.fromisoformat(random.choice(CHANGES[zone])).replace(tzinfo=timezone.utc)
            start = day + timedelta(minutes=random.randint(-40 * 60, 15 * 60))
            choices = {"gap": random.choice(("after", "skip", "")), "overlap": random.choice(("once", "twice", ""))}
            minute, hour = minutes_and_hours()
            due = walk(minute, hour, ZoneInfo(zone), start + timedelta(minutes=1), choices, 4)
            rows.append({"expression": f"{minute} {hour} * * *", "dialect": "unix", "zone": zone, "from": iso(start), **choices,
                         "expected": " ".join(due), "source": "every minute"})
        self.check(rows)

    def test_clocks_that_jump_by_systemd(self):
        if not shutil.which("systemd-analyze"):
            self.skipTest("no systemd-analyze")
        rows = []
        for _ in range(60):
            zone = random.choice(list(CHANGES))
            start = datetime.fromisoformat(random.choice(CHANGES[zone])) - timedelta(minutes=random.randint(0, 2000))
            minute, hour = random.choice((0, 15, 30)), random.randint(0, 4)
            answer = subprocess.run(
                ["systemd-analyze", "calendar", "--iterations=3", f"--base-time={start:%Y-%m-%d %H:%M:%S} UTC",
                 f"*-*-* {hour:02}:{minute:02}:00 {zone}"], capture_output=True, text=True, env={**os.environ, "TZ": "UTC",
                                                                                            "LC_ALL": "C"})
            if answer.returncode != 0:
                self.skipTest(f"systemd-analyze: {answer.stderr.strip()}")
            due = re.findall(r"(\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d) UTC$", answer.stdout, re.MULTILINE)
            times = dict.fromkeys(f"{day}T{time}Z" for day, time in due if f"{day} {time}" != f"{start}")
            rows.append({"expression": f"0 {minute} {hour} * * ?", "zone": zone, "gap": "skip", "from": iso(start),
                         "expected": " ".join(times), "source": "systemd"})
        self.check(rows)


if __name__ == "__main__":
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__.split("\n\n")[1])
    DETENT, SEED = sys.argv[1], int(sys.argv[2]) if len(sys.argv) == 3 else random.SystemRandom().randrange(2**32)
    print(f"seed {SEED}")
    random.seed(SEED)
    unittest.main(argv=sys.argv[:1])
