#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The rules of the tree that no compiler knows.

usage: tidy.py [ROOT]     prints file:line: [rule] for each finding; exit status 1 if there is one
"""
import re
import sys
from fnmatch import fnmatch
from pathlib import Path

sys.dont_write_bytecode = True  # a test leaves the sources as they are
import tidy_text

MAX_LINES, MAX_TEST_LINES, MAX_FUNCTION = 300, 320, 70
MAX_MEMBERS, MAX_SOURCES = 40, 2  # functions of a class, and the sources that define them
CODE = {".hpp", ".h", ".cpp", ".c"}
SOURCE_DIRS = ("core", "alloc", "modules", "command", "bench", "examples", "packaging", "stress", "tests", "tools")
# The engine, and what is compiled into programs with it.
ENGINE = ("core/", "alloc/", "modules/")
# Folders that the engine has at the top of the tree, and a module or the command inside it.
OUTER = ("tests/", "bench/", "chaos/")
SKIPPED = {"build", ".git", ".cache", "__pycache__", "data"}
LAYERS = ("base", "alloc", "values", "detail", "public")
SRC = "core/src/"
GROUND = SRC + "limits.hpp"  # below all rooms
# Third-party headers, and what may include them.
FOREIGN = {
    "concurrentqueue/": ("core/src/submission/", "modules/pools/", "tests/", "bench/"),
    "sqlite3.h": ("modules/durable/",),
    "CLI/": ("command/", "chaos/", "tests/", "bench/", "stress/", "examples/"),
    "sys/sdt.h": ("core/src/platform/",),
    "fmt/": ("command/", "tests/", "bench/", "stress/", "examples/"),
    "zlib.h": ("command/", "tests/"),
    "jemalloc/": ("command/", "tests/", "bench/", "stress/"),
    "gtest/": ("tests/",),
    "gmock/": ("tests/",),
    "benchmark/": ("bench/",),
    "asio/": ("modules/asio/",),
    "asio.hpp": ("modules/asio/tests/",),
    "boost/": ("modules/asio/", "bench/", "examples/rpc/"),
    "hiredis/": ("examples/lease/", "modules/durable/src/redis/", "modules/durable/tests/redis/", "modules/durable/bench/"),
    "stdexec/": ("modules/senders/",),
    "oneapi/": ("modules/tbb/",),
    "uv.h": ("tests/product/event_loops/", "bench/peers/"),
    "liburing.h": ("tests/product/event_loops/",),
}
ORDERED = re.compile(
    r"(?<![\w.>])(?:(?:detent::)?base::|std::memory_order_|std::memory_order::)?"
    r"(?:acquire|release|acq_rel|seq_cst)\b(?=\s*[,)?:])|(?<!void )\bfull_fence\(\)")
NUMBER = re.compile(r"\([A-Z]?\d+[a-z]?\)")
RAW_ATOMIC = re.compile(r"std::(?:atomic|memory_order)|__atomic_|__sync_|#\s*include\s*<atomic>")
UNFINISHED = re.compile(r"\b(?:TO" r"DO|FIX" r"ME|X" r"XX|HA" r"CK)\b")
MACHINE_PATH = re.compile(r"(?<![\w.:/$}>*-])/(?:home|root|work|Users|mnt|farm)/\w")
GROUND_FOLDER = "${DETENT_GROUND}"  # in a list of sources: the folder of the one that the build stands on
CONDITIONAL = re.compile(r"^\s*#\s*(?:if|ifdef|ifndef|elif)\b(.*)$")
CONDITION_ALLOWED = re.compile(r"\b(?:__cpp_exceptions|DETENT_ATOMIC_HEADER|__cplusplus|DETENT_DETENT_H)\b")
INCLUDE = re.compile(r'^\s*#\s*include\s*[<"]([^>"]+)[>"]')
MODULE_HEADER = re.compile(r"modules/(?:\w+/)?(?:include|src)/(.+\.hp*)$")
COMMAND_FOLDER = re.compile(r"^\| `(\w+)/` \|", re.MULTILINE)
TESTS_OF_FOLDER = "detent_add_engine_tests("  # it looks for *_test.cpp itself
GLOB = re.compile(r"file\s*\(\s*GLOB\w*\s+\w+\s+(?:RELATIVE\s+\S+\s+)?(CONFIGURE_DEPENDS\s+([^)]*))?", re.IGNORECASE)


def lies_in(path, folders):
    """Whether a path lies in one of these folders; those of OUTER are meant wherever they are."""
    return path.startswith(folders) or any(f"/{outer}" in path for outer in OUTER if outer in folders)


class Tree:
    """The files below a root, and what has been found in them."""

    def __init__(self, root):
        self.root = Path(root).resolve()
        self.findings = []
        self.files = sorted(self._walk(self.root))
        law = self.root / "core/README.md"
        order = self.root / "command/README.md"
        self.command_folders = COMMAND_FOLDER.findall(order.read_text()) if order.exists() else []
        self.value_headers = tidy_text.table_of_headers(law.read_text()) if law.exists() else set()
        self.rooms = tidy_text.table_of_rooms(law.read_text()) if law.exists() else []
        of_modules = (MODULE_HEADER.match(each.relative_to(self.root).as_posix()) for each in self.files)
        self.module_headers = {found.group(1) for found in of_modules if found}

    def _walk(self, directory):
        for entry in directory.iterdir():
            if entry.name in SKIPPED:
                continue
            if entry.is_dir():
                yield from self._walk(entry)
            elif entry.is_file():
                yield entry

    def report(self, path, line, rule, text):
        self.findings.append(f"{path}:{line}: [{rule}] {text}")

    def check(self):
        for file in self.files:
            path = file.relative_to(self.root).as_posix()
            try:
                text = file.read_text(encoding="utf-8")
            except UnicodeDecodeError:
                continue
            self._check_words(path, text)
            if not path.startswith(SOURCE_DIRS) and path != "CMakeLists.txt":
                continue
            self._check_length(path, text)
            if file.suffix in CODE:
                self._check_code(path, text)
            elif file.suffix == ".py":
                self._check_functions(path, tidy_text.python_functions(text))
            elif file.suffix in (".sh", ".bash") or text.startswith("#!/usr/bin/env bash"):
                self._check_functions(path, tidy_text.shell_functions(text))
            elif file.name == "CMakeLists.txt" or file.suffix == ".cmake":
                self._check_cmake(path, text)
        self._check_listed()
        self._check_classes()
        return self.findings

    def _check_words(self, path, text):
        for number, line in enumerate(text.splitlines(), 1):
            if (found := UNFINISHED.search(line)) and not path.endswith(".svg"):  # a drawing program's own scripts
                self.report(path, number, "unfinished", f"'{found.group()}'")
            if found := MACHINE_PATH.search(line):
                self.report(path, number, "machine-path", f"'{found.group()}...' is a path of somebody's machine")

    def _check_length(self, path, text):
        count = len(text.splitlines())
        limit = MAX_TEST_LINES if lies_in(path, ("tests/",)) else MAX_LINES
        if count > limit:
            self.report(path, limit + 1, "file-length", f"{count} lines; at most {limit}")

    def _check_code(self, path, text):
        lines = text.splitlines()
        if not lines or lines[0] != "// SPDX-License-Identifier: MIT":
            self.report(path, 1, "licence", "line 1 is not '// SPDX-License-Identifier: MIT'")
        if path.endswith(".hpp") and "#pragma once" not in lines:
            self.report(path, 1, "pragma-once", "a header without '#pragma once'")
        code = tidy_text.without_comments(text)
        self._check_functions(path, tidy_text.cpp_functions(code))
        self._check_includes(path, lines)
        self._check_command(path, lines, code.splitlines())
        self._check_conditionals(path, code.splitlines())
        if path.startswith(ENGINE) and not lies_in(path, OUTER) and "/detent/base/" not in path:
            self._check_atomics(path, code.splitlines(), lines)

    def _check_functions(self, path, functions):
        for line, name, length in functions:
            if length > MAX_FUNCTION:
                self.report(path, line, "function-length", f"{name}: {length} lines; at most {MAX_FUNCTION}")

    def _layer_of_header(self, name):
        if name.startswith("detent/base/"):
            return "base"
        if name.startswith("detent/alloc/"):
            return "alloc"
        if name.startswith("detent/detail/"):
            return "detail"
        return "values" if name in self.value_headers else "public"

    def _layer_of_file(self, path):
        if path.startswith("alloc/"):
            return "alloc"
        if path.startswith("core/include/"):
            return self._layer_of_header(path.removeprefix("core/include/"))
        return "public" if path.startswith(SRC) else None

    def _room(self, path):
        """The number of the room of core/src that a path lies in, from the ground up; None: it lies in none."""
        name = path.split("/")[0]
        return self.rooms.index(name) if name in self.rooms else None

    def _check_rooms(self, path, number, name):
        here, there = self._room(path.removeprefix(SRC)), self._room(name)
        if path == GROUND:
            if there is not None:
                self.report(path, number, "include", f"\"{name}\" of a room, and all rooms include this")
        elif here is None:
            self.report(path, number, "include", f"core/README.md knows no room {path.removeprefix(SRC).split('/')[0]}")
        elif there is not None and there > here:
            self.report(path, number, "include", f"{self.rooms[here]} includes \"{name}\" of the higher {self.rooms[there]}")

    def _check_includes(self, path, lines):
        layer = self._layer_of_file(path)
        for number, line in enumerate(lines, 1):
            if not (found := INCLUDE.match(line)):
                continue
            name = found.group(1)
            for prefix, allowed in FOREIGN.items():
                if name.startswith(prefix) and not lies_in(path, allowed):
                    self.report(path, number, "include", f"<{name}> is none of this module's dependencies")
            if path.startswith(("core/", "alloc/")) and name in self.module_headers:
                self.report(path, number, "include", f"<{name}> is a module's, and the engine knows none")
            if path.startswith(SRC):
                self._check_rooms(path, number, name)
            if not name.startswith("detent/"):
                continue
            target = self._layer_of_header(name)
            if path.startswith(SRC) and target == "public" and "callers" in self.rooms:
                here = self._room(path.removeprefix(SRC))
                if here is not None and here < self.rooms.index("callers"):
                    self.report(path, number, "include", f"{self.rooms[here]} includes <{name}>, which is no value")
            if layer and LAYERS.index(target) > LAYERS.index(layer):
                self.report(path, number, "include", f"{layer} includes <{name}> of the higher layer {target}")
            if path.startswith(("command/", "examples/", "tests/product/install/")) and name.replace(
                    "detent/recipes/", "detent/").count("/") > 1:
                self.report(path, number, "include", f"<{name}> is not public")

    def _check_command(self, path, lines, code):
        """A folder of the command includes headers of those above it in the table of command/README.md, and only text/
        writes to standard error."""
        own = path.removeprefix("command/").split("/")[0]
        if not path.startswith("command/") or own not in self.command_folders:
            return
        for number, line in enumerate(code, 1):
            if own != "text" and re.search(r"\b(?:stderr|cerr)\b", line):
                self.report(path, number, "complaint", "complain() of text/complaint.hpp writes to stderr and cannot fail")
        higher = self.command_folders[self.command_folders.index(own) + 1:]
        for number, line in enumerate(lines, 1):
            if (found := INCLUDE.match(line)) and found.group(1).split("/")[0] in higher:
                self.report(path, number, "include", f"command/{own} includes \"{found.group(1)}\" of a higher folder")

    def _check_conditionals(self, path, lines):
        if "/detent/base/" in path or path.startswith((SRC + "platform/", "tests/support/platform/")):
            return
        for number, line in enumerate(lines, 1):
            if (found := CONDITIONAL.match(line)) and not CONDITION_ALLOWED.search(found.group(1)):
                self.report(path, number, "conditional", f"'{line.strip()}' outside base/ and platform/")

    def _check_atomics(self, path, code, lines):
        for number, line in enumerate(code, 1):
            if found := RAW_ATOMIC.search(line):
                self.report(path, number, "raw-atomic", f"'{found.group()}': use <detent/base/atomic.hpp>")
            if found := ORDERED.search(line):
                around = range(max(0, number - 5), min(len(lines), number + 1))
                if not any(NUMBER.search(tidy_text.comment_of(lines[i])) for i in around):
                    self.report(path, number, "unnumbered-order", f"'{found.group()}': no comment with a (n) near it")

    def _check_cmake(self, path, text):
        if path == "tests/product/install/stage.cmake":  # it reads an installed tree
            return
        for number, line in enumerate(text.splitlines(), 1):
            if (found := GLOB.search(line)) and not (found.group(1) and lies_in(path, ("tests/",))):
                self.report(path, number, "glob", "files are listed one by one; a folder of tests may GLOB them, CONFIGURE_DEPENDS")

    def _check_listed(self):
        """Each source is named in the CMakeLists.txt nearest above it, or matches what that looks for; so do the headers of
        the library."""
        for file in self.files:
            path = file.relative_to(self.root).as_posix()
            header = file.suffix == ".hpp" and path.startswith(ENGINE) and not lies_in(path, OUTER)
            wanted = file.suffix == ".cpp" or header
            if not wanted or not path.startswith(SOURCE_DIRS) or path.startswith("tests/product/install/"):
                continue
            lists = next((d / "CMakeLists.txt" for d in file.parents if (d / "CMakeLists.txt").exists()), None)
            if lists is None:
                self.report(path, 1, "unlisted", "no CMakeLists.txt above it")
                continue
            name = file.relative_to(lists.parent).as_posix()
            stem = name.removesuffix(".cpp").removesuffix("_test")  # programs are listed without the suffix
            listed = rf"(?:^|[\s/\"(])(?:{re.escape(name)}|{re.escape(stem)}(?:_test)?)(?=[\s\")]|$)"
            text = lists.read_text().replace(GROUND_FOLDER, file.parent.name)
            looked_for = [pattern for _, patterns in GLOB.findall(text) for pattern in patterns.split()]
            if TESTS_OF_FOLDER in text:
                looked_for.append("*_test.cpp")
            if not re.search(listed, text, re.MULTILINE) and not any(fnmatch(name, pattern) for pattern in looked_for):
                self.report(path, 1, "unlisted", f"not named in {lists.relative_to(self.root).as_posix()}")

    def _check_classes(self):
        """A class of core/src has one job: so many member functions at most, defined in so many sources."""
        code = {}
        for file in self.files:
            path = file.relative_to(self.root).as_posix()
            if path.startswith(SRC) and file.suffix in CODE:
                code[path] = tidy_text.without_comments(file.read_text(encoding="utf-8"))
        for path, text in code.items():
            for line, name, members in tidy_text.cpp_classes(text):
                if members > MAX_MEMBERS:
                    self.report(path, line, "class-size", f"{name}: {members} member functions; at most {MAX_MEMBERS}")
                defines = re.compile(rf"^(?! ).*\b{name}(?:<\w+>)?::~?\w+\(", re.MULTILINE)
                sources = [each for each, other in code.items() if each.endswith(".cpp") and defines.search(other)]
                if path.endswith(".hpp") and len(sources) > MAX_SOURCES:
                    self.report(path, line, "class-sources", f"{name}: defined in {', '.join(sources)}; at most {MAX_SOURCES}")


def main():
    if len(sys.argv) > 2 or (len(sys.argv) == 2 and not Path(sys.argv[1]).is_dir()):
        sys.exit(__doc__.split("\n\n")[1])
    tree = Tree(sys.argv[1] if len(sys.argv) == 2 else Path(__file__).parent.parent)
    findings = tree.check()
    print("\n".join(findings) if findings else f"tidy: {len(tree.files)} files, nothing found")
    sys.exit(1 if findings else 0)


if __name__ == "__main__":
    main()
