#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The page of the one-file program: it shows the file beside it, and its commands compile and run it.

usage: one_file_test.py PAGE PREFIX COMPILER [FLAG...]     PREFIX: an installed detent; COMPILER stands for the page's c++
"""
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

NUMBER = re.compile(r"(real: closed) \d+")


def blocks(text, kind):
    return re.findall(rf"^```{kind}\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)


def main():
    if len(sys.argv) < 4:
        sys.exit(__doc__.split("\n\n")[1])
    page, prefix, compiler, *flags = Path(sys.argv[1]), Path(sys.argv[2]), *sys.argv[3:]
    text = page.read_text(encoding="utf-8")
    source = (page.parent / "one_file.cpp").read_text(encoding="utf-8")
    if blocks(text, "cpp") != [source]:
        sys.exit(f"{page}: its program is not that of one_file.cpp")
    (found,) = prefix.rglob("detent.pc")
    environment = {**os.environ, "PKG_CONFIG_PATH": str(found.parent), "LD_LIBRARY_PATH": str(found.parents[1])}
    printed = ""
    with tempfile.TemporaryDirectory() as directory:
        (Path(directory) / "one_file.cpp").write_text(source, encoding="utf-8")
        for command in blocks(text, "sh"):
            words = command.replace("c++ ", " ".join(["exec", compiler, "-Wall", "-Wextra", "-Werror", *flags, ""]), 1)
            done = subprocess.run(["bash", "-c", words], cwd=directory, env=environment, check=False, text=True,
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=240)
            if done.returncode != 0:
                sys.exit(f"{page}: {command}{done.stdout}status {done.returncode}")
            printed += done.stdout
    shown = "".join(blocks(text, "text"))
    if NUMBER.sub(r"\1 N", printed) != NUMBER.sub(r"\1 N", shown):
        sys.exit(f"{page}: shown:\n{shown}printed:\n{printed}")
    print(printed, end="")


if __name__ == "__main__":
    main()
