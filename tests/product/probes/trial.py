# SPDX-License-Identifier: MIT
"""What this machine lets be tried with perf and bpftrace. A test that may not is skipped, with the reason."""
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

SKIPPED = 77
PACKAGES = {"perf": "linux-perf", "bpftrace": "bpftrace"}


class Skipped(Exception):
    """What this machine lacks; one line."""


def run(*command, seconds=100):
    return subprocess.run([str(each) for each in command], stdin=subprocess.DEVNULL, capture_output=True, text=True,
                          errors="replace", timeout=seconds, check=False)


def may(*command):
    """Runs what the machine may forbid."""
    done = run(*command)
    if done.returncode != 0:
        lines = [line.strip() for line in (done.stderr + done.stdout).splitlines() if line.strip()]
        said = lines[-1] if lines else f"exit status {done.returncode}, and nothing said"
        raise Skipped(f"{' '.join(map(str, command[:3]))} is not possible here: {said}")
    return done


def need(tool):
    if shutil.which(tool) is None:
        raise Skipped(f"no {tool} (Debian: {PACKAGES[tool]})")


def need_sampling():
    need("perf")
    with tempfile.TemporaryDirectory() as scratch:
        may("perf", "record", "-q", "-e", "cpu-clock", "-o", Path(scratch) / "perf.data", "true")
    if not Path("/usr/share/perl5/Devel/NYTProf/flamegraph.pl").exists() and shutil.which("flamegraph.pl") is None:
        raise Skipped("no flamegraph.pl (Debian: libdevel-nytprof-perl)")


def need_static_probes(tool):
    need(tool)
    if os.geteuid() != 0:
        raise Skipped(f"{tool} needs root for static probes")
    if tool == "perf":
        may("perf", "probe", "--list")
    else:
        may("bpftrace", "-e", "BEGIN { exit(); }")
        may("bpftrace", "-e", "tracepoint:sched:sched_waking { exit(); } interval:s:1 { exit(); }")


def end(main):
    """Runs main(), and ends the program with its status, or with that of a skip."""
    try:
        sys.exit(main())
    except Skipped as reason:
        print(f"skipped: {reason}")
        sys.exit(SKIPPED)
