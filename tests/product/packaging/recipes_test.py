#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The recipes for Conan and vcpkg name what the tree has. Debian has neither tool: both run with made-up ones.

usage: recipes_test.py ROOT CMAKE     ROOT: the sources; CMAKE: the program
"""
import importlib.util
import json
import re
import subprocess
import sys
import tempfile
import types
import unittest
from pathlib import Path
from unittest import mock

sys.dont_write_bytecode = True

STUBS = """
cmake_minimum_required(VERSION 3.21)
set(CURRENT_INSTALLED_DIR "@WORK@/installed")
set(CURRENT_PACKAGES_DIR "@WORK@/packages")
set(PORT detent)
set(FEATURES tools)
foreach(name vcpkg_check_features vcpkg_cmake_configure vcpkg_cmake_install vcpkg_cmake_config_fixup vcpkg_fixup_pkgconfig
    vcpkg_copy_tools vcpkg_install_copyright)
  cmake_language(EVAL CODE "function(${name})
    file(APPEND \\"@WORK@/calls\\" \\"${name};\\${ARGN}\\n\\")
  endfunction()")
endforeach()
include("@PORT@")
"""


def options_of_the_build():
    """Every option and cache variable that the CMake files declare."""
    text = "".join((ROOT / file).read_text(encoding="utf-8")
                   for file in ("CMakeLists.txt", "tools/cmake/concurrentqueue.cmake",
                                "tools/cmake/dependencies.cmake"))
    return set(re.findall(r"(?:option|set|find_path)\((DETENT_\w+)", text))


def version_of_the_tree():
    text = (ROOT / "core/include/detent/version.hpp").read_text(encoding="utf-8")
    return ".".join(re.findall(r"#define DETENT_VERSION_\w+ (\d+)", text))


class Vcpkg(unittest.TestCase):
    def setUp(self):
        with tempfile.TemporaryDirectory() as work:
            script = Path(work) / "run.cmake"
            port = ROOT / "packaging/vcpkg/portfile.cmake"
            script.write_text(STUBS.replace("@WORK@", work).replace("@PORT@", str(port)), encoding="utf-8")
            done = subprocess.run([CMAKE, "-P", script], capture_output=True, text=True, check=False)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            lines = (Path(work) / "calls").read_text(encoding="utf-8").splitlines()
            self.calls = {line.split(";")[0]: line.split(";")[1:] for line in lines}
            self.usage = (Path(work) / "packages/share/detent/usage").read_text(encoding="utf-8")

    def test_it_configures_this_tree_with_options_that_there_are(self):
        configured = self.calls["vcpkg_cmake_configure"]
        self.assertEqual(Path(configured[configured.index("SOURCE_PATH") + 1]), ROOT)
        said = {word[2:].split("=")[0] for word in configured if word.startswith("-D")}
        said |= {word for word in self.calls["vcpkg_check_features"] if word.startswith("DETENT_")}
        self.assertGreater(len(said), 2)
        self.assertLessEqual(said, options_of_the_build())

    def test_its_features_are_those_of_the_manifest(self):
        manifest = json.loads((ROOT / "packaging/vcpkg/vcpkg.json").read_text(encoding="utf-8"))
        checked = self.calls["vcpkg_check_features"]
        after = checked[checked.index("FEATURES") + 1:]
        self.assertEqual(set(after[::2]), set(manifest["features"]))
        self.assertEqual(manifest["version-semver"], version_of_the_tree())

    def test_the_target_has_the_name_that_it_has_everywhere(self):
        self.assertIn("detent::detent", self.usage)
        self.assertIn("detent", self.calls["vcpkg_cmake_config_fixup"])


class Anything:
    """Takes every call and remembers what it was given by name."""

    def __init__(self, *_):
        self.properties, self.cache_variables = {}, {}

    def set_property(self, name, value):
        self.properties[name] = value

    def __getattr__(self, name):
        return lambda *_, **__: None


def made_up_conan():
    modules = {name: types.ModuleType(name) for name in (
        "conan", "conan.errors", "conan.tools", "conan.tools.build", "conan.tools.cmake", "conan.tools.files")}
    modules["conan"].ConanFile = type("ConanFile", (), {})
    modules["conan.errors"].ConanInvalidConfiguration = type("ConanInvalidConfiguration", (Exception,), {})
    modules["conan.tools.build"].check_min_cppstd = modules["conan.tools.build"].can_run = lambda *_: True
    for name in ("CMake", "CMakeDeps", "CMakeToolchain", "cmake_layout"):
        setattr(modules["conan.tools.cmake"], name, Anything)
    modules["conan.tools.files"].load = lambda _, path: Path(path).read_text(encoding="utf-8")
    modules["conan.tools.files"].copy = modules["conan.tools.files"].rmdir = lambda *_: None
    return modules


def recipe(path):
    with mock.patch.dict(sys.modules, made_up_conan()):
        spec = importlib.util.spec_from_file_location("recipe", path)
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
    return module


class Conan(unittest.TestCase):
    def setUp(self):
        self.module = recipe(ROOT / "packaging/conan/conanfile.py")
        self.made = self.module.DetentRecipe()
        self.made.recipe_folder = str(ROOT / "packaging/conan")
        self.made.export_sources_folder = "export"

    def test_its_version_is_the_trees(self):
        self.made.set_version()
        self.assertEqual(self.made.version, version_of_the_tree())

    def test_what_it_exports_is_there(self):
        copied = []
        self.module.copy = lambda _, pattern, source, *__: copied.append((pattern, Path(source)))
        self.made.export_sources()
        for pattern, source in copied:
            self.assertTrue(list(source.glob(pattern)), f"{source}/{pattern}")
        # Everything that the root's CMakeLists.txt always reads is among it.
        text = (ROOT / "CMakeLists.txt").read_text(encoding="utf-8")
        always = re.findall(r"^(?:include|add_subdirectory)\(([\w./]+)\)", text, re.MULTILINE)
        exported = {source.resolve() for _, source in copied}
        for part in always:
            path = (ROOT / part).resolve()
            self.assertTrue(exported & {path, *path.parents} - {ROOT}, part)

    def test_it_sets_options_that_there_are(self):
        toolchain = Anything()
        self.module.CMakeToolchain = lambda _: toolchain
        self.made.options = types.SimpleNamespace(probes=False)
        with tempfile.TemporaryDirectory() as work:
            (Path(work) / "moodycamel").mkdir()
            (Path(work) / "moodycamel/concurrentqueue.h").touch()
            needed = types.SimpleNamespace(cpp_info=types.SimpleNamespace(includedirs=[work]))
            self.made.dependencies = {"concurrentqueue": needed}
            self.made.generate()
            self.assertEqual(toolchain.cache_variables["DETENT_CONCURRENTQUEUE_INCLUDE_DIR"], f"{work}/moodycamel")
        self.assertLessEqual(set(toolchain.cache_variables), options_of_the_build())

    def test_the_target_has_the_name_that_it_has_everywhere(self):
        self.made.cpp_info = Anything()
        self.made.package_info()
        self.assertEqual(self.made.cpp_info.properties["cmake_target_name"], "detent::detent")

    def test_its_own_test_uses_that_name(self):
        recipe(ROOT / "packaging/conan/test_package/conanfile.py")
        text = (ROOT / "packaging/conan/test_package/CMakeLists.txt").read_text(encoding="utf-8")
        self.assertIn("target_link_libraries(program PRIVATE detent::detent)", text)


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__.split("\n\n")[1])
    ROOT, CMAKE = Path(sys.argv[1]).resolve(), sys.argv[2]
    unittest.main(argv=sys.argv[:1])
