# SPDX-License-Identifier: MIT
"""What the tests of kernel-trace share: how to run it, and lines as the kernel prints them.

Each test program is called with the paths of kernel-trace and of the command `detent`, and then perhaps with unittest's
own options.
"""
import os
import subprocess
import sys
import tempfile
import unittest

if len(sys.argv) < 3:
    sys.exit(f"usage: {os.path.basename(sys.argv[0])} KERNEL_TRACE DETENT [unittest option ...]")
KERNEL_TRACE, DETENT = sys.argv[1], sys.argv[2]
SAMPLES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "samples")
HEADER = "t_ns,op,id,delay_ns,source"


def run_tests():
    unittest.main(module="__main__", argv=[sys.argv[0], *sys.argv[3:]])


def run(*command):
    return subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                          timeout=120)


def line(microseconds, event, cpu=0, task="swapper-0", flags="d.s2.", base=7200):
    """As ftrace prints it."""
    seconds, rest = divmod(microseconds, 1_000_000)
    return f"{task:>17}     [{cpu:03}] {flags} {base + seconds:5}.{rest:06}: {event}\n"


def timer_start(address, expires, now, function="tcp_write_timer"):
    return (f"timer_start: timer={address} function={function} expires={expires} [timeout={expires - now}] "
            f"bucket_expiry={expires + 1} cpu=0 idx=17 flags=")


def timer_expiry(address, now, function="tcp_write_timer"):
    return f"timer_expire_entry: timer={address} function={function} now={now} baseclk={now}"


def hrtimer_start(address, expires, slack=0, function="hrtimer_wakeup"):
    return (f"hrtimer_start: hrtimer={address} function={function} expires={expires + slack} softexpires={expires} "
            "mode=ABS")


def hrtimer_expiry(address, now, function="hrtimer_wakeup"):
    return f"hrtimer_expire_entry: hrtimer={address} function={function} now={now}"


class WithDirectory(unittest.TestCase):
    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.directory = directory.name

    def path(self, name):
        return os.path.join(self.directory, name)

    def write(self, text, name="saved.txt"):
        with open(self.path(name), "wb") as file:
            file.write(text if isinstance(text, bytes) else text.encode())
        return self.path(name)

    def converted(self, text, *options):
        """The rows of the trace, as tuples; a comment is the only thing in its own. `self.said`: of standard error."""
        done = run(KERNEL_TRACE, "--from", self.write(text), "-o", "-", *options)
        self.assertEqual(done.returncode, 0, done.stderr)
        header, *rows = done.stdout.splitlines()
        self.assertEqual(header, HEADER)
        self.said = done.stderr
        return [tuple(row.split(",")) for row in rows]

    def refused(self, status, *arguments):
        """Runs kernel-trace; returns its one line of complaint."""
        done = run(KERNEL_TRACE, *arguments)
        self.assertEqual((done.returncode, done.stdout), (status, ""), done.stderr)
        self.assertRegex(done.stderr, r"\Akernel-trace: [^\n]+\n\Z")
        return done.stderr
