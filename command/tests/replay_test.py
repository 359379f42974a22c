#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""`detent replay`: what it prints, against an independent model; sessions/replay.txt has what it refuses."""
import json
import os
import random
import re
import subprocess
import sys

sys.dont_write_bytecode = True
import oracle
from command_support import DETENT, HEADER, WithDirectory, data, detent, run_tests

LAST_INSTANT = (1 << 63) - 1
WHEELS = ("hierarchical", "hashed")
BUNDLED = ("tcp-http-200k.csv.gz", "ties.csv.gz")


def random_rows(random_source, count):
    """Rows that favour equal deadlines, both ends of time and ids that are pending."""
    now, ids = 0, [random_source.getrandbits(64) for _ in range(40)] + list(range(40))
    delays = (0, 1, 63, 64, 65, 4095, 4096, 1 << 20, (1 << 32) - 1, 1 << 47, LAST_INSTANT - 1, LAST_INSTANT,
              (1 << 64) - 1)
    for _ in range(count):
        now += random_source.choice((0, 0, 1, 2, 64, 1000, 1 << 16, random_source.getrandbits(30)))
        delay = random_source.choice(
            (random_source.choice(delays), random_source.getrandbits(12), random_source.getrandbits(34)))
        yield now, random_source.choice("SSSRRCCX"), random_source.choice(ids), delay
    now = max(now, LAST_INSTANT - 2)
    for step in (0, 1, 1, 5, 1 << 62):
        now += step
        for op in "SRXSC":
            yield now, op, random_source.choice(ids), random_source.choice(delays)


class Names(WithDirectory):
    def test_json_is_utf_8_whatever_the_name(self):
        for name in (b"caf\xe9", b"\xed\xa0\x80", b"\xe0\x80\x80", b"\xf4\x90\x80\x80", b"a\"\\b", "Größe\U0001f600".encode()):
            trace = os.path.join(os.fsencode(self.directory), name)
            with open(trace, "wb") as file:
                file.write(HEADER + b"0,S,1,5,\n")
            done = subprocess.run([DETENT, "replay", trace, "--virtual", "--json"], capture_output=True, timeout=60)
            self.assertEqual((done.returncode, done.stderr), (0, b""))
            said = json.loads(done.stdout.decode("utf-8"))["trace"]
            self.assertTrue(said.startswith(self.directory))
            if b"\\" in name or name.startswith(b"Gr"):
                self.assertEqual(said, os.fsdecode(trace))


class VirtualReplay(WithDirectory):
    def assert_line(self, trace, expected, *options):
        for wheel in WHEELS:
            done = detent("replay", trace, "--virtual", "--wheel", wheel, *options)
            self.assertEqual((done.returncode, done.stdout, done.stderr), (0, expected + "\n", ""), (wheel, options))

    def test_bundled_traces_give_the_lines_that_their_readme_promises(self):
        with open(data("README.md"), encoding="utf-8") as file:
            promised = re.findall(r"^    (\S+\.csv\.gz)( --to-end)?\n    (scheduled=.*)$", file.read(), re.MULTILINE)
        self.assertEqual(len(promised), 4)
        for name, option, line in promised:
            self.assert_line(data(name), line, *option.split())

    def test_bundled_traces_agree_with_the_oracle(self):
        for name in BUNDLED:
            for to_end in (False, True):
                line = oracle.expected_line(oracle.rows_of(data(name)), to_end)
                self.assert_line(data(name), line, *(["--to-end"] if to_end else []))

    def test_random_traces_agree_with_the_oracle(self):
        seed = int(os.environ.get("DETENT_TEST_SEED", random.SystemRandom().getrandbits(32)))
        print(f"DETENT_TEST_SEED={seed}", file=sys.stderr)
        source = random.Random(seed)
        for number in range(8):
            rows = list(random_rows(source, source.choice((10, 300, 3000))))
            text = "".join(f"{t},{op},{i},{delay},made-up\n" for t, op, i, delay in rows)
            trace = self.write(f"{number}.csv", HEADER + text.encode())
            for to_end in (False, True):
                self.assert_line(trace, oracle.expected_line(rows, to_end), *(["--to-end"] if to_end else []))

    def test_a_trace_of_nothing_but_the_header_is_valid(self):
        line = oracle.expected_line([], True)
        for options in ([], ["--to-end"]):
            self.assert_line(self.write("header.csv", HEADER), line, *options)


class LiveReplay(WithDirectory):
    def ledger(self, *options):
        said = self.said("replay", *options)
        self.assertEqual(said["fired_early"], 0)
        self.assertEqual(said["fired"], said["lateness_ns"]["samples"])
        self.assertEqual(said["row_lateness_ns"]["samples"], said["operations"])
        return said

    def test_a_live_replay_applies_each_row_and_fires_nothing_early(self):
        virtual = self.said("replay", data("tcp-http-200k.csv.gz"), "--virtual")
        for wheel in WHEELS:
            said = self.ledger(data("tcp-http-200k.csv.gz"), "--speed", "4", "--wheel", wheel)
            self.assertEqual(said["operations"], 200_000)
            # A row may find its timer still pending or just fired; how many rows there are stays the same.
            self.assertEqual(said["scheduled"] + said["restarted"], virtual["scheduled"] + virtual["restarted"])
            self.assertEqual(said["cancelled"] + said["late_cancels"], virtual["cancelled"] + virtual["late_cancels"])
            self.assertGreaterEqual(said["scheduled"], said["cancelled"] + said["fired"])
            self.assertEqual(said["fired"] + said["cancelled"] + said["pending_at_last_row"], said["scheduled"])

    def test_each_way_to_wait_replays_to_the_end(self):
        rows = b"".join(b"%d,S,%d,%d,x\n" % (i * 1000, i, (i * 37) % 2_000_000) for i in range(2000))
        trace = self.write("short.csv", HEADER + rows)
        for wait in ("busy", "hybrid", "sleep"):
            said = self.ledger(trace, "--to-end", "--wait", wait)
            self.assertEqual((said["scheduled"], said["fired"]), (2000, 2000))


if __name__ == "__main__":
    run_tests()
