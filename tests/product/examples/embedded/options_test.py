# SPDX-License-Identifier: MIT
"""usage: options_test.py SENSOR_HUB

What the hub is told wrongly it refuses, in one clear line that names it.
"""
import subprocess
import sys

REFUSED = {
    ("--idle", "0"): "--idle 0",
    ("--idle", "-5"): "--idle -5",
    ("--idle", "ten"): "--idle ten",
    ("--idle", "99999999999999999999"): "--idle 99999999999999999999",
    ("--port", "65536"): "--port 65536",
    ("--settle", "1000"): "less than --idle",
    ("--settle",): "settle",
    ("--unknown",): "unknown",
    ("surplus",): "surplus",
}


def run(hub, *arguments):
    return subprocess.run([hub, *arguments], capture_output=True, text=True, timeout=60, check=False)


def main(hub):
    for arguments, named in REFUSED.items():
        refused = run(hub, *arguments)
        lines = refused.stderr.splitlines()
        assert refused.returncode == 2, (arguments, refused)
        assert len(lines) == 1 and named in lines[0], (arguments, refused)
        assert refused.stdout == "", (arguments, refused)
    told = run(hub, "--help")
    assert told.returncode == 0 and told.stdout.startswith("usage: ") and told.stderr == "", told
    occupied = subprocess.Popen([hub], stdout=subprocess.PIPE, text=True)
    try:
        port = occupied.stdout.readline().split()[1]
        refused = run(hub, "--port", port)
        assert refused.returncode == 1 and "in use" in refused.stderr, refused
    finally:
        occupied.terminate()
        assert occupied.wait(60) == 0


if __name__ == "__main__":
    main(sys.argv[1])
