#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""`detent top` as its user sees it: in a terminal of 80x24, in a pipe, and what it leaves behind."""
import fcntl
import itertools
import os
import pty
import re
import select
import signal
import struct
import subprocess
import sys
import termios
import time

sys.dont_write_bytecode = True
from command_support import DETENT, WithDirectory, run_tests

try:
    import pyte
except ImportError:
    sys.exit("skipped: pyte is not installed")

PATIENCE = 60  # seconds until an expected event is given up


class Terminal:
    """A terminal with the command in it; of the type whose sequences pyte knows all of, where the screen is read."""

    def __init__(self, *arguments, size=(80, 24), **environment):
        self.main, self.side = pty.openpty()
        self.screen = pyte.Screen(*size)
        self.stream = pyte.ByteStream(self.screen)
        self.raw = b""
        self.resize(*size)
        self.before = termios.tcgetattr(self.side)
        self.process = subprocess.Popen(
            [DETENT, "top", *arguments], stdin=self.side, stdout=self.side, stderr=subprocess.PIPE, start_new_session=True,
            env={**os.environ, "TERM": "linux", "LC_ALL": "C.UTF-8", **environment})

    def resize(self, columns, lines):
        fcntl.ioctl(self.side, termios.TIOCSWINSZ, struct.pack("HHHH", lines, columns, 0, 0))
        self.screen.resize(lines, columns)

    def read(self, seconds):
        if select.select([self.main], [], [], seconds)[0]:
            data = os.read(self.main, 65536)
            self.raw += data
            self.stream.feed(data)

    def text(self):
        return "\n".join(line.rstrip() for line in self.screen.display)

    def until(self, shown):
        """Waits until `shown` of the text is true; returns the text."""
        end = time.monotonic() + PATIENCE
        while not shown(self.text()):
            if time.monotonic() > end:
                raise AssertionError("this is what the terminal shows:\n" + self.text())
            self.read(0.1)
        return self.text()

    def until_shows(self, *parts):
        """What is read may end anywhere in a screen, so all that is asked of one is waited for."""
        return self.until(lambda text: all(part in text for part in parts))

    def press(self, keys):
        os.write(self.main, keys.encode())

    def end(self):
        """Waits for the command's end; returns its status."""
        end = time.monotonic() + PATIENCE
        while self.process.poll() is None and time.monotonic() < end:
            self.read(0.1)
        while select.select([self.main], [], [], 0)[0]:
            self.read(0)
        return self.process.wait(1)

    def close(self):
        if self.process.poll() is None:
            self.process.kill()
        self.process.communicate()
        os.close(self.main)
        os.close(self.side)


class Top(WithDirectory):
    def terminal(self, *arguments, **options):
        terminal = Terminal(*arguments, **options)
        self.addCleanup(terminal.close)
        return terminal

    def check_restored(self, terminal):
        self.assertEqual(termios.tcgetattr(terminal.side), terminal.before)
        self.assertFalse(terminal.screen.cursor.hidden)

    def test_keys_arrive_and_q_quits(self):
        terminal = self.terminal("-d", "0.2", self.sample("a"), self.sample("b", "0"))
        terminal.until_shows(
            "sort: P99", "LATE BY", "SHARE", "dispatch", "last 0.2s", "2 engines in 1 process", "up ", "{le=")
        for keys, shown in (("F", "sort: FIRED/s"), (">>>", "sort: P99"), ("w", "whole life"), ("h", "any key goes back"),
                            ("xd0.5\r", "every 0.5s")):
            terminal.press(keys)
            terminal.until_shows(shown)
        terminal.press("\x1b[B")
        terminal.until(lambda text: "{le=" not in text)
        terminal.press("q")
        self.assertEqual(terminal.end(), 0)
        self.check_restored(terminal)

    def test_rates_are_of_what_was_counted_since_the_last_reading(self):
        terminal = self.terminal("-d", "0.2", self.sample("a"))
        terminal.until_shows("1 engine in", "fired 0/s")
        counts = itertools.count(3_000_000, 3_000_000)

        def more_have_fired(text):
            with open(self.path("a"), "r+b") as file:
                file.seek(4096 + 8 * 8)  # of the first thread: fired
                file.write(struct.pack("=Q", next(counts)))
            return re.search(r"fired [1-9][\d.]*M/s", text)

        terminal.until(more_have_fired)
        terminal.until_shows("fired 0/s")

    def test_signals_leave_the_terminal_as_it_was(self):
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            terminal = self.terminal("-d", "0.2", self.sample("a"), TERM="xterm-256color")
            terminal.until_shows("1 engine in 1 process")
            terminal.process.send_signal(number)
            self.assertEqual(terminal.end(), -number)
            self.check_restored(terminal)
            self.assertGreater(terminal.raw.rfind(b"\x1b[?1049l"), terminal.raw.rfind(b"\x1b[?1049h"))  # the other screen

    def test_it_follows_the_size_of_the_terminal(self):
        terminal = self.terminal("-d", "0.2", self.sample("a"))
        terminal.until_shows("SHARE")
        for size, shown in (((60, 10), lambda text: "SHARE" not in text and "PEND" in text),
                            ((30, 5), lambda text: "30x5: too small, needs 40x6" in text),
                            ((120, 40), lambda text: "CANCEL/s" in text and "SHARE" in text)):
            terminal.resize(*size)
            terminal.process.send_signal(signal.SIGWINCH)
            terminal.until(shown)

    def test_engines_that_end_vanish_with_a_line(self):
        terminal = self.terminal("-d", "0.2", self.sample("a"), self.sample("b"))
        terminal.until_shows("2 engines")
        with open(self.path("a"), "r+b") as file:
            file.seek(48)  # the state
            file.write(struct.pack("=I", 2))
        terminal.until_shows("1 engine in", "the engine has ended")
        os.unlink(self.path("b"))
        terminal.until_shows("No engine")
        self.sample("b")
        terminal.until_shows("1 engine in")

    def test_an_unknown_terminal_is_one_line(self):
        terminal = self.terminal(self.sample("a"), TERM="no-such-terminal")
        self.assertEqual(terminal.end(), 1)
        self.assertRegex(terminal.process.stderr.read().decode(), r"\Adetent: [^\n]*'no-such-terminal'[^\n]*\n\Z")

    def test_batch_prints_plain_text(self):
        text = self.printed("top", "-b", "-n", "2", "-d", "0.1", self.sample("a"))
        self.assertEqual(text.count("detent top - "), 2)
        self.assertNotIn("\x1b", text)
        once = self.printed("top", "--once", "--whole-life", "-d", "0.1", self.sample("a"))
        self.assertRegex(once, r"(?m)^ *\d+ a .* worker +")
        self.assertIn("2.0ms", once)


if __name__ == "__main__":
    run_tests()
