#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The cheat sheet has every option, under the name and in the order that a program must write it, as docs/upgrading.md says; and
tools/upgrade/from_0_1.py puts options in that order.

usage: cheat_sheet_test.py ROOT
"""
import importlib.util
import re
import sys
from pathlib import Path

STRUCTS = ("engine_options", "timer_options", "periodic_options")
FIELD = re.compile(r"^  [A-Za-z_:][\w:<>(), &*]*? (\w+) = [^\n]*;$", re.MULTILINE)


def fields(header, struct):
    """The names of a struct's fields, in their order."""
    return FIELD.findall(re.search(rf"^struct {struct} {{\n(.*?)^}};$", header, re.MULTILINE | re.DOTALL)[1])


def rows(page, struct):
    """The names in the first column of the table of that struct, `memory.source` as `memory`, each once."""
    table = re.search(rf"^\| [^\n]*`{struct}`[^\n]*\n\|[-|]+\n((?:\|[^\n]*\n)+)", page, re.MULTILINE)[1]
    names = [name for row in table.splitlines() for name in re.findall(r"`(\w+)[.\w]*`", row.split("|")[1])]
    return list(dict.fromkeys(names))


def main(root):
    sys.dont_write_bytecode = True
    spec = importlib.util.spec_from_file_location("from_0_1", root / "tools/upgrade/from_0_1.py")
    script = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(script)
    header = (root / "core/include/detent/options.hpp").read_text(encoding="utf-8")
    page = (root / "docs/cheat-sheet.md").read_text(encoding="utf-8")
    declared = {struct: fields(header, struct) for struct in STRUCTS}
    wrong = []
    for struct, names in declared.items():
        listed = rows(page, struct)
        own = [name for name in listed if name in names]
        if own != names:
            wrong.append(f"{struct} has the options {' '.join(names)}; docs/cheat-sheet.md lists {' '.join(own)}")
        known = {name for other in STRUCTS if rows(page, other) == listed for name in declared[other]}
        wrong += [f"docs/cheat-sheet.md: {struct} has no option {name}" for name in listed if name not in known]
        if names not in script.ORDERS:
            wrong.append(f"tools/upgrade/from_0_1.py does not know the order of {struct}")
    sys.exit("\n".join(wrong) if wrong else 0)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__.split("\n\n")[1])
    main(Path(sys.argv[1]))
