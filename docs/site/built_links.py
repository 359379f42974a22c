#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The links of a built site: each one inside it leads to a file that is there, and to a place in it that is there.

usage: built_links.py DIRECTORY     prints each dead link; exit status 1 if there is one
"""
import os
import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit


class Page(HTMLParser):
    """What a page links to, and what in it can be linked to."""

    def __init__(self, file):
        super().__init__()
        self.targets, self.places = set(), {"", "top"}
        self.feed(file.read_text(encoding="utf-8"))

    def handle_starttag(self, tag, attributes):
        for name, value in attributes:
            if name in ("href", "src") and value:
                self.targets.add(value)
            elif name == "id" or (name == "name" and tag == "a"):
                self.places.add(value)


def findings(directory):
    directory = directory.resolve()
    pages = {file: Page(file) for file in sorted(directory.rglob("*.html"))}
    for file, page in pages.items():
        for target in sorted(page.targets):
            parts = urlsplit(target)
            if parts.scheme or parts.netloc:
                continue
            to = Path(os.path.normpath(file.parent / unquote(parts.path))) if parts.path else file
            where = file.relative_to(directory)
            if not to.is_relative_to(directory) or not to.is_file():
                yield f"{where}: {target}: there is no such file"
            elif to in pages and unquote(parts.fragment) not in pages[to].places:
                yield f"{where}: {target}: there is no such place"


if __name__ == "__main__":
    if len(sys.argv) != 2 or not Path(sys.argv[1]).is_dir():
        sys.exit(__doc__.split("\n\n")[1])
    found = list(findings(Path(sys.argv[1])))
    print("\n".join(found) if found else "no dead links")
    sys.exit(1 if found else 0)
