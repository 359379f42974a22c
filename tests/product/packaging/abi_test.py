#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""detent's recorded binary interface, and that the check stops what is gone from it.

usage: abi_test.py ROOT     ROOT: the sources
"""
import re
import sys
import tempfile
import unittest
from pathlib import Path

sys.dont_write_bytecode = True


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
    if len(sys.argv) != 2:
        sys.exit(__doc__.split("\n\n")[1])
    ROOT = Path(sys.argv[1])
    sys.path.insert(0, str(ROOT / "packaging"))
    import abi_check
    unittest.main(argv=sys.argv[:1])
