#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The guide to event loops shows the programs that are tested, to the letter.

usage: guide_test.py PAGE PROGRAM...     the page's blocks of C++ are these programs, in this order
"""
import re
import sys
from pathlib import Path


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__.split("\n\n")[1])
    page, programs = Path(sys.argv[1]), [Path(name) for name in sys.argv[2:]]
    blocks = re.findall(r"^```cpp\n(.*?)^```$", page.read_text(), re.MULTILINE | re.DOTALL)
    if len(blocks) != len(programs):
        sys.exit(f"{page.name}: {len(blocks)} blocks of C++; expected one for each of {len(programs)} programs")
    for block, program in zip(blocks, programs):
        shown, tested = block.splitlines(), program.read_text().splitlines()[1:]  # without the licence
        if shown == tested:
            continue
        line = next((i for i, (a, b) in enumerate(zip(shown, tested)) if a != b), min(len(shown), len(tested)))
        text = shown[line] if line < len(shown) else "(the block ends)"
        sys.exit(f"{page.name}: the block of {program.name} differs from it at line {line + 2}: {text}")
    print(f"{page.name}: {len(blocks)} programs shown as they are")


if __name__ == "__main__":
    main()
