#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The game with all its faults for eight seconds; and that its comparison can fail.

usage: demo_test.py DEMO BUILD_DIRECTORY
"""
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

DEMO, BUILD = sys.argv[1:3]


def run(*words):
    return subprocess.run([str(word) for word in words], capture_output=True, text=True, check=False, timeout=150)


class Game(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory()
        cls.kept = Path(cls.temporary.name)
        cls.demo = run(DEMO, BUILD, "--seconds", 8, "--players", 50, "--faults", "all", "--keep", cls.kept)
        print(cls.demo.stdout, cls.demo.stderr)

    @classmethod
    def tearDownClass(cls):
        cls.temporary.cleanup()

    def replay(self, lines):
        """What a changed log comes to."""
        log, result = self.kept / "changed.log", self.kept / "changed.result"
        log.write_text("".join(lines))
        return run(f"{BUILD}/game_replay", log, "--result", result), result

    def log(self):
        return (self.kept / "match.log").read_text().splitlines(keepends=True)

    def test_every_promise_holds(self):
        self.assertEqual(self.demo.returncode, 0)

    def test_a_promise_can_be_broken(self):
        done = run(DEMO, BUILD, "--seconds", 5, "--players", 10, "--faults", "lag", "--catch-up", 1000)
        self.assertEqual(done.returncode, 1)
        self.assertIn("BROKEN     no tick ran more than 4 frames\n", done.stdout)
        self.assertNotIn("BROKEN     the replay", done.stdout)

    def test_the_whole_log_gives_the_same_result(self):
        done, result = self.replay(self.log())
        self.assertEqual(done.returncode, 0)
        self.assertEqual(result.read_bytes(), (self.kept / "match.result").read_bytes())

    def test_a_log_without_one_player_gives_another(self):
        done, result = self.replay(line for line in self.log() if not line.endswith(" 0 join\n"))
        self.assertEqual(done.returncode, 0)
        self.assertNotEqual(result.read_bytes(), (self.kept / "match.result").read_bytes())

    def test_an_input_a_frame_later_gives_another(self):
        lines = self.log()
        at = next(i for i, line in enumerate(lines) if line.endswith(" join\n"))
        frame, rest = lines[at].split(" ", 1)
        later = next(i for i in range(at, len(lines)) if int(lines[i].replace("end ", "").split(" ")[0]) > int(frame))
        changed = lines[:at] + lines[at + 1:later] + [f"{int(frame) + 1} {rest}"] + lines[later:]
        done, result = self.replay(changed)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertNotEqual(result.read_bytes(), (self.kept / "match.result").read_bytes())

    def test_a_log_that_is_not_whole_is_refused_in_one_line(self):
        done, _ = self.replay(self.log()[:-1])
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stderr, r"\Agame_replay: .*changed\.log:\d+: no 'end' [^\n]*\n\Z")

    def test_what_cannot_be_meant_is_refused(self):
        for words in ((DEMO, BUILD, "--faults", "moon"), (DEMO, BUILD, "--seconds", "1"), (f"{BUILD}/game_server", "--port", "99999"),
                      (f"{BUILD}/game_server", "--log", self.kept / "none" / "match.log"),
                      (f"{BUILD}/game_bots",), (f"{BUILD}/game_replay", self.kept / "nothing.log")):
            done = run(*words)
            self.assertNotEqual(done.returncode, 0, words)
            self.assertNotEqual(done.stderr, "", words)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
