#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The code of a page, written out as programs.

usage: page_code.py PAGE DIRECTORY     writes the programs, and prints a line `name language library...` for each

A block of C++, C or Java stands between two comments that a reader of the page does not see:

    <!-- code NAME LIBRARY...
    what comes before it: at the top of the file
    -->
    ```cpp
    what the page shows
    ```
    <!-- then
    what comes after it: the last statements of main()
    -->

A block without a main() of its own is the body of one. A block without a name is an error, so that none stays untried.
"""
import re
import sys
from pathlib import Path

LANGUAGES = {"cpp": "cpp", "c": "c", "java": "java"}
PART = re.compile(
    r"(?:^<!-- code (?P<head>[^\n]*?)(?: -->|\n(?P<given>.*?)^-->)\n+)?"
    r"^```(?P<language>cpp|c|java)\n(?P<code>.*?)^```$"
    r"(?:\n+<!-- then\n(?P<then>.*?)^-->$)?", re.MULTILINE | re.DOTALL)
ON_TOP = re.compile(r"^(?:#include .*|using namespace .*|import .*)\n", re.MULTILINE)
TOP = {
    "cpp": "#include <detent/detent.hpp>\n#include <cstdio>\n#include <cstdlib>\n",
    "c": "#include <detent/detent.h>\n#include <stdio.h>\n#include <stdlib.h>\n",
    "java": "",
}
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


def parts(page):
    """Yields (name, libraries, language, the program's text)."""
    text = page.read_text(encoding="utf-8")
    seen = set()
    for found in PART.finditer(text):
        line = text.count("\n", 0, found.start("code"))
        if found["head"] is None:
            sys.exit(f"{page.name}:{line}: a block of code without a name: <!-- code NAME -->")
        name, *libraries = found["head"].split()
        if name in seen:
            sys.exit(f"{page.name}:{line}: there are two blocks called {name}")
        seen.add(name)
        yield name, libraries, found["language"], program(
            found["language"], name, found["given"] or "", found["code"], found["then"] or "")


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__.split("\n\n")[1])
    page, directory = Path(sys.argv[1]), Path(sys.argv[2])
    directory.mkdir(parents=True, exist_ok=True)
    for name, libraries, language, text in parts(page):
        file = directory / f"{name}.{LANGUAGES[language]}"
        if not file.exists() or file.read_text(encoding="utf-8") != text:
            file.write_text(text, encoding="utf-8")
        print(name, language, *libraries)


if __name__ == "__main__":
    main()
