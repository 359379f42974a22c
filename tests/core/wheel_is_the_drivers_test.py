#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A caller that touches the wheel without driving does not compile.

usage: wheel_is_the_drivers_test.py SOURCE COMPILER [FLAG...]
"""
import subprocess
import sys

WAYS = 5


def compile_way(way, source, compiler):
    command = [*compiler, "-fsyntax-only", f"-DWAY={way}", source]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def main(source, *compiler):
    right = compile_way(0, source, compiler)
    if right.returncode != 0:
        sys.exit(f"the right way does not compile:\n{right.stderr}")
    for way in range(1, WAYS + 1):
        wrong = compile_way(way, source, compiler)
        if wrong.returncode == 0:
            sys.exit(f"{source}: WAY {way} compiles")
        errors = [line for line in wrong.stderr.splitlines() if " error: " in line]
        if not errors or any(source not in line for line in errors):
            sys.exit(f"WAY {way} fails for another reason:\n{wrong.stderr}")
        print(errors[0])


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__.split("\n\n")[1])
    main(*sys.argv[1:])
