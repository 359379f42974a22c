#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The command `detent` where standard error cannot be written: it loses its messages, and nothing else."""
import os
import re
import signal
import subprocess
import sys
import urllib.error
import urllib.request

sys.dont_write_bytecode = True
from command_support import DETENT, WithDirectory, detent, run_tests

# Of each command an error that is found before it begins, and one that is found in its input.
ERRORS = {
    "replay": ["no-file"],
    "run": ["--report", "no-directory/page.html"],
    "doctor": ["--root", "no-directory"],
    "stat": ["no-file"],
    "pending": ["no-file"],
    "top": ["--once", "no-file"],
    "console": ["--counters", "no-directory"],
    "cron": ["61 * * * *"],
    "durable": ["list", "--store", "sqlite:no-directory/file"],
}


def full():
    os.dup2(os.open("/dev/full", os.O_WRONLY), 2)


def closed():
    os.close(2)


def without_reader():
    reader, writer = os.pipe()
    os.close(reader)
    os.dup2(writer, 2)


def read_only():
    os.dup2(os.open("/dev/null", os.O_RDONLY), 2)


def without_times(text):
    return re.sub(r"\b[\d.]+ [nmu]?s\b", "TIME", text)


BROKEN = (full, closed, without_reader, read_only)


class StandardErrorThatCannotBeWritten(WithDirectory):
    def done(self, arguments, prepare):
        def child():
            signal.signal(signal.SIGPIPE, signal.SIG_DFL)  # Python ignores it, and a child would inherit that
            prepare()

        return subprocess.run([DETENT, *arguments], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True,
                              preexec_fn=child, cwd=self.directory, timeout=300)

    def same_with_each(self, arguments, status):
        good = subprocess.run([DETENT, *arguments], stdin=subprocess.DEVNULL, capture_output=True, text=True,
                              cwd=self.directory, timeout=300)
        self.assertEqual(good.returncode, status, good)
        self.assertRegex(good.stderr, "(?m)^detent: .")
        for broken in BROKEN:
            with self.subTest(arguments=arguments, stderr=broken.__name__):
                bad = self.done(arguments, broken)
                self.assertEqual((bad.returncode, without_times(bad.stdout)), (status, without_times(good.stdout)))

    def test_no_command_is_left_out_here(self):
        commands = re.findall(r"(?m)^  (\w+) {2,}\S", detent("--help").stdout.partition("ommands:")[2])
        self.assertEqual(set(commands), set(ERRORS))

    def test_an_error_of_any_command_ends_it_with_the_same_status(self):
        self.same_with_each(["bogus"], 2)
        for command, input_error in ERRORS.items():
            self.same_with_each([command, "--bogus"], 2)
            self.same_with_each([command, *input_error], 1)

    def test_the_answer_of_a_replay_with_losses_is_printed(self):
        self.write("holes.csv", b"t_ns,op,id,delay_ns,source\n# dropped 5\n0,S,1,5,\n")
        self.same_with_each(["replay", "--virtual", "holes.csv"], 0)

    def test_a_message_goes_into_no_file_that_the_command_opens(self):
        self.write("holes.csv", b"t_ns,op,id,delay_ns,source\n# dropped 5\n0,S,1,5,\n")
        done = self.done(["replay", "--virtual", "--report", "page.html", "holes.csv"], closed)
        self.assertEqual(done.returncode, 0)
        with open(self.path("page.html"), encoding="utf-8") as page:
            self.assertRegex(page.read(), r"\A<!DOCTYPE html>(?s:(?!detent: holes).)*\Z")


class ExporterWithoutStandardError(WithDirectory):
    def scrape(self, url):
        try:
            with urllib.request.urlopen(url, timeout=60) as answer:
                return answer.status
        except urllib.error.HTTPError as refused:
            return refused.code

    def test_complaints_do_not_become_errors_of_the_answer(self):
        for broken in BROKEN:
            for name in ("stays", "goes"):
                self.sample(name)

            def child():
                signal.signal(signal.SIGPIPE, signal.SIG_DFL)
                broken()

            server = subprocess.Popen([DETENT, "stat", "--listen", "0", self.path("stays"), self.path("goes")],
                                      stdout=subprocess.PIPE, text=True, preexec_fn=child)
            try:
                url = re.fullmatch(r"serving (http://.*/metrics)\n", server.stdout.readline())[1]
                os.remove(self.path("goes"))
                self.assertEqual([self.scrape(url) for _ in range(2)], [200, 200], broken.__name__)
                server.terminate()
                self.assertEqual(server.wait(60), 0, broken.__name__)
            finally:
                server.kill()
                server.wait()
                server.stdout.close()


if __name__ == "__main__":
    run_tests()
