#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""usage: listed_test.py PAGE FILE...: each FILE has every probe, with its arguments; and so has the table of PAGE."""
import re
import sys
from pathlib import Path

sys.dont_write_bytecode = True  # a test leaves the sources as they are
from notes import PROBES, found_in

ROW = re.compile(r"^\| `(\w+)` \|[^|]*\| (`[^|]*`) \|", re.MULTILINE)


def main():
    page, files = Path(sys.argv[1]), sys.argv[2:]
    wanted = {name: {count} for name, count in PROBES.items()}
    told = {name: {len(arguments.split(", "))} for name, arguments in ROW.findall(page.read_text(encoding="utf-8"))}
    wrong = [(page, told)] if told != wanted else []
    wrong += [(file, found) for file in files if (found := found_in(file)) != wanted]
    for where, found in wrong:
        for name in sorted(set(wanted) | set(found)):
            if wanted.get(name) != found.get(name):
                print(f"{where}: {name}: arguments {found.get(name, 'none: no such probe')}, not {wanted.get(name)}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
