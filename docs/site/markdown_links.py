#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The links of the tree's markdown files: each leads to a file or heading that is there, and each page has its place.

usage: markdown_links.py ROOT     prints file:line: for each dead link; exit status 1 if there is one
"""
import os
import re
import sys
from pathlib import Path

sys.dont_write_bytecode = True  # a test leaves the sources as they are
import navigation

SKIPPED = {"build", ".git", ".cache", "node_modules", "site"}
FENCE = re.compile(r"^(`{3,}|~{3,}).*?^\1`*\s*?$", re.MULTILINE | re.DOTALL)
CODE = re.compile(r"(?<!`)(`+)(?!`)(.+?)(?<!`)\1(?!`)", re.DOTALL)
LINK = re.compile(r"(!?\[(?:[^\[\]]|\[[^\]]*\])*\]\()([^()\s]+)((?:\s+\"[^\"]*\")?\))")
HEADING = re.compile(r"^#{1,6} +(.*?)#* *$", re.MULTILINE)
ANCHOR = re.compile(r"<a (?:id|name)=\"([^\"]+)\"")
ELSEWHERE = re.compile(r"[a-z][a-z0-9+.-]*:|//", re.IGNORECASE)


def markdown_files(root):
    for directory, directories, files in os.walk(root):
        directories[:] = sorted(set(directories) - SKIPPED)
        yield from (Path(directory, name) for name in sorted(files) if name.endswith(".md"))


def without_code(text):
    """The same text with what stands in blocks and between backticks blanked."""
    def blank(match):
        return re.sub(r"[^\n]", " ", match.group())
    return CODE.sub(blank, FENCE.sub(blank, text))


def links(text):
    """(begin, end, target) of each link to a place in the tree."""
    for found in LINK.finditer(without_code(text)):
        if not ELSEWHERE.match(found.group(2)):
            yield found.start(2), found.end(2), found.group(2)


def anchors(text):
    """The names by which the headings can be reached, as on code-hosting sites."""
    known = {}
    for title in HEADING.findall(FENCE.sub("", text)):
        title = LINK.sub(lambda found: found.group(1).lstrip("![").removesuffix("]("), title)
        slug = re.sub(r"[^\w\- ]", "", title.strip().lower()).replace(" ", "-")
        count = known.setdefault(slug, 0)
        known[slug] += 1
        yield f"{slug}-{count}" if count else slug
    yield from ANCHOR.findall(text)


def dead(root, file):
    """(line, what is wrong) of each dead link of a file."""
    text = file.read_text(encoding="utf-8")
    for begin, _, target in links(text):
        name, _, anchor = target.partition("#")
        to = Path(os.path.normpath(file.parent / name)) if name else file
        line = text.count("\n", 0, begin) + 1
        if not to.exists() or not to.is_relative_to(root):
            yield line, f"{target}: there is no such file"
        elif anchor and to.suffix == ".md" and anchor not in anchors(to.read_text(encoding="utf-8")):
            yield line, f"{target}: there is no such heading"


def findings(root):
    listed = {"README.md", *navigation.pages()}
    for file in markdown_files(root):
        path = file.relative_to(root).as_posix()
        for line, problem in dead(root, file):
            yield f"{path}:{line}: {problem}"
        if path not in listed:
            yield f"{path}:1: has no place in docs/site/navigation.py"


if __name__ == "__main__":
    if len(sys.argv) != 2 or not Path(sys.argv[1]).is_dir():
        sys.exit(__doc__.split("\n\n")[1])
    found = list(findings(Path(sys.argv[1]).resolve()))
    print("\n".join(found) if found else "no dead links")
    sys.exit(1 if found else 0)
