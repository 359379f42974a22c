#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A caller that touches the wheel without driving does not compile.

usage: wheel_is_the_drivers_test.py SOURCE COMPILER [FLAG...]
"""
import subprocess
import sys

RIGHT = "if (mine.driving != nullptr) mine.driving->reap(index, cancelled)"
WRONG = {
    "core.wheel_.unlink(cancelled)": "the core has no wheel",
    "core.driver_.reap(index, cancelled)": "nor a driver",
    "static_cast<driver*>(mine.driving)->reap(index, cancelled)": "callers know no such type",
    "driver_port().reap(index, cancelled)": "nobody makes a port",
    "mine.driving->agenda_.reap(index, cancelled)": "and it leads to what it offers alone",
}


def compiled(way, source, compiler):
    command = [*compiler, "-fsyntax-only", f"-DWAY={way}", source]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def main(source, *compiler):
    if (right := compiled(RIGHT, source, compiler)).returncode != 0:
        sys.exit(f"{RIGHT}: does not compile:\n{right.stderr}")
    for way, why in WRONG.items():
        wrong = compiled(way, source, compiler)
        errors = [line for line in wrong.stderr.splitlines() if " error: " in line]
        if wrong.returncode == 0:
            sys.exit(f"{way}: compiles, though {why}")
        if any("WAY" not in each and source not in each and "command-line" not in each and "command line" not in each
               for each in errors):
            sys.exit(f"{way}: fails for another reason:\n{wrong.stderr}")


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__.split("\n\n")[1])
    main(*sys.argv[1:])
