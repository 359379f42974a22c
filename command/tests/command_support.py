# SPDX-License-Identifier: MIT
"""What the tests of the command share: how to run it and how to check what it leaves.

Each test program is called with the path of the command and the directory of the bundled traces, and then perhaps with
unittest's own options.
"""
import html.parser
import os
import subprocess
import sys
import tempfile
import unittest

if len(sys.argv) < 3:
    sys.exit(f"usage: {os.path.basename(sys.argv[0])} DETENT DATA_DIRECTORY [unittest option ...]")
DETENT, DATA = sys.argv[1], sys.argv[2]


def run_tests():
    unittest.main(module="__main__", argv=[sys.argv[0], *sys.argv[3:]])


def detent(*arguments, stdout=subprocess.PIPE):
    return subprocess.run([DETENT, *arguments], stdin=subprocess.DEVNULL, stdout=stdout, stderr=subprocess.PIPE,
                          text=True, timeout=300)


def data(name):
    return os.path.join(DATA, name)


class WithDirectory(unittest.TestCase):
    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.directory = directory.name

    def path(self, name):
        return os.path.join(self.directory, name)

    def write(self, name, content):
        with open(self.path(name), "wb") as file:
            file.write(content)
        return self.path(name)

    def refused(self, status, *arguments):
        """Runs the command; returns the one line of complaint."""
        done = detent(*arguments)
        self.assertEqual(done.returncode, status, done)
        self.assertEqual(done.stdout, "")
        self.assertRegex(done.stderr, r"\Adetent: [^\n]+\n\Z")
        return done.stderr


class Page(html.parser.HTMLParser):
    """Checks that elements nest, and notes what the page holds."""

    VOID = {"meta"}

    def __init__(self, text):
        super().__init__()
        self.open, self.seen, self.problems = [], [], []
        self.feed(text)
        self.close()
        self.problems += self.open

    def handle_starttag(self, tag, attributes):
        self.seen.append(tag)
        for name, value in attributes:
            if name in ("src", "href") or name.startswith("on"):
                self.problems.append(f"{name}={value}")
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        self.seen.append(tag)

    def handle_endtag(self, tag):
        if not self.open or self.open.pop() != tag:
            self.problems.append(f"</{tag}>")
