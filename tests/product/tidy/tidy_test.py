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

    def expect(self, path, text, *findings):
        self.assertEqual([f"{path}:{finding}" for finding in findings], self.found({path: text}))

    def test_file_length(self):
        self.expect("core/src/a.cpp", SPDX + "//\n" * 300, "301: [file-length]")
        self.expect("core/src/a.cpp", SPDX + "//\n" * 299)
        self.expect("tests/unit/a_test.cpp", SPDX + "//\n" * 319)
        self.expect("tests/unit/a_test.cpp", SPDX + "//\n" * 320, "321: [file-length]")

    def test_function_length(self):
        self.expect("core/src/a.cpp", SPDX + function(71), "2: [function-length]")
        self.expect("core/src/a.cpp", SPDX + function(70))
        inside = SPDX + "namespace n {\nclass c final : public b<int> {\n public:\n" + function(71) + "};\n}\n"
        self.expect("core/src/a.cpp", inside, "5: [function-length]")
        self.expect("core/src/a.cpp", SPDX + "template <class F>\n" + function(71), "2: [function-length]")
        self.expect("core/src/a.cpp", SPDX + "const char* s = \"{ ( \";\n" + function(71), "3: [function-length]")
        self.expect("core/src/a.cpp", SPDX + "enum class e {\n" + "  a,\n" * 80 + "};\nint t[] = {\n" + "  1,\n" * 80 + "};\n")
        self.expect("tools/a.py", "def f():\n" + "    pass\n" * 70, "1: [function-length]")
        self.expect("tools/a.sh", "f() {\n" + "  true\n" * 69 + "}\n", "1: [function-length]")

    def test_include_direction(self):
        def header(path, name, *findings):
            self.expect(path, HEADER + f"#include <{name}>\n", *findings)
        up = "3: [include]"
        header(BASE + "a.hpp", "detent/alloc/b.hpp", up)
        header(BASE + "a.hpp", "detent/time.hpp", up)
        header("alloc/include/detent/alloc/a.hpp", "detent/time.hpp", up)
        header("alloc/include/detent/alloc/a.hpp", "detent/base/b.hpp")
        header("core/include/detent/time.hpp", "detent/detail/b.hpp", up)
        header(DETAIL + "a.hpp", "detent/engine.hpp", up)
        header(DETAIL + "a.hpp", "detent/time.hpp")
        header(DETAIL + "a.hpp", "detent/alloc/b.hpp")
        header(DETAIL + "a.hpp", "concurrentqueue/concurrentqueue.h", up)
        header("core/include/detent/engine.hpp", "detent/detail/b.hpp")
        header("core/include/detent/engine.hpp", "concurrentqueue/concurrentqueue.h", up)
        header("core/src/wheel/a.hpp", "fmt/format.h", up)
        header("alloc/src/a.hpp", "jemalloc/jemalloc.h", up)
        header("command/a.hpp", "detent/detail/b.hpp", up)
        header("command/a.hpp", "detent/engine.hpp")
        order = {"command/README.md": "| folder | what |\n|---|---|\n| `text/` | a |\n| `top/` | b |\n"}
        for path, name, findings in (("command/text/a.hpp", "top/b.hpp", ["command/text/a.hpp:3: [include]"]),
                                     ("command/top/a.hpp", "text/b.hpp", []), ("command/top/a.hpp", "top/b.hpp", [])):
            self.assertEqual(findings, self.found(order | {path: HEADER + f'#include "{name}"\n'}))
        header("tests/product/install/a.hpp", "detent/base/b.hpp", up)

    def test_rooms(self):
        def includes(path, name, *findings):
            self.expect(path, HEADER + f'#include "{name}"\n', *findings)
        up = "3: [include]"
        includes("core/src/wheel/a.hpp", "platform/b.hpp")
        includes("core/src/wheel/a.hpp", "wheel/b.hpp")
        includes("core/src/wheel/a.hpp", "callers/b.hpp", up)
        includes("core/src/platform/a.hpp", "wheel/b.hpp", up)
        includes("core/src/attic/a.hpp", "wheel/b.hpp", up)
        self.expect("core/src/wheel/a.hpp", HEADER + "#include <detent/engine.hpp>\n", up)
        self.expect("core/src/wheel/a.hpp", HEADER + "#include <detent/time.hpp>\n")
        self.expect("core/src/callers/a.hpp", HEADER + "#include <detent/engine.hpp>\n")

    def test_class_size(self):
        def members(count):
            return HEADER + "class c {\n public:\n" + "".join(f"  int f{i}() const;\n" for i in range(count)) + \
                "  int x = g(1);\n  friend int h();\n};\n"
        self.expect("core/src/wheel/a.hpp", members(40))
        self.expect("core/src/wheel/a.hpp", members(41), "3: [class-size]")

    def test_class_sources(self):
        files = {"core/src/wheel/a.hpp": HEADER + "class c {\n  void f();\n};\n"}
        for name in "xyz":
            files[f"core/src/wheel/{name}.cpp"] = SPDX + f"void c::f{name}() {{\n}}\n"
        self.assertEqual(["core/src/wheel/a.hpp:3: [class-sources]"], self.found(files))
        del files["core/src/wheel/z.cpp"]
        self.assertEqual([], self.found(files))

    def test_ordered_operations_are_numbered(self):
        def body(text, *findings):
            self.expect("core/src/a.cpp", SPDX + text, *findings)
        bare = "[unnumbered-order]"
        body("int x = word.load(acquire);\n", "2: " + bare)
        body("int x = word.load(base::seq_cst);\n", "2: " + bare)
        body("word.compare_exchange_strong(a, b, acq_rel, relaxed);\n", "2: " + bare)
        body("base::full_fence();\n", "2: " + bare)
        body("// (1) acquire: pairs with (2).\nint x = word.load(acquire);\n")
        body("int x = word.load(acquire);  // (1) pairs with (2)\n")
        body("// (1)\n//\n//\n//\nint x = word.load(acquire);\n")
        body("// (1)\n//\n//\n//\n//\nint x = word.load(acquire);\n", "7: " + bare)
        body("word.store(call(1), release);\n", "2: " + bare)
        body("timer t = scoped.release();\n// acquire, release\nint x = word.load(relaxed);\n")
        self.expect(BASE + "a.hpp", HEADER + "inline auto f() { return g(acquire); }\n")

    def test_atomics_come_from_base(self):
        self.expect(DETAIL + "a.hpp", HEADER + "std::atomic<int> x;\n", "3: [raw-atomic]")
        self.expect("alloc/src/a.cpp", SPDX + "#include <atomic>\n", "2: [raw-atomic]")
        self.expect("core/src/a.cpp", SPDX + "int x = __atomic_load_n(&y, 0);\n", "2: [raw-atomic]")
        self.expect(BASE + "a.hpp", HEADER + "#include <atomic>\ninline std::atomic<int> x;\n")
        self.expect("tests/unit/a_test.cpp", SPDX + "std::atomic<int> x;\n")

    def test_conditionals_stay_in_base(self):
        self.expect("core/src/a.cpp", SPDX + "#ifdef NDEBUG\n#endif\n", "2: [conditional]")
        self.expect("command/a.cpp", SPDX + "#if defined(__linux__)\n#endif\n", "2: [conditional]")
        self.expect("core/src/a.cpp", SPDX + "#ifdef __cpp_exceptions\n#else\n#endif\n// #ifdef X\n")
        self.expect(BASE + "a.hpp", HEADER + "#ifdef NDEBUG\n#endif\n")

    def test_nothing_unfinished_and_no_path_of_a_machine(self):
        for word in ("TO" "DO", "FIX" "ME", "XX" "X", "HA" "CK"):
            self.expect("docs/a.md", f"one\n{word}: two\n", "2: [unfinished]")
        self.expect("docs/a.md", "mktemp a.XXXXXX\n")
        self.expect("docs/a.md", "see /ho" "me/me/notes\n", "1: [machine-path]")
        self.expect("docs/a.md", "see https://example.org/wo" "rk/notes and wo" "rk/notes\n")

    def test_form_of_a_source(self):
        self.expect("core/src/a.cpp", "int x;\n", "1: [licence]")
        self.expect(DETAIL + "a.hpp", SPDX, "1: [pragma-once]")

    def test_files_are_listed_one_by_one(self):
        self.expect("tools/cmake/a.cmake", "file(GLOB sources *.cpp)\n", "1: [glob]")
        lists = {"core/CMakeLists.txt": "add_library(a src/a.cpp)\n", "core/src/a.cpp": SPDX, "core/src/b.cpp": SPDX}
        self.assertEqual(["core/src/b.cpp:1: [unlisted]"], self.found(lists, lists=False))
        bench = {"bench/CMakeLists.txt": "set(programs\n  speed\n)\n", "bench/speed.cpp": SPDX}
        self.assertEqual([], self.found(bench, lists=False))


if __name__ == "__main__":
    unittest.main()
