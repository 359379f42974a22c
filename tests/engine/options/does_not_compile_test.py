#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What does not compile is explained in one sentence: a delay of 0.5s, a deadline of system_clock, an option's type.

usage: does_not_compile_test.py SOURCE OPTIONS COMPILER [FLAG...]
SOURCE: the statements; OPTIONS: detent/options.hpp
"""
import re
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = re.compile(r"required from here|requested here")
STRUCT = "memory"  # whose own options are named, as it is written as a list
EACH_OPTION = """#include <detent/detent.hpp>
struct wrong {};
void options() {
"""


def is_clang(compiler):
    version = subprocess.run([compiler[0], "--version"], capture_output=True, text=True, check=False)
    return "clang" in version.stdout


def complaints(source, compiler):
    """The sentences by line of the source, from what g++ or clang++ says."""
    flags = ["-fsyntax-only", "-Wno-unused", *(["-ferror-limit=0"] if is_clang(compiler) else [])]
    done = subprocess.run([*compiler, *flags, source], capture_output=True, text=True, check=False)
    if done.returncode == 0:
        sys.exit(f"{source}: compiles")
    found, line, sentence = {}, None, None
    for each in done.stderr.splitlines():
        at = re.match(re.escape(str(source)) + r":(\d+):", each)
        error = re.search(r" error: static(?: assertion|_assert) failed.*?:? \"?(.+?)\"?$", each)
        if " error: " in each and not error:
            sys.exit(f"fails for another reason: {each}\n{done.stderr}")
        if at and HERE.search(each):  # g++ says it before the error, clang++ after it
            line = int(at[1])
            if sentence:
                found[line], line, sentence = sentence, None, None
        if error:
            sentence = error[1]
            if line:
                found[line], line, sentence = sentence, None, None
    return found, done.stderr


def check(source, expected, compiler):
    found, output = complaints(source, compiler)
    for line, words in expected.items():
        if words not in found.get(line, ""):
            sys.exit(f"{source}:{line}: does not say '{words}':\n{found.get(line)}\n{output}")
    if extra := found.keys() - expected.keys():
        sys.exit(f"{source}: lines {sorted(extra)} do not compile either:\n{output}")


def options_of(header):
    struct = re.search(r"^struct engine_options {\n(.*?)^};", Path(header).read_text(encoding="utf-8"), re.M | re.S)[1]
    return re.findall(r"^  [\w:]\S*(?: \S+)* \*?(\w+) = .*;$", struct, re.M)


def main(source, header, *compiler):
    lines = Path(source).read_text(encoding="utf-8").splitlines()
    marked = {number: line.split("; ", 1)[1].split("// ", 1)[1]
              for number, line in enumerate(lines, 1) if re.search(r";\s+// ", line)}
    check(source, marked, compiler)
    options = options_of(header)
    if len(options) < 20:
        sys.exit(f"{header}: only {options} were found")
    options = [each for each in options if each != STRUCT]
    with tempfile.TemporaryDirectory() as directory:
        every = Path(directory) / "every_option.cpp"
        begin = EACH_OPTION.count("\n")
        every.write_text(EACH_OPTION + "".join(f"  detent::engine({{.{each} = wrong{{}}}});\n" for each in options) + "}\n",
                         encoding="utf-8")
        check(every, {begin + i: f"engine_options::{each} is " for i, each in enumerate(options, 1)}, compiler)


if __name__ == "__main__":
    if len(sys.argv) < 4:
        sys.exit(__doc__.split("\n\n")[1])
    main(*sys.argv[1:])
