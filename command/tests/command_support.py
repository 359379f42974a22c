# SPDX-License-Identifier: MIT
"""What the tests of the command share: how to run it and how to check what it leaves.

Each test program is called with the paths of the command, of counters_sample, which writes a made-up counters file, and of
counters_engine, an engine that keeps one; and then perhaps with unittest's own options.
"""
import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

if len(sys.argv) < 4:
    sys.exit(f"usage: {os.path.basename(sys.argv[0])} DETENT SAMPLE ENGINE [unittest option ...]")
DETENT, SAMPLE, ENGINE = map(os.path.abspath, sys.argv[1:4])
ROOT = Path(__file__).resolve().parents[2]
HEADER = b"t_ns,op,id,delay_ns,source\n"  # of a trace


def run_tests():
    unittest.main(module="__main__", argv=[sys.argv[0], *sys.argv[4:]])


def detent(*arguments, stdout=subprocess.PIPE):
    return subprocess.run([DETENT, *arguments], stdin=subprocess.DEVNULL, stdout=stdout, stderr=subprocess.PIPE,
                          text=True, timeout=300)


def data(name):
    return str(ROOT / "bench/data" / name)


class WithDirectory(unittest.TestCase):
    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.directory = directory.name
        os.environ["XDG_STATE_HOME"] = os.path.join(self.directory, "state")  # of consoles that are started here

    def path(self, name):
        return os.path.join(self.directory, name)

    def write(self, name, content):
        with open(self.path(name), "wb") as file:
            file.write(content)
        return self.path(name)

    def printed(self, *arguments):
        """What the command prints where nothing is wrong."""
        done = detent(*arguments)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return done.stdout

    def said(self, *arguments):
        """The same as JSON."""
        return json.loads(self.printed(*arguments, "--json"))

    def refused(self, status, *arguments):
        """Runs the command; returns the one line of complaint."""
        done = detent(*arguments)
        self.assertEqual(done.returncode, status, done)
        self.assertEqual(done.stdout, "")
        self.assertRegex(done.stderr, r"\Adetent: [^\n]+\n\Z")
        return done.stderr

    def sample(self, name="counters", *labels):
        subprocess.run([SAMPLE, self.path(name), *labels], check=True, timeout=60)
        return self.path(name)

    def spawn(self, *command, **options):
        """Starts a program that ends with the test."""
        process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                   **options)
        for end in (process.stdin.close, process.stderr.close, process.stdout.close, process.wait, process.kill):
            self.addCleanup(end)
        return process

    def engine(self, file, *words, inside=()):
        """Starts an engine that has its counters in the file; by the command `inside`, if there is one."""
        process = self.spawn(*inside, ENGINE, file, *words)
        self.assertEqual(process.stdout.readline(), "ready\n")
        return process
