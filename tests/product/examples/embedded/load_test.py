# SPDX-License-Identifier: MIT
"""usage: load_test.py EXAMPLE SENSOR_HUB

The load finds fault with a hub whose times are shorter than those it was given, and with one that drops its sensors.
"""
import subprocess
import sys

sys.path.insert(0, sys.argv[1])
from load import Broken, Load


def verdict(program, options, idle_ms, settle_ms):
    """What a load that believes in these times says of a hub with those options."""
    hub = subprocess.Popen([program, *options], stdout=subprocess.PIPE, text=True)
    try:
        load = Load(int(hub.stdout.readline().split()[1]), 20, idle_ms, settle_ms, seed=1)
        load.run(0.5)
        return "content"
    except Broken as broken:
        return str(broken)
    finally:
        hub.terminate()
        hub.communicate(timeout=60)


def main(program):
    assert verdict(program, ["--idle", "500", "--settle", "20"], 500, 20) == "content"
    early_idle = verdict(program, ["--idle", "499", "--settle", "20"], 1000, 20)
    assert "disconnected" in early_idle and "too early" in early_idle, early_idle
    early_settle = verdict(program, ["--idle", "500", "--settle", "20"], 500, 60)
    assert "settled" in early_settle and "too early" in early_settle, early_settle


if __name__ == "__main__":
    main(sys.argv[2])
