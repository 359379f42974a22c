#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Measures detent beside the floors of this machine, and writes the machine and the figures to one file to send.

usage: hardware.py [--cpu N] [FILE]

The engine's worker is pinned to CPU N: by default to the first isolated one, if there is any. FILE is
build/bench/hardware.json by default. It has no name of the host, of a user or of a path."""

import argparse
import datetime
import json
import platform
import subprocess
import sys
from pathlib import Path

sys.dont_write_bytecode = True  # a run leaves the sources as they are
from comparison import BadRecord
from plan import Part
from run import Run, Size

ROOT = Path(__file__).resolve().parents[2]
FORMAT = 1
PARTS = (
    Part("lateness", "", r"^(floor_spin|floor_sleep|engine/(busy|hybrid|sleep))/", (), "", rounds=5, takes=100),
    Part("pair_by_live", "", r"^floor_hand_over/|^pair/oldest/live:(1|100000)/|^pair_after/.*/live:1/", (), "", rounds=5, takes=15),
    Part("wake_up", "", r"^(floor_futex_wake|asleep)", (), "", rounds=5, takes=10),
    Part("poll", "", r"^floor_clock_reading", (), "", rounds=5, takes=5),
)


def text_of(path):
    """The first line of a file of the kernel; None where it has none."""
    try:
        return Path(path).read_text(encoding="utf-8").strip() or None
    except OSError:
        return None


def cpus_of(ranges):
    """The numbers in a list of the kernel's, such as 2-3,6."""
    found = []
    for part in (ranges or "").split(","):
        first, _, last = part.partition("-")
        if first.strip().isdigit():
            found += range(int(first), int(last or first) + 1)
    return found


def idle_states(cpu, sys_cpu):
    """The states that the CPU may enter: the name, how long it takes to leave one, and whether that is switched off."""
    states = sorted((sys_cpu / f"cpu{cpu}/cpuidle").glob("state*"))
    return [{"name": text_of(each / "name"), "exit_us": int(text_of(each / "latency") or 0),
             "disabled": text_of(each / "disable") not in (None, "0")} for each in states]


def processor(proc):
    lines = (text_of(proc / "cpuinfo") or "").splitlines()
    fields = dict(reversed([[part.strip() for part in line.split(":", 1)] for line in lines if ":" in line]))
    flags = fields.get("flags", "").split()
    return fields.get("model name", platform.machine()), "hypervisor" in flags, [
        each for each in ("constant_tsc", "nonstop_tsc", "waitpkg", "monitorx") if each in flags]


def machine(cpu, proc=Path("/proc"), sys_cpu=Path("/sys/devices/system/cpu")):
    """The facts about this machine on which lateness depends."""
    model, is_virtual, flags = processor(proc)
    at = cpu if cpu is not None else 0
    clock = sys_cpu.parent / "clocksource/clocksource0"
    return {
        "cpu": model, "cpus": len(cpus_of(text_of(sys_cpu / "online"))), "virtual": is_virtual, "flags": flags,
        "kernel": f"{platform.release()} {platform.machine()}", "worker_cpu": cpu,
        "isolated": text_of(sys_cpu / "isolated"), "nohz_full": text_of(sys_cpu / "nohz_full"),
        "smt": text_of(sys_cpu / "smt/active"), "governor": text_of(sys_cpu / f"cpu{at}/cpufreq/scaling_governor"),
        "idle_driver": text_of(sys_cpu / "cpuidle/current_driver"), "idle_states": idle_states(at, sys_cpu),
        "clock_source": text_of(clock / "current_clocksource"), "load": float((text_of(proc / "loadavg") or "0").split()[0]),
    }


def is_small(facts):
    """Whether the tails are rather the host's than the library's."""
    return facts["virtual"] or facts["cpus"] <= 4 or facts["worker_cpu"] is None


def arguments():
    parser = argparse.ArgumentParser(prog="bench --report", allow_abbrev=False, description="Figures of one machine, in a file to send.")
    parser.add_argument("--build", type=Path, default=ROOT / "build/gcc", metavar="DIR", help=argparse.SUPPRESS)
    parser.add_argument("--cpu", type=int, metavar="N", help="the worker's CPU (default: the first isolated one)")
    parser.add_argument("file", type=Path, nargs="?", default=ROOT / "build/bench/hardware.json", metavar="FILE")
    wanted = parser.parse_args()
    isolated = cpus_of(text_of("/sys/devices/system/cpu/isolated"))
    if wanted.cpu is None and isolated:
        wanted.cpu = isolated[0]
    if wanted.cpu is not None and wanted.cpu not in cpus_of(text_of("/sys/devices/system/cpu/online")):
        parser.error(f"--cpu {wanted.cpu}: no such CPU; there are {text_of('/sys/devices/system/cpu/online')}")
    return wanted


def main():
    wanted = arguments()
    directory = wanted.file.parent / "hardware"
    directory.mkdir(parents=True, exist_ok=True)
    facts = machine(wanted.cpu)
    going = Run(wanted.build, Size("hardware", (), PARTS, 600, 0), directory,
                environment={} if wanted.cpu is None else {"DETENT_BENCH_CPU": str(wanted.cpu)})
    try:
        going.measure_own()
    except BadRecord as problem:
        sys.exit(f"bench --report: {problem}")
    programs = json.loads(going.programs_file.read_text(encoding="utf-8"))
    version = subprocess.run(["git", "-C", ROOT, "describe", "--always", "--dirty"], text=True, capture_output=True, check=False)
    wanted.file.write_text(json.dumps({
        "format": FORMAT, "date": f"{datetime.datetime.now(datetime.timezone.utc):%Y-%m-%d}", "commit": version.stdout.strip(),
        "machine": facts, **programs}) + "\n", encoding="utf-8")
    print(f"{wanted.file}: send this file as it is. docs/benchmarks.md says how it is read.")
    if is_small(facts):
        print("This is a small machine: virtual, with few CPUs, or without one of the worker's own. The file says so.")
    sys.exit(1 if programs["left_out"] else 0)


if __name__ == "__main__":
    main()
