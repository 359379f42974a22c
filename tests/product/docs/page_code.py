#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The code of pages, written out as programs.

usage: page_code.py DIRECTORY PAGE...     writes the programs, and prints a line `test source kind need...` for each

A block of C++ or C with a main() of its own is a program as it stands: of kind `whole`. Where a page has several, all but one
have a name behind the language: ```cpp NAME. Each other block of C++, C or Java is a `part`, and stands between two comments
that a reader of the page does not see:

    <!-- code NAME LIBRARY...
    what comes before it: at the top of the file
    -->
    ```cpp
    what the page shows
    ```
    <!-- then
    what comes after it: the last statements of main()
    -->

A part without a main() of its own is the body of one. In a page that has such comments a block without a name is an error, so
that none stays untried.
"""
import re
import sys
from pathlib import Path

LANGUAGES = {"cpp": "cpp", "c": "c", "java": "java"}
PART = re.compile(
    r"(?:^<!-- code (?P<head>[^\n]*?)(?: -->|\n(?P<given>.*?)^-->)\n+)?"
    r"^```(?P<language>cpp|c|java)(?: (?P<word>\w+))?\n(?P<code>.*?)^```$"
    r"(?:\n+<!-- then\n(?P<then>.*?)^-->$)?", re.MULTILINE | re.DOTALL)
ON_TOP = re.compile(r"^(?:#include .*|using namespace .*|import .*)\n", re.MULTILINE)
TOP = {
    "cpp": "#include <detent/detent.hpp>\n#include <cstdio>\n#include <cstdlib>\n",
    "c": "#include <detent/detent.h>\n#include <stdio.h>\n#include <stdlib.h>\n",
    "java": "",
}
# A whole program needs a library if it includes one of its headers.
NEEDS = {"detent/recipes/": "recipes", "detent/calendar": "calendar", "detent/schedule": "calendar", "detent/durable": "durable",
         "detent/senders": "senders"}
EXPECT = {
    "cpp": '#define EXPECT(x) ((x) ? void(0) : (std::fprintf(stderr, "not so: %s\\n", #x), std::exit(1)))\n'
           "using namespace std::chrono_literals;\n",
    "c": '#define EXPECT(x) ((x) ? (void)0 : (fprintf(stderr, "not so: %s\\n", #x), exit(1)))\n',
    "java": "",
}


def indented(text):
    return "".join("  " + line if line.strip() else line for line in text.splitlines(keepends=True))


def java(name, given, code, then):
    return (f"{''.join(ON_TOP.findall(given + code))}\npublic class {name} {{\n"
            "  static void expect(boolean so, String what) {\n"
            '    if (!so) throw new AssertionError("not so: " + what);\n  }\n'
            f"{indented(ON_TOP.sub('', given))}\n  public static void main(String[] arguments) throws Exception {{\n"
            f"{indented(indented(ON_TOP.sub('', code) + then))}  }}\n}}\n")


def program(language, name, given, code, then):
    if language == "java":
        return java(name, given, code, then)
    top = TOP[language] + "".join(ON_TOP.findall(code)) + EXPECT[language] + given
    body = ON_TOP.sub("", code)
    if "int main(" in code:
        return top + body
    return f"{top}\nint main({'void' if language == 'c' else ''}) {{\n{indented(body + then)}}}\n"


def needs(code):
    return sorted({need for header, need in NEEDS.items() if f"#include <{header}" in code})


def programs(page):
    """Yields (name, language, kind, libraries, the program's text)."""
    text = page.read_text(encoding="utf-8")
    seen = set()
    for found in PART.finditer(text):
        line = text.count("\n", 0, found.start("code"))
        language, code = found["language"], found["code"]
        whole = found["head"] is None and "int main(" in code
        if found["head"] is None and not whole:
            if "<!-- code " not in text:
                continue
            sys.exit(f"{page.name}:{line}: a block of code without a name: <!-- code NAME -->")
        name, *libraries = (found["word"] or "", *needs(code)) if whole else found["head"].split()
        if name in seen:
            sys.exit(f"{page.name}:{line}: there are two blocks called {name or 'nothing'}")
        seen.add(name)
        if whole:
            yield name, language, "whole", libraries, code
        else:
            yield name, language, "part", libraries, program(language, name, found["given"] or "", code, found["then"] or "")


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__.split("\n\n")[1])
    directory = Path(sys.argv[1])
    for page in map(Path, sys.argv[2:]):
        for name, language, kind, libraries, text in programs(page):
            file = directory / page.stem / f"{name or 'main'}.{LANGUAGES[language]}"
            file.parent.mkdir(parents=True, exist_ok=True)
            if not file.exists() or file.read_text(encoding="utf-8") != text:
                file.write_text(text, encoding="utf-8")
            print(f"docs.{page.stem}{name and '.'}{name}", file, kind, *libraries)


if __name__ == "__main__":
    main()
