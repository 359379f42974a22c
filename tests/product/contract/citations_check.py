#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Looks for each sentence that the specification and its walks cite in the pages and the public headers.

usage: citations_check.py ROOT
A text of three words or more in double quotes, in a comment of ROOT/tests/spec or of the walks, is a citation. It must
stand word for word in a page or in a public header; `...` and [square brackets] take the place of words that are left
out. Exit status 1 if one does not.
"""
import re
import sys
from pathlib import Path

CITING = ("tests/spec", "tests/search/poll_walks", "tests/search/worker_walks")
CITED = ("README.md", "docs/**/*.md", "core/include/**/*.hpp", "modules/*/include/**/*.h*")
COMMENT = re.compile(r'^((?:[^"\n]|"[^"\n]*")*?)// ?(.*)$')
LEFT_OUT = re.compile(r"\.\.\.|\[[^\]]*\]")
LEAST_WORDS = 3


def plain(text):
    """The text without the marks of comments, lists, links and code, in one line and in small letters."""
    text = re.sub(r"^\s*(//|[-*] )", "", text, flags=re.MULTILINE)
    text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", text)
    return re.sub(r"\s+", " ", re.sub(r"[`]|\*\*", "", text)).lower()


def comments(source):
    """Yields (line, text) for each comment. Comments on consecutive lines without code are one."""
    found, first = [], 0
    for number, line in enumerate([*source.splitlines(), ""], 1):
        comment = COMMENT.match(line)
        alone = comment is not None and not comment.group(1).strip()
        if alone:
            first = first or number
            found.append(comment.group(2))
        elif found:
            yield first, " ".join(found)
            found, first = [], 0
        if comment is not None and not alone:
            yield number, comment.group(2)


def citations(source):
    for line, text in comments(source):
        for cited in re.findall(r'"([^"]+)"', text):
            if len(cited.split()) >= LEAST_WORDS:
                yield line, cited


def stands_in(page, cited):
    # The full stop of a citation may end the sentence that cites it.
    parts = [part.strip(" .;:,") for part in LEFT_OUT.split(plain(cited))]
    return all(part in page for part in parts)


def main(arguments):
    if len(arguments) != 1:
        sys.exit(__doc__.split("\n\n")[1])
    root = Path(arguments[0])
    pages = [plain(page.read_text(encoding="utf-8")) for pattern in CITED for page in sorted(root.glob(pattern))]
    count, wrong = 0, []
    for folder in CITING:
        for source in sorted(root.glob(f"{folder}/*.?pp")):
            for line, cited in citations(source.read_text(encoding="utf-8")):
                count += 1
                if not any(stands_in(page, cited) for page in pages):
                    wrong.append(f'{source.relative_to(root)}:{line}: no page and no public header says "{cited}"')
    if count == 0:
        wrong.append("citations_check: no citation found")
    print("\n".join(wrong) if wrong else f"citations_check: {count} citations, all word for word")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main(sys.argv[1:])
