#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The check of the binary interface: what it lets pass and what it stops, on a made-up library and on detent's recorded interface.

usage: abi_test.py ROOT COMPILER     ROOT: the sources; COMPILER: of C or C++
"""
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.dont_write_bytecode = True

HEADER = """
struct gear;
typedef struct gear_options { unsigned long size; int teeth; int ratio; unsigned long reserved[4]; } gear_options;
struct gear *gear_make(const gear_options *options);
int gear_turn(struct gear *made, int steps);
static inline int gear_twice(struct gear *made) { return gear_turn(made, 2); }
"""
SOURCE = """
#include "gear.h"
struct gear { int place; };
static struct gear only;
struct gear *gear_make(const gear_options *options) { only.place = options->teeth; return &only; }
int gear_turn(struct gear *made, int steps) { return made->place += steps; }
"""
MORE = "int gear_place(struct gear *made);\n"
MORE_SOURCE = "int gear_place(struct gear *made) { return made->place; }\n"
RENAME = "[suppress_type]\n  name = gear_options\n"


class MadeUp(unittest.TestCase):
    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.place = Path(directory.name)
        self.check(0, "record", self.library(), "--version", "1.2.0")

    def library(self, header=HEADER, source=SOURCE, soname="libgear.so.1"):
        include = self.place / "include"
        include.mkdir(exist_ok=True)
        (include / "gear.h").write_text(header, encoding="utf-8")
        (self.place / "gear.c").write_text(source, encoding="utf-8")
        made = self.place / "libgear.so"
        subprocess.run([COMPILER, "-x", "c", "-g", "-O1", "-fPIC", "-shared", f"-Wl,-soname,{soname}", f"-I{include}",
                        self.place / "gear.c", "-o", made], check=True)
        return made

    def check(self, status, what, library, *options):
        done = subprocess.run([sys.executable, ROOT / "packaging/abi_check.py", what, library, self.place / "baseline",
                               "--include", self.place / "include", *options], capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        return done.stdout + done.stderr

    def test_the_same_library_passes(self):
        self.assertIn("unchanged", self.check(0, "compare", self.library()))

    def test_a_struct_with_a_field_removed_is_stopped(self):
        said = self.check(1, "compare", self.library(HEADER.replace("int ratio; ", "")), "--version", "2.0.0")
        self.assertIn("its soname is the same", said)
        self.assertIn("'int ratio'", said)

    def test_it_passes_with_another_soname_and_a_new_major_version(self):
        broken = self.library(HEADER.replace("int ratio; ", ""), soname="libgear.so.2")
        self.assertIn("went from libgear.so.1 to libgear.so.2", self.check(0, "compare", broken, "--version", "2.0.0"))
        self.assertIn("a new major version", self.check(1, "compare", broken, "--version", "1.3.0"))

    def test_a_function_removed_is_stopped(self):
        gone = self.library(source=SOURCE.replace("int gear_turn", "static int gear_turn"),
                            header=HEADER.replace("int gear_turn", "static int gear_turn"))
        self.assertIn("gear_turn", self.check(1, "compare", gone, "--version", "1.3.0"))

    def test_a_parameter_of_another_type_is_stopped(self):
        other = self.library(HEADER.replace("int steps", "long steps"), SOURCE.replace("int steps", "long steps"))
        self.check(1, "compare", other, "--version", "1.3.0")

    def test_a_function_added_takes_a_new_minor_version(self):
        grown = self.library(HEADER + MORE, SOURCE + MORE_SOURCE)
        self.assertIn("a new minor version", self.check(1, "compare", grown, "--version", "1.2.1"))
        self.assertIn("gear_place", self.check(0, "compare", grown, "--version", "1.3.0"))

    def test_a_type_of_the_inside_is_nobodys_business(self):
        inner = self.library(source=SOURCE.replace("{ int place; }", "{ long spare; int place; }"))
        self.assertIn("unchanged", self.check(0, "compare", inner, "--version", "1.2.1"))

    def test_a_header_that_inlines_something_else_is_named(self):
        said = self.check(0, "compare", self.library(HEADER.replace("made, 2", "made, 3")), "--version", "1.2.1")
        self.assertIn("  gear.h: changed", said)

    def test_an_older_version_is_stopped(self):
        self.assertIn("older", self.check(1, "compare", self.library(), "--version", "1.1.9"))

    def test_a_change_that_is_allowed_passes(self):
        (self.place / "allowed").write_text(RENAME, encoding="utf-8")
        used = HEADER.replace("reserved[4]", "taken; unsigned long reserved[3]")
        self.check(1, "compare", self.library(used), "--version", "1.3.0")
        self.check(0, "compare", self.library(used), "--version", "1.3.0", "--allowed", self.place / "allowed")


class Recorded(unittest.TestCase):
    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.baseline = abi_check.unpacked(ROOT / "packaging/abi", directory.name)
        self.text = self.baseline.read_text(encoding="utf-8")

    def test_its_soname_is_the_builds(self):
        (number,) = re.findall(r"^set\(DETENT_SOVERSION (\d+)\)", (ROOT / "CMakeLists.txt").read_text(encoding="utf-8"),
                               re.MULTILINE)
        self.assertEqual(abi_check.names_of(self.baseline)[1], f"libdetent.so.{number}")

    def test_it_has_every_function_of_the_c_interface(self):
        header = (ROOT / "modules/c/include/detent/detent.h").read_text(encoding="utf-8")
        names = re.findall(r"^DETENT_C_API [^;(]*?\b(detent_\w+)\(", header, re.MULTILINE)
        self.assertGreater(len(names), 20)
        for name in names:
            self.assertIn(f"elf-symbol name='{name}'", self.text)

    def test_a_field_gone_from_it_is_stopped(self):
        lines = self.text.splitlines()
        for struct, field in (("detent_metrics", "lateness_p50"), ("detent_options", "tick_ns"), ("engine_options", "tick")):
            (at,) = [n for n, line in enumerate(lines) if f"<var-decl name='{field}'" in line
                     and any(f"name='{struct}'" in above for above in lines[max(0, n - 80):n])][:1]
            with self.subTest(struct=struct, field=field), tempfile.NamedTemporaryFile("w", suffix=".abi") as less:
                less.write("\n".join(lines[:at - 1] + lines[at + 2:]))
                less.flush()
                change, report = abi_check.kind_of_change(self.baseline, less.name, None)
                self.assertEqual(change, "broken")
                self.assertIn(field, report)


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__.split("\n\n")[1])
    ROOT, COMPILER = Path(sys.argv[1]), sys.argv[2]
    sys.path.insert(0, str(ROOT / "packaging"))
    import abi_check
    unittest.main(argv=sys.argv[:1])
