#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The figures are those that draw.py draws, and show what the sources have; so does the page that they stand in.

usage: figures_test.py DOCS LAYOUT     LAYOUT prints what the headers say
"""
import re
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

sys.dont_write_bytecode = True
# Sentences of concepts.md about numbers in the headers.
SAID = {
    ("node", 64): "a **node** of 64 bytes", ("capture", 24): "24 bytes for what your lambda holds",
    ("slab", 32768): "slabs of 32,768", ("magazine", 256): "magazines of up to 256", ("levels", 11): "Eleven levels",
    ("slots", 64): "in base 64",
}


def wheel_of_the_figure(draw):
    """(level, slot) in each level from the one where the timer is inserted, as the figure marks them."""
    level = ((draw.NOW ^ draw.DUE).bit_length() - 1) // draw.SLOT_BITS
    return [(each, draw.DUE >> each * draw.SLOT_BITS & 63) for each in range(level, -1, -1)]


def check(docs, layout):
    sys.path.insert(0, str(docs / "figures"))
    import draw
    for name, figure in draw.FIGURES.items():
        file = docs / "figures" / f"{name}.svg"
        ElementTree.fromstring(file.read_text(encoding="utf-8"))
        if file.read_text(encoding="utf-8") != figure().svg():
            yield f"{name}.svg is not what draw.py draws: run it"
    rows = [line.split() for line in subprocess.run([layout], check=True, capture_output=True, text=True).stdout.splitlines()]
    found = {kind: [(name, int(first), int(size)) for its, name, first, size in rows if its == kind] for kind in ("node", "word")}
    if found["node"] != [entry[:3] for entry in draw.NODE]:
        yield f"the node has {found['node']}"
    if found["word"] != draw.WORD:
        yield f"the word has {found['word']}"
    filed = [(int(first), int(size)) for its, _, first, size in rows if its == "filed"]
    if filed != wheel_of_the_figure(draw):
        yield f"the timer of the wheel's figure is filed in {filed}"
    page = (docs / "concepts.md").read_text(encoding="utf-8")
    facts = {(name, int(value)) for its, name, value, _ in rows if its == "fact"}
    if facts != set(SAID):
        yield f"the headers have {sorted(facts)}"
    for what in SAID.values():
        if not re.search(r"\s+".join(map(re.escape, what.split())), page):
            yield f"concepts.md does not say '{what}'"
    for level, slot in filed:
        if not re.search(rf"slot\s+{slot}\s+of\s+level\s+{level}\b", page):
            yield f"concepts.md does not say slot {slot} of level {level}"


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__.split("\n\n")[1])
    problems = list(check(Path(sys.argv[1]), sys.argv[2]))
    sys.exit("\n".join(problems) if problems else 0)
