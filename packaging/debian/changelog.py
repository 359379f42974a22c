#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Debian's changelog, made of the project's CHANGELOG.md.

usage: changelog.py CHANGELOG.md MAINTAINER     prints it; MAINTAINER is NAME <ADDRESS>

A release is a heading `## VERSION (DATE)`, DATE as 2026-11-21 or `unreleased`, which takes the time of SOURCE_DATE_EPOCH or, without
it, of now. What stands after the heading's `- ` are its changes.
"""
import os
import re
import sys
import time
from pathlib import Path

HEADING = re.compile(r"^## (\d+\.\d+\.\d+) \((unreleased|\d{4}-\d\d-\d\d)\)$", re.MULTILINE)
ITEM = re.compile(r"^- (.*?)(?=^- |^#|\Z|\n\n)", re.MULTILINE | re.DOTALL)
WIDTH = 76


class BadChangelog(Exception):
    """One line: what is wrong with the file."""


def releases(text):
    """Yields (version, date, [change]) as they stand: newest first."""
    found = list(HEADING.finditer(text))
    if not found:
        raise BadChangelog("no heading of the form '## 1.2.3 (2026-11-21)' or '## 1.2.3 (unreleased)'")
    for here, following in zip(found, [*found[1:], None]):
        body = text[here.end():following.start() if following else len(text)]
        changes = [" ".join(item.split()) for item in ITEM.findall(body)]
        if not changes:
            raise BadChangelog(f"no change below {here.group()}")
        yield here.group(1), here.group(2), changes


def wrapped(change):
    lines, line = [], "  *"
    for word in change.split():
        if len(line) + 1 + len(word) > WIDTH:
            lines.append(line)
            line = "   "
        line += " " + word
    return [*lines, line]


def stamp(date):
    if date == "unreleased":
        moment = time.gmtime(int(os.environ.get("SOURCE_DATE_EPOCH", time.time())))
    else:
        moment = time.strptime(date, "%Y-%m-%d")
    return time.strftime("%a, %d %b %Y %H:%M:%S +0000", moment)


def debian_changelog(text, maintainer):
    entries = []
    for version, date, changes in releases(text):
        suite = "UNRELEASED" if date == "unreleased" else "unstable"
        lines = [f"detent ({version}-1) {suite}; urgency=medium", ""]
        for change in changes:
            lines += wrapped(change)
        lines += ["", f" -- {maintainer}  {stamp(date)}"]
        entries.append("\n".join(lines) + "\n")
    return "\n".join(entries)


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__.split("\n\n")[1])
    try:
        sys.stdout.write(debian_changelog(Path(sys.argv[1]).read_text(encoding="utf-8"), sys.argv[2]))
    except (BadChangelog, OSError, ValueError) as trouble:
        sys.exit(f"{sys.argv[1]}: {trouble}")


if __name__ == "__main__":
    main()
