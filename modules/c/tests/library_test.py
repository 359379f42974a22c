#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What the shared library shows to the outside.

usage: library_test.py LIBRARY SONAME C_HEADER     exit status 1 if it shows too much, too little, or another name
"""
import re
import subprocess
import sys
from pathlib import Path


def output(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def exported(library):
    lines = output("nm", "--dynamic", "--defined-only", "--demangle", library).splitlines()
    return {line.split(" ", 2)[2] for line in lines if line.split(" ", 2)[1] in "TVWBDRu"}


def names_of(header):
    """The functions that the C header declares."""
    return set(re.findall(r"^DETENT_C_API [^;(]*?\b(detent_\w+)\(", Path(header).read_text(), re.MULTILINE))


# Functions that the public headers declare for their templates and for the modules; no class of the inside. g++ marks those
# that return a std::string.
INSIDE = re.compile(r"detent::(?:base|detail)::\w+(?:\[abi:cxx11\])?\(")
# The classes of the inside that what users compile has as a member or a base: awaitables, recipes, bulk calls of sets.
HELD = re.compile(r"detent::detail::(?:frame_claim|frame_ops<[^>]*>|place|shard_shares|timed_frame)::")
# And what is nested in a public class.
PUBLIC = re.compile(r"(?:vtable for |typeinfo for |typeinfo name for )?detent::(?!base::|detail::)\w+")


def main():
    if len(sys.argv) != 4:
        sys.exit(__doc__.split("\n\n")[1])
    library, soname, header = sys.argv[1:]
    problems = []
    shown = exported(library)
    in_c = {name for name in shown if name.startswith("detent_")}
    declared = names_of(header)
    problems += [f"{name}: declared, but not exported" for name in sorted(declared - in_c)]
    problems += [f"{name}: exported, but not declared" for name in sorted(in_c - declared)]
    problems += [f"{name}: exported, but no public name" for name in sorted(shown - in_c)
                 if not PUBLIC.match(name) and not INSIDE.match(name) and not HELD.match(name)]
    problems += [f"{name}: not exported" for name in ("detent::engine::stop()", "typeinfo for detent::error")
                 if name not in shown]
    found = re.search(r"\(SONAME\).*\[(.*)\]", output("readelf", "--dynamic", "--wide", library))
    if not found or found.group(1) != soname:
        problems.append(f"its soname is {found and found.group(1)}, not {soname}")
    print("\n".join(problems) if problems else f"{len(in_c)} C functions, {len(shown - in_c)} C++ names, {soname}")
    sys.exit(1 if problems or not declared else 0)


if __name__ == "__main__":
    main()
