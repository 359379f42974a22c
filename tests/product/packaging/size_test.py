#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A minimal program stays small, and docs/packages.md says how small.

usage: size_test.py ROOT PREFIX COMPILER     ROOT: the sources; PREFIX: an installed detent
"""
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

MOST = 300_000
MINIMAL = Path(__file__).parent / "fetch/minimal.cpp"


def size(prefix, compiler):
    (found,) = prefix.rglob("detent.pc")
    flags = subprocess.run(["pkg-config", "--cflags", "--libs", "detent"], env={**os.environ, "PKG_CONFIG_PATH": str(found.parent)},
                           capture_output=True, text=True, check=True).stdout.split()
    with tempfile.TemporaryDirectory() as directory:
        program = Path(directory, "minimal")
        subprocess.run([compiler, "-std=c++20", "-O2", MINIMAL, "-o", program, *flags, "-Wl,--gc-sections", "-s"], check=True)
        subprocess.run([program], check=True, timeout=60)
        return program.stat().st_size


def main(root, prefix, compiler):
    measured = size(Path(prefix), compiler)
    print(f"{measured:,} bytes")
    if measured > MOST:
        sys.exit(f"a minimal program has {measured:,} bytes, more than {MOST:,}")
    (said,) = re.findall(r"has (\d+,\d+) bytes", Path(root, "docs/packages.md").read_text(encoding="utf-8"))
    if abs(measured - int(said.replace(",", ""))) > 0.02 * measured:
        sys.exit(f"docs/packages.md: a minimal program has {said} bytes; it has {measured:,}")


if __name__ == "__main__":
    if len(sys.argv) != 4:
        sys.exit(__doc__.split("\n\n")[1])
    main(*sys.argv[1:])
