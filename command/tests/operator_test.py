#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""An operator's round: what each tool says of engines that are idle, hang, are killed, or are named like others."""
import json
import os
import re
import sys
import time

sys.dont_write_bytecode = True
from command_support import run_tests
from http_support import WithConsole


class Round(WithConsole):
    def run_engine(self, name, *words):
        return self.engine(os.path.join(self.counters, name), *words)

    def attention(self, port):
        """What needs attention, an item each."""
        part = self.ask(port)[1].split('id="attention"')[1].split("</section>")[0]
        return re.findall(r"<li>(.*)</li>", part)

    def live(self, text):
        """By the engine's name, whether it is said to be live."""
        return {name: int(value) for name, value in re.findall(r'^detent_engine_live\{engine="([^"]*)"[^}]*\} (\d)$', text, re.M)}

    def test_an_engine_that_is_killed_is_exported_as_dead_beside_those_that_live(self):
        killed = self.run_engine("detent.1.0", "heartbeat", "killed", "beat")
        self.run_engine("detent.2.0", "heartbeat", "lives", "beat")
        port = self.start()[1]
        metrics = lambda: self.live(self.ask(port, "/metrics")[1])
        self.assertEqual(metrics(), {"killed": 1, "lives": 1})
        killed.kill()
        killed.wait()
        while metrics() != {"killed": 0, "lives": 1}:
            time.sleep(0.1)
        while not any("killed" in each and "its process is gone" in each for each in self.attention(port)):
            time.sleep(0.1)

    def test_an_engine_that_was_never_polled_and_has_time_is_not_called_late(self):
        self.run_engine("detent.1.0", "idle")
        port = self.start()[1]
        for _ in range(20):
            self.assertEqual([each for each in self.attention(port) if "idle" in each], [])
            time.sleep(0.1)

    def test_a_pool_whose_thread_hangs_is_named(self):
        self.run_engine("detent.1.0", "hanging")
        port = self.start()[1]
        while not any("7 callbacks wait for the executor" in each for each in self.attention(port)):
            time.sleep(0.2)

    def test_calls_that_the_limit_refuses_are_counted_on_each_screen(self):
        self.run_engine("detent.1.0", "full")
        file = os.path.join(self.counters, "detent.1.0")
        said = json.loads(self.printed("stat", "--json", file))["engines"][0]
        self.assertEqual((said["pending"], said["counts"]["scheduled"]), (3, 3), said)
        self.assertGreaterEqual(said["counts"]["over_capacity"], 4)
        self.assertRegex(self.printed("stat", file), r"limit +3 pending, [\d,]+ refused")
        refused = r'detent_timers_over_capacity_total\{engine="full"\} (\d+)'
        self.assertGreaterEqual(int(re.search(refused, self.printed("stat", "--prometheus", file))[1]), 4)
        self.assertRegex(self.printed("top", "--once", file), "in its life: [^\n]*refused at the limit")
        port = self.start()[1]
        while not any(re.search(r"full.* timers? refused at the limit.*a larger max_pending", each) for each in self.attention(port)):
            time.sleep(0.1)

    def test_a_name_that_turns_the_line_around_reaches_no_terminal(self):
        name = "abc\u202edef\u2066"
        self.run_engine("detent.1.0", "heartbeat", name, name)
        file = os.path.join(self.counters, "detent.1.0")
        for words in (("stat", file), ("stat", "--json", file), ("pending", file), ("top", "--batch", "-n", "1", file)):
            text = self.printed(*words)
            self.assertIn("abc", text, words)
            self.assertNotRegex(text, "[\u202a-\u202e\u2066-\u2069]", words)


if __name__ == "__main__":
    run_tests()
