#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""No line of code in README.md, CONTRIBUTING.md and the guides is longer than the column of the site on a window of 1,280 pixels,
which docs/site/static/detent.css makes wide enough for these many characters. Output may be longer; it scrolls.

usage: code_width_test.py ROOT
"""
import sys
from pathlib import Path

WIDEST = 120
CODE = {"c", "cmake", "cpp", "java", "sh"}


def too_wide(page):
    """Yields a line for each that is."""
    fence, language = False, ""
    for number, line in enumerate(page.read_text(encoding="utf-8").splitlines(), 1):
        if line.startswith("```"):
            fence, language = not fence, line[3:].split(" ")[0]
        # In README.md and CONTRIBUTING.md an indented line is a command.
        indented = not fence and page.stem.isupper() and line.startswith("    ")
        code = line[4:] if indented else line
        if ((fence and language in CODE) or indented) and len(code) > WIDEST:
            yield f"{page.name}:{number}: {len(code)} characters of code"


def main(root):
    pages = [root / "README.md", root / "CONTRIBUTING.md", *sorted((root / "docs").glob("*.md"))]
    found = [line for page in pages for line in too_wide(page)]
    sys.exit("\n".join(found) if found else 0)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__.split("\n\n")[1])
    main(Path(sys.argv[1]))
