#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The facts about a machine are those of its kernel's files, and the page shows each file that was sent."""
import json
import sys
import tempfile
import unittest
from pathlib import Path

sys.dont_write_bytecode = True
import hardware
import hardware_page
from comparison import BadRecord


def made_up(folder, flags="fpu constant_tsc nonstop_tsc waitpkg", isolated="2-3"):
    """The folders of a made-up kernel."""
    files = {
        "proc/cpuinfo": f"processor : 0\nmodel name : Xeon: 6\nflags : {flags}\n\nprocessor : 1\nmodel name : other\n",
        "proc/loadavg": "0.25 0.1 0.1 1/2 3\n", "sys/cpu/online": "0-7\n", "sys/cpu/isolated": f"{isolated}\n",
        "sys/cpu/smt/active": "0\n", "sys/cpu/cpuidle/current_driver": "intel_idle\n",
        "sys/cpu/cpu2/cpufreq/scaling_governor": "performance\n", "sys/clocksource/clocksource0/current_clocksource": "tsc\n",
        "sys/cpu/cpu2/cpuidle/state0/name": "POLL\n", "sys/cpu/cpu2/cpuidle/state0/latency": "0\n",
        "sys/cpu/cpu2/cpuidle/state0/disable": "0\n", "sys/cpu/cpu2/cpuidle/state1/name": "C6\n",
        "sys/cpu/cpu2/cpuidle/state1/latency": "133\n", "sys/cpu/cpu2/cpuidle/state1/disable": "1\n"}
    for name, text in files.items():
        (Path(folder) / name).parent.mkdir(parents=True, exist_ok=True)
        (Path(folder) / name).write_text(text)
    return Path(folder, "proc"), Path(folder, "sys/cpu")


def benchmark(name, **columns):
    return {"run_name": name, "run_type": "iteration", "repetition_index": 0, "real_time": 2, "cpu_time": 3, "time_unit": "us", **columns}


class Hardware(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def test_the_facts_are_the_kernels(self):
        facts = hardware.machine(2, *made_up(self.folder))
        self.assertEqual((facts["cpu"], facts["cpus"], facts["virtual"], facts["flags"]),
                         ("Xeon: 6", 8, False, ["constant_tsc", "nonstop_tsc", "waitpkg"]))
        self.assertEqual((facts["isolated"], facts["governor"], facts["clock_source"], facts["load"]), ("2-3", "performance", "tsc", 0.25))
        self.assertEqual(facts["idle_states"], [{"name": "POLL", "exit_us": 0, "disabled": False},
                                                {"name": "C6", "exit_us": 133, "disabled": True}])
        self.assertIsNone(facts["nohz_full"])  # a file that is not there

    def test_a_list_of_the_kernels_is_read(self):
        self.assertEqual(hardware.cpus_of("2-3,6"), [2, 3, 6])
        self.assertEqual((hardware.cpus_of(""), hardware.cpus_of(None)), ([], []))

    def test_a_machine_is_small_if_its_tails_are_the_hosts(self):
        facts = hardware.machine(2, *made_up(self.folder))
        self.assertFalse(hardware.is_small(facts))
        self.assertTrue(hardware.is_small({**facts, "worker_cpu": None}))
        self.assertTrue(hardware.is_small({**facts, "cpus": 2}))
        self.assertTrue(hardware.is_small(hardware.machine(2, *made_up(self.folder, flags="hypervisor"))))

    def write(self, **changed):
        record = {"format": hardware.FORMAT, "date": "2026-11-29", "commit": "abc", "left_out": {},
                  "machine": hardware.machine(2, *made_up(self.folder)),
                  "answers": {"lateness": [benchmark("detent::bench::engine/busy/ms:3000/iterations:1/real_time", p50_ns=90, p99_ns=400)],
                              "wake_up": [benchmark("asleep/iterations:500/manual_time")]}, **changed}
        (self.folder / "sent").mkdir(exist_ok=True)
        (self.folder / "sent/one.json").write_text(json.dumps(record))
        return self.folder / "sent"

    def test_the_page_has_a_row_for_each_file(self):
        text = "\n".join(hardware_page.section(self.write()))
        self.assertIn("| Xeon: 6, 8 CPUs, 2026-11-29 | 2, isolated | POLL 0 µs | tsc | 0.09 | 0.400 | – |", text)
        self.assertIn("| 2.00 | – |", text)
        small = {**hardware.machine(None, *made_up(self.folder))}
        self.assertIn("2026-11-29; small machine | any |", "\n".join(hardware_page.section(self.write(machine=small))))

    def test_a_file_of_another_format_is_refused_by_name(self):
        with self.assertRaisesRegex(BadRecord, "one.json: format 2, where 1 is known"):
            hardware_page.section(self.write(format=2))
        (self.folder / "sent/one.json").write_text("{")
        with self.assertRaisesRegex(BadRecord, "one.json: not a file of bench --report"):
            hardware_page.section(self.folder / "sent")

    def test_the_files_of_the_tree_can_be_read(self):
        self.assertIn("On other machines", "\n".join(hardware_page.section()))


if __name__ == "__main__":
    unittest.main()
