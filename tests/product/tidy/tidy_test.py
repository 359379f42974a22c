#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Each rule of tidy.py finds a violation, where it stands, and lets what is right pass.

usage: tidy_test.py DIRECTORY_OF_TIDY
"""
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

TOOLS = Path(sys.argv.pop(1) if len(sys.argv) > 1 else Path(__file__).parents[3] / "tools").resolve()
SPDX = "// SPDX-License-Identifier: MIT\n"
HEADER = SPDX + "#pragma once\n"
DETAIL, BASE = "core/include/detent/detail/", "core/include/detent/base/"
LAW = ("| header | what |\n|---|---|\n| `detent/time.hpp` | time |\n\n"
       "| room | what |\n|---|---|\n| `src/callers/` | up |\n| `src/wheel/` | middle |\n| `src/platform/` | ground |\n")


def function(lines):
    return "int long_one(int x) {\n" + "  ++x;\n" * (lines - 3) + "  return x;\n}\n"


def including(name):
    return HEADER + f"#include {name}\n"


def members(count):
    return HEADER + "class c {\n public:\n" + "".join(f"  int f{i}() const;\n" for i in range(count)) + "  int x = g(1);\n};\n"


# (path, text, what is found)
CASES = (
    ("core/src/a.cpp", SPDX + "//\n" * 300, "301: [file-length]"),
    ("core/src/a.cpp", SPDX + "//\n" * 299),
    ("tests/unit/a_test.cpp", SPDX + "//\n" * 319),
    ("tests/unit/a_test.cpp", SPDX + "//\n" * 320, "321: [file-length]"),
    ("modules/a/tests/a_test.cpp", SPDX + "//\n" * 319),
    ("modules/a/src/a.cpp", SPDX + "//\n" * 319, "301: [file-length]"),
    ("core/src/a.cpp", SPDX + "template <class F>\n" + function(71), "2: [function-length]"),
    ("core/src/a.cpp", SPDX + function(70)),
    ("core/src/a.cpp", SPDX + "enum class e {\n" + "  a,\n" * 80 + "};\n"),
    ("tools/a.py", "def f():\n" + "    pass\n" * 70, "1: [function-length]"),
    ("tools/a.sh", "f() {\n" + "  true\n" * 69 + "}\n", "1: [function-length]"),
    (BASE + "a.hpp", including("<detent/time.hpp>"), "3: [include]"),
    ("alloc/include/detent/alloc/a.hpp", including("<detent/base/b.hpp>")),
    (DETAIL + "a.hpp", including("<detent/engine.hpp>"), "3: [include]"),
    (DETAIL + "a.hpp", including("<concurrentqueue/concurrentqueue.h>"), "3: [include]"),
    (DETAIL + "a.hpp", including("<detent/time.hpp>")),
    ("modules/a/tests/a.hpp", including("<gtest/gtest.h>")),
    ("modules/a/src/a.hpp", including("<gtest/gtest.h>"), "3: [include]"),
    ("command/a.hpp", including("<detent/detail/b.hpp>"), "3: [include]"),
    ("command/a.hpp", including("<detent/engine.hpp>")),
    ("tests/product/install/a.hpp", including("<detent/base/b.hpp>"), "3: [include]"),
    ("core/src/wheel/a.hpp", including('"platform/b.hpp"')),
    ("core/src/wheel/a.hpp", including('"callers/b.hpp"'), "3: [include]"),
    ("core/src/attic/a.hpp", including('"wheel/b.hpp"'), "3: [include]"),
    ("core/src/wheel/a.hpp", including("<detent/engine.hpp>"), "3: [include]"),
    ("core/src/callers/a.hpp", including("<detent/engine.hpp>")),
    ("core/src/wheel/a.hpp", members(40)),
    ("core/src/wheel/a.hpp", members(41), "3: [class-size]"),
    ("core/src/a.cpp", SPDX + "int x = word.load(acquire);\n", "2: [unnumbered-order]"),
    ("core/src/a.cpp", SPDX + "base::full_fence();\n", "2: [unnumbered-order]"),
    ("core/src/a.cpp", SPDX + "word.store(call(1), release);\n", "2: [unnumbered-order]"),
    ("core/src/a.cpp", SPDX + "int x = word.load(acquire);  // (1) pairs with (2)\n"),
    ("core/src/a.cpp", SPDX + "// (1)\n//\n//\n//\nint x = word.load(acquire);\n"),
    ("core/src/a.cpp", SPDX + "// (1)\n//\n//\n//\n//\nint x = word.load(acquire);\n", "7: [unnumbered-order]"),
    (DETAIL + "a.hpp", HEADER + "std::atomic<int> x;\n", "3: [raw-atomic]"),
    ("core/src/a.cpp", SPDX + "int x = __atomic_load_n(&y, 0);\n", "2: [raw-atomic]"),
    (BASE + "a.hpp", HEADER + "#include <atomic>\ninline std::atomic<int> x;\n"),
    ("modules/a/src/a.cpp", SPDX + "std::atomic<int> x;\n", "2: [raw-atomic]"),
    ("modules/a/tests/a.cpp", SPDX + "std::atomic<int> x;\n"),
    ("core/src/a.cpp", SPDX + "#ifdef NDEBUG\n#endif\n", "2: [conditional]"),
    (BASE + "a.hpp", HEADER + "#ifdef NDEBUG\n#endif\n"),
    ("docs/a.md", "one\nTO" "DO: two\n", "2: [unfinished]"),
    ("docs/a.md", "mktemp a.XXXXXX\n"),
    ("docs/a.md", "see /ho" "me/me/notes\n", "1: [machine-path]"),
    ("core/src/a.cpp", "int x;\n", "1: [licence]"),
    (DETAIL + "a.hpp", SPDX, "1: [pragma-once]"),
    ("tools/cmake/a.cmake", "file(GLOB sources *.cpp)\n", "1: [glob]"),
    ("core/a.cmake", "file(GLOB sources CONFIGURE_DEPENDS *.cpp)\n", "1: [glob]"),
    ("modules/a/tests/a.cmake", "file(GLOB sources *.cpp)\n", "1: [glob]"),
    ("modules/a/tests/a.cmake", "file(GLOB sources CONFIGURE_DEPENDS *.cpp)\n"),
)


class TidyTest(unittest.TestCase):
    def found(self, files, lists=True):
        """What tidy prints, without the messages, for a tree of these files."""
        with tempfile.TemporaryDirectory() as directory:
            root = Path(directory)
            for name, text in ({"core/README.md": LAW} | files).items():
                (root / name).parent.mkdir(parents=True, exist_ok=True)
                (root / name).write_text(text)
            if lists:
                (root / "CMakeLists.txt").write_text("".join(f"  {name}\n" for name in files))
            run = subprocess.run([sys.executable, TOOLS / "tidy.py", root], capture_output=True, text=True, check=False)
            self.assertEqual("", run.stderr)
            findings = [line.split("]")[0] + "]" for line in run.stdout.splitlines() if ": [" in line]
            self.assertEqual(run.returncode, 1 if findings else 0)
            return findings

    def test_a_file_alone(self):
        for path, text, *findings in CASES:
            with self.subTest(path=path, text=text[:200]):
                self.assertEqual([f"{path}:{finding}" for finding in findings], self.found({path: text}))

    def test_order_of_the_commands_folders(self):
        order = {"command/README.md": "| folder | what |\n|---|---|\n| `text/` | a |\n| `top/` | b |\n"}
        for path, name, findings in (("command/text/a.hpp", "top/b.hpp", ["command/text/a.hpp:3: [include]"]),
                                     ("command/top/a.hpp", "text/b.hpp", [])):
            self.assertEqual(findings, self.found(order | {path: including(f'"{name}"')}))

    def test_one_folder_of_the_command_writes_to_standard_error(self):
        order = {"command/README.md": "| folder | what |\n|---|---|\n| `text/` | a |\n| `top/` | b |\n"}
        for path, line, findings in (("command/top/a.cpp", 'std::fputs("x", stderr);', ["command/top/a.cpp:2: [complaint]"]),
                                     ("command/top/a.cpp", "std::cerr << 1;", ["command/top/a.cpp:2: [complaint]"]),
                                     ("command/top/a.cpp", "f();  // stderr", []),
                                     ("command/text/a.cpp", 'std::fputs("x", stderr);', [])):
            files = {path: f"{SPDX}{line}\n", path.replace("a.cpp", "CMakeLists.txt"): "a.cpp\n"}
            self.assertEqual(findings, self.found(order | files))

    def test_the_engine_knows_no_module(self):
        module = {"modules/a/include/detent/b.hpp": HEADER, "modules/a/src/c.hpp": HEADER}
        for path, name, findings in (("core/src/callers/a.cpp", "<detent/b.hpp>", ["core/src/callers/a.cpp:3: [include]"]),
                                     ("core/include/detent/a.hpp", "<detent/b.hpp>", ["core/include/detent/a.hpp:3: [include]"]),
                                     ("alloc/src/a.cpp", '"c.hpp"', ["alloc/src/a.cpp:3: [include]"]),
                                     ("core/src/callers/a.cpp", "<detent/engine.hpp>", []),
                                     ("modules/d/src/a.cpp", "<detent/b.hpp>", [])):
            with self.subTest(path=path, name=name):
                self.assertEqual(findings, self.found(module | {path: including(name)}))

    def test_class_sources(self):
        files = {"core/src/wheel/a.hpp": HEADER + "class c {\n  void f();\n};\n"}
        for name in "xyz":
            files[f"core/src/wheel/{name}.cpp"] = SPDX + f"void c::f{name}() {{\n}}\n"
        self.assertEqual(["core/src/wheel/a.hpp:3: [class-sources]"], self.found(files))
        del files["core/src/wheel/z.cpp"]
        self.assertEqual([], self.found(files))

    def test_files_are_listed_one_by_one(self):
        lists = {"core/CMakeLists.txt": "add_library(a src/a.cpp)\n", "core/src/a.cpp": SPDX, "core/src/b.cpp": SPDX}
        self.assertEqual(["core/src/b.cpp:1: [unlisted]"], self.found(lists, lists=False))

    def test_a_folder_of_tests_may_look_for_its_files(self):
        lists = {"tests/a/CMakeLists.txt": "file(GLOB sources CONFIGURE_DEPENDS *_test.cpp)\n",
                 "tests/a/b_test.cpp": SPDX, "tests/a/c.cpp": SPDX}
        self.assertEqual(["tests/a/c.cpp:1: [unlisted]"], self.found(lists, lists=False))


if __name__ == "__main__":
    unittest.main()
