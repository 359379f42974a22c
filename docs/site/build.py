#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Builds the site: every page of the tree, and the API reference, in DIRECTORY/html.

usage: build.py DIRECTORY     any warning of Doxygen or Sphinx, or a dead link in the outcome, is an error
"""
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

sys.dont_write_bytecode = True  # a build leaves the sources as they are
import built_links
import markdown_links
import navigation

ROOT = Path(__file__).resolve().parents[2]
HEADER = re.compile(r"^\| \[`(detent/\S+)`\]\((\S+)\.md\)", re.MULTILINE)
INCLUDE = ("core/include", "modules/asio/include", "modules/tbb/include", "modules/common/include", "modules/c/include", "alloc/include")
PUBLIC = [f"{each}/detent/*.h*" for each in INCLUDE]


SECTIONS = ("briefdescription detaileddescription public-type public-func public-static-func public-attrib public-static-attrib "
            "innerclass innernamespace enum typedef define func var")


class Stage:
    """The pages as Sphinx gets them: README.md is the index, and what a page links to lies where it expects it."""

    def __init__(self, to):
        self.to = to
        shutil.rmtree(to, ignore_errors=True)

    def page(self, path):
        text = (ROOT / path).read_text(encoding="utf-8")
        for begin, end, target in reversed(list(markdown_links.links(text))):
            text = text[:begin] + self._staged(ROOT / path, target) + text[end:]
        self._write("index.md" if path == "README.md" else path, text + (contents() if path == "README.md" else ""))

    def _staged(self, page, target):
        """The link as it is to be in the site; a file that is no page goes there with it."""
        name, hash_sign, anchor = target.partition("#")
        if not name:
            return target
        file = Path(os.path.normpath(page.parent / name))
        if file.is_dir():
            file = file / "README.md"
        if file == ROOT / "README.md":
            file = ROOT / "index.md"
        elif file.suffix != ".md":
            copy = self.to / file.relative_to(ROOT)
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(file, copy)
        return os.path.relpath(file, page.parent) + hash_sign + anchor

    def reference(self):
        """A page for each public header."""
        text = (ROOT / "docs/site/reference.md").read_text(encoding="utf-8")
        named = HEADER.findall(text)
        public = {file.relative_to(ROOT).as_posix().split("/include/")[1] for each in PUBLIC for file in ROOT.glob(each)}
        if missing := public - {header for header, _ in named} - {"detent/detent.hpp"}:
            sys.exit(f"docs/site/reference.md says nothing of {', '.join(sorted(missing))}")
        for header, page in named:
            self._write(f"reference/{page}.md", f"# `<{header}>`\n\n{namespace_of(header)}"
                                                f"```{{doxygenfile}} {header}\n:sections: {SECTIONS}\n```\n")
        self._write("reference/index.md", text + toctree("", [f"{page}.md" for _, page in named]))

    def _write(self, path, text):
        file = self.to / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")


def namespace_of(header):
    """The directive that puts a header's declarations into its namespace."""
    file, = (file for each in INCLUDE for file in ROOT.glob(f"{each}/{header}"))
    found = re.search(r"^namespace (detent(?:::(?!detail)\w+)*) {", file.read_text(encoding="utf-8"), re.MULTILINE)
    return f"```{{cpp:namespace}} {found.group(1)}\n```\n\n" if found else ""


def toctree(caption, pages):
    lines = "\n".join(page.removesuffix(".md") for page in pages)
    return f"\n```{{toctree}}\n:hidden:\n:caption: \"{caption}\"\n\n{lines}\n```\n"


def there(pages):
    return [page for page in pages if page.startswith("reference/") or (ROOT / page).exists()]


def contents():
    return "".join(toctree(caption, there(pages)) for caption, pages in navigation.CHAPTERS.items() if there(pages))


def run(*command, **environment):
    """A tool that says anything at all has something to complain about."""
    if shutil.which(command[0]) is None:
        sys.exit(f"{command[0]} is not installed (./tools/dev docs installs what it needs)")
    done = subprocess.run(command, cwd=ROOT, env={**os.environ, "DETENT_ROOT": str(ROOT), **environment}, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if done.returncode != 0 or done.stdout.strip():
        sys.exit(f"{done.stdout}{command[0]}: not without a warning, status {done.returncode}")


def build(directory):
    pages, xml, html, doctrees = (directory / name for name in ("pages", "xml", "html", "doctrees"))
    stage = Stage(pages)
    for page in there(["README.md", *navigation.pages()]):
        if not page.startswith("reference/"):
            stage.page(page)
    stage.reference()
    for old in (xml, html, doctrees):  # what Sphinx keeps grows with each build, and slows the next
        shutil.rmtree(old, ignore_errors=True)
    xml.mkdir(parents=True)
    run("doxygen", "docs/site/Doxyfile", DETENT_DOCS_XML=str(xml))
    run("sphinx-build", "-q", "-W", "--keep-going", "-c", "docs/site", "-d", str(doctrees), str(pages), str(html),
        DETENT_DOCS_XML=str(xml))
    if findings := list(built_links.findings(html)):
        sys.exit("\n".join(findings))
    print(f"{len(list(html.rglob('*.html')))} pages: {html / 'index.html'}")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__.split("\n\n")[1])
    build(Path(sys.argv[1]).resolve())
