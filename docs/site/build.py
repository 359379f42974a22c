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
REFERENCE, REFERENCE_PAGE = ROOT / "docs/reference.md", "reference/index.md"
HEADER = re.compile(r"^\| \[`(detent/\S+)`\]\(\S+/(\w+)\.hp*\)", re.MULTILINE)
MODULES = sorted(each.relative_to(ROOT).as_posix() for each in ROOT.glob("modules/*/include"))
INCLUDE = ("core/include", "alloc/include", "modules/include", *MODULES)
PUBLIC = [*(f"{each}/detent/*.h*" for each in INCLUDE), "modules/recipes/include/detent/recipes/*.hpp"]
PAGE = {"detent/detent.h": "c"}  # of the others, their name


# Arguments that take several types; a reader is shown what they are made into, or what they may be.
MADE_INTO = {"detail::whole_duration": "duration", "detail::clock_time": "time_point",
             "detail::place": "engine_or_group"}
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
        elif file == REFERENCE:
            file = ROOT / REFERENCE_PAGE
        elif file.suffix != ".md":
            copy = self.to / file.relative_to(ROOT)
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(file, copy)
        return os.path.relpath(file, page.parent) + hash_sign + anchor

    def reference(self):
        """A page for each public header; where the tree's own page links to the header, the site's links to that."""
        text = REFERENCE.read_text(encoding="utf-8")
        named = [(header, PAGE.get(header, stem)) for header, stem in HEADER.findall(text)]
        public = {file.relative_to(ROOT).as_posix().split("/include/")[1] for each in PUBLIC for file in ROOT.glob(each)}
        if missing := public - {header for header, _ in named} - {"detent/detent.hpp"}:
            sys.exit(f"docs/reference.md says nothing of {', '.join(sorted(missing))}")
        for header, page in named:
            self._write(f"reference/{page}.md", f"# `<{header}>`\n\n{namespace_of(header)}"
                                                f"```{{doxygenfile}} {header}\n:sections: {SECTIONS}\n```\n")
        pages = dict(named)
        text = HEADER.sub(lambda found: f"| [`{found.group(1)}`]({pages[found.group(1)]}.md)", text)
        text = text.replace("](cheat-sheet.md)", "](../docs/cheat-sheet.md)")
        self._write(REFERENCE_PAGE, text + toctree("", [f"{page}.md" for _, page in named]))

    def _write(self, path, text):
        file = self.to / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")


def namespace_of(header):
    """The directive that puts a header's declarations into its namespace."""
    file, = (file for each in INCLUDE for file in ROOT.glob(f"{each}/{header}"))
    found = re.search(r"^namespace (detent(?:::(?:inline )?(?!detail)\w+)*) {", file.read_text(encoding="utf-8"), re.MULTILINE)
    return f"```{{cpp:namespace}} {found.group(1).replace('inline ', '')}\n```\n\n" if found else ""


def toctree(caption, pages):
    lines = "\n".join(page.removesuffix(".md") for page in pages)
    return f"\n```{{toctree}}\n:hidden:\n:caption: \"{caption}\"\n\n{lines}\n```\n"


def there(pages):
    return [page for page in pages if (ROOT / page).exists()]


def contents():
    chapters = {caption: [in_site(page) for page in there(pages)] for caption, pages in navigation.CHAPTERS.items()}
    return "".join(toctree(caption, pages) for caption, pages in chapters.items() if pages)


def in_site(page):
    """Where a page of the tree lies in the site."""
    return REFERENCE_PAGE if ROOT / page == REFERENCE else page


def run(*command, **environment):
    """A tool that says anything at all has something to complain about."""
    if shutil.which(command[0]) is None:
        sys.exit(f"{command[0]} is not installed (./tools/dev docs installs what it needs)")
    done = subprocess.run(command, cwd=ROOT, env={**os.environ, "DETENT_ROOT": str(ROOT), **environment}, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if done.returncode != 0 or done.stdout.strip():
        sys.exit(f"{done.stdout}{command[0]}: not without a warning, status {done.returncode}")


def name_arguments(xml):
    for file in xml.glob("*.xml"):
        text = file.read_text(encoding="utf-8")
        for type_name, shown in MADE_INTO.items():
            text = text.replace(type_name, shown)
        file.write_text(text, encoding="utf-8")


def build(directory):
    pages, xml, html, doctrees = (directory / name for name in ("pages", "xml", "html", "doctrees"))
    stage = Stage(pages)
    for page in there(["README.md", *navigation.pages()]):
        if in_site(page) == page:
            stage.page(page)
    stage.reference()
    for old in (xml, html, doctrees):  # what Sphinx keeps grows with each build, and slows the next
        shutil.rmtree(old, ignore_errors=True)
    xml.mkdir(parents=True)
    headers = [file.relative_to(ROOT).as_posix() for each in (*PUBLIC, "alloc/include/detent/alloc/memory_options.hpp")
               for file in sorted(ROOT.glob(each))]
    run("doxygen", "docs/site/Doxyfile", DETENT_DOCS_XML=str(xml), DETENT_DOCS_HEADERS=" ".join(headers),
        DETENT_DOCS_INCLUDE=" ".join(INCLUDE))
    name_arguments(xml)
    run("sphinx-build", "-q", "-W", "--keep-going", "-c", "docs/site", "-d", str(doctrees), str(pages), str(html),
        DETENT_DOCS_XML=str(xml))
    if findings := list(built_links.findings(html)):
        sys.exit("\n".join(findings))
    print(f"{len(list(html.rglob('*.html')))} pages: {html / 'index.html'}")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__.split("\n\n")[1])
    build(Path(sys.argv[1]).resolve())
