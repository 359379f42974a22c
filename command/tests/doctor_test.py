#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""`detent doctor` as its user sees it, on copies of /proc and /sys, and the page about it."""
import json
import os
import re
import subprocess
import sys
from pathlib import Path

sys.dont_write_bytecode = True
from command_support import ROOT, WithDirectory, detent, run_tests

PAGE = (ROOT / "docs/doctor.md").read_text(encoding="utf-8")
KEYS = ["subject", "severity", "seen", "where", "means", "cure"]
CLOCKS = "sys/devices/system/clocksource/clocksource0/"
# A host about which there is nothing to say.
HEALTHY = {
    "proc/cpuinfo": "flags\t\t: constant_tsc nonstop_tsc\n",
    "proc/self/timerslack_ns": "50000\n",
    "proc/self/limits": "Max locked memory         unlimited            unlimited            bytes     \n"
                        "Max realtime priority     99                   99                   \n",
    "proc/self/status": "CapEff:\t000001ffffffffff\n",
    "proc/self/cgroup": "0::/app\n",
    "proc/sys/kernel/sched_rt_runtime_us": "-1\n",
    "proc/sys/kernel/sched_rt_period_us": "1000000\n",
    "proc/sys/kernel/osrelease": "6.1.0-22-amd64\n",
    "proc/uptime": "100.00 90.00\n",
    "proc/stat": "cpu  9 0 0 0 0 0 0 0 0 0\ncpu3 9 0 0 0 0 0 0 0 0 0\n",
    "proc/interrupts": "           CPU0       CPU3\n 24:          0         10  PCI-MSI 1-edge      eth0\n",
    "proc/irq/24/smp_affinity_list": "0\n",
    "proc/1/task/1/stat": "1 (init) S 0 1 1 0 -1 4194304" + 29 * " 0" + " 0 0 0 0 0\n",
    CLOCKS + "current_clocksource": "tsc\n",
    CLOCKS + "available_clocksource": "tsc hpet\n",
    "sys/devices/system/cpu/online": "0-3\n",
    "sys/devices/system/cpu/isolated": "3\n",
    "sys/devices/system/cpu/nohz_full": "3\n",
    "sys/devices/system/cpu/cpu3/cpufreq/scaling_governor": "performance\n",
    "sys/devices/system/cpu/cpu3/cpuidle/state0/name": "C1\n",
    "sys/devices/system/cpu/cpu3/cpuidle/state0/latency": "2\n",
    "sys/devices/system/cpu/cpu3/cpuidle/state0/residency": "2\n",
    "sys/devices/system/cpu/cpu3/cpuidle/state0/disable": "0\n",
    "sys/kernel/mm/transparent_hugepage/enabled": "always [madvise] never\n",
    "sys/kernel/mm/transparent_hugepage/defrag": "always [defer] defer+madvise madvise never\n",
    "sys/fs/cgroup/app/cpu.max": "max 100000\n",
    "sys/fs/cgroup/app/cpu.stat": "nr_periods 0\nnr_throttled 0\nthrottled_usec 0\n",
}


def copy_of_a_host(directory, **changes):
    """Writes a healthy host, but for the files whose paths end as the keys of `changes` say, `__` for a slash."""
    files = dict(HEALTHY)
    for name, text in changes.items():
        files[next(path for path in files if path.replace("/", "__").endswith(name))] = text
    for path, text in files.items():
        file = Path(directory, path)
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    return str(directory)


class Status(WithDirectory):
    def said(self, *options):
        done = detent("doctor", *options, "--json")
        self.assertEqual(done.stderr, "")
        said = json.loads(done.stdout)
        severities = [finding["severity"] for finding in said["findings"]]
        self.assertEqual(list(said), ["bad", "warnings", "findings"])
        self.assertEqual((said["bad"], said["warnings"]), (severities.count("bad"), severities.count("warning")))
        self.assertEqual(done.returncode, 1 if said["bad"] else 0)
        self.assertEqual(severities, sorted(severities, key=["bad", "warning", "note", "unknown", "fine"].index))
        for finding in said["findings"]:
            self.assertEqual(list(finding), KEYS)
            self.assertEqual(finding["means"] != "" and finding["cure"] != "",
                             finding["severity"] in ("bad", "warning", "note"), finding)
        return done.returncode, {finding["subject"]: finding for finding in said["findings"]}

    def test_nothing_is_to_be_said_about_a_healthy_host(self):
        first = copy_of_a_host(self.path("first"))
        later = copy_of_a_host(self.path("later"), uptime="103.00 92.00\n")
        status, findings = self.said("--root", first, "--later", later, "--cpu", "3", "--priority", "50", "--wait", "busy")
        self.assertEqual({finding["severity"] for finding in findings.values()}, {"fine"})
        self.assertEqual(status, 0)

    def test_warnings_and_notes_are_no_failure(self):
        status, findings = self.said("--root", copy_of_a_host(self.path("first"), isolated="\n", defrag="[always]\n"))
        self.assertEqual(findings["isolated CPUs"]["severity"], "warning")
        self.assertEqual(status, 0)

    def test_what_is_bad_is_a_failure_and_goes_when_it_is_cured(self):
        worker = ("--cpu", "3", "--priority", "50", "--wait")
        for number, (subject, changes, options) in enumerate((
                ("clock source", {"current_clocksource": "hpet\n"}, ()),
                ("TSC", {"available_clocksource": "hpet\n"}, ()),
                ("quota throttling", {"cpu.stat": "nr_periods 100\nnr_throttled 5\nthrottled_usec 90\n"}, ()),
                ("real-time throttling", {"sched_rt_runtime_us": "950000\n"}, (*worker, "busy")),
                ("real-time permission", {"status": "CapEff:\t0\n", "limits": "Max realtime priority  0  0\n"}, (*worker, "sleep")),
                ("isolation of CPU 3", {"online": "0-2\n"}, (*worker, "sleep")))):
            healthy = copy_of_a_host(self.path(f"healthy{number}"))
            sick = copy_of_a_host(self.path(f"sick{number}"), **changes)
            status, findings = self.said("--root", sick, *options)
            self.assertEqual((status, findings[subject]["severity"]), (1, "bad"), subject)
            status, findings = self.said("--root", healthy, *options)
            self.assertEqual((status, findings[subject]["severity"]), (0, "fine"), subject)

    def test_what_cannot_be_checked_is_one_line(self):
        root = copy_of_a_host(self.path("root"))
        os.mkdir(self.path("empty"))
        for status, arguments, word in (
                (1, ["--root", self.path("none")], "none"), (1, ["--root", self.path("empty")], "empty"),
                (1, ["--root", root, "--later", self.path("none")], "none"),
                (1, ["--root", root, "--pid", "4711"], "4711"), (1, ["--root", root, "--pid", "1"], "--thread"),
                (2, ["--root", root, "--seconds", "1"], "--seconds")):
            self.assertIn(word, self.refused(status, "doctor", *arguments))


class Page(WithDirectory):
    def test_its_table_has_each_finding_and_no_other(self):
        root = copy_of_a_host(self.path("root"), osrelease="6.12.0\n")
        worker = "11 (detent) S 0 1 1 0 -1 4194304" + 29 * " 0" + " 0 0 0 0 0\n"
        Path(root, "proc/10/task/11").mkdir(parents=True)
        Path(root, "proc/10/task/11/stat").write_text(worker, encoding="utf-8")
        subjects = set()
        for options in (["--root", root], ["--root", root, "--cpu", "3", "--priority", "5"], ["--root", root, "--pid", "10"],
                        ["--seconds", "0.05"]):
            said = json.loads(detent("doctor", *options, "--json").stdout)
            subjects |= {finding["subject"] for finding in said["findings"]}
        plain = {re.sub(r"CPU \d+", "CPU N", re.sub(r"in .* of spinning", "in N of spinning", each)) for each in subjects}
        plain.add("the worker's load")  # of a live process alone: doctor_test.cpp
        table = PAGE[PAGE.index("| finding |"):].split("\n\n")[0]
        self.assertEqual(set(re.findall(r"^\| (?!finding \|)([^|-][^|]*) \|", table, re.MULTILINE)), plain)

    def test_each_option_is_on_it(self):
        options = set(re.findall(r"--[a-z]+", detent("doctor", "--help").stdout)) - {"--help"}
        self.assertEqual(set(re.findall(r"^\| `(--[a-z]+)", PAGE, re.MULTILINE)), options)

    def test_the_copy_that_it_makes_can_be_read(self):
        script = re.search(r"```sh\n(.*?)```", PAGE, re.DOTALL).group(1).replace("sleep 3", "sleep 0.2")
        subprocess.run(["bash", "-c", script], cwd=self.directory, check=True, timeout=100, stdin=subprocess.DEVNULL)
        done = detent("doctor", "--root", self.path("first"), "--later", self.path("second"), "--cpu", "0", "--json")
        self.assertEqual(done.stderr, "")
        known = {finding["subject"] for finding in json.loads(done.stdout)["findings"] if finding["severity"] != "unknown"}
        self.assertLessEqual({"timer slack", "who else ran on CPU 0", "locked-memory limit", "stolen time"}, known)


if __name__ == "__main__":
    run_tests()
