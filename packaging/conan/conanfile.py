# SPDX-License-Identifier: MIT
"""A recipe for Conan 2. Untested with Conan itself, which Debian 12 does not have; the tests of this tree run it with a made-up
Conan, and so know that it names what the tree has."""
import os
import re

from conan import ConanFile
from conan.errors import ConanInvalidConfiguration
from conan.tools.build import check_min_cppstd
from conan.tools.cmake import CMake, CMakeDeps, CMakeToolchain, cmake_layout
from conan.tools.files import copy, load, rmdir

ROOT = os.path.join("..", "..")  # of the sources, seen from here


class DetentRecipe(ConanFile):
    name = "detent"
    description = "A lock-free timer engine"
    license = "MIT"
    topics = ("timer", "timing-wheel", "lock-free", "low-latency")
    package_type = "library"
    settings = "os", "arch", "compiler", "build_type"
    options = {"shared": [True, False], "probes": [True, False]}
    default_options = {"shared": False, "probes": False}

    def set_version(self):
        header = load(self, os.path.join(self.recipe_folder, ROOT, "core", "include", "detent", "version.hpp"))
        self.version = ".".join(re.findall(r"^#define DETENT_VERSION_(?:MAJOR|MINOR|PATCH) (\d+)$", header, re.MULTILINE))

    def export_sources(self):
        root = os.path.join(self.recipe_folder, ROOT)
        for part in ("core", "alloc", "modules", "tools/cmake"):
            copy(self, "*", os.path.join(root, part), os.path.join(self.export_sources_folder, part))
        for file in ("CMakeLists.txt", "LICENSE", "README.md", "CHANGELOG.md"):
            copy(self, file, root, self.export_sources_folder)

    def validate(self):
        if self.settings.os != "Linux" or self.settings.arch not in ("x86_64", "armv8"):
            raise ConanInvalidConfiguration("detent runs on Linux, on x86_64 and aarch64")
        check_min_cppstd(self, 20)

    def requirements(self):
        # Headers that the library is built with: no public one includes them.
        self.requires("concurrentqueue/1.0.4", headers=True, libs=False, visible=False)

    def layout(self):
        cmake_layout(self)

    def generate(self):
        toolchain = CMakeToolchain(self)
        directories = self.dependencies["concurrentqueue"].cpp_info.includedirs
        places = [os.path.join(each, below) for each in directories for below in ("", "concurrentqueue", "moodycamel")]
        toolchain.cache_variables["DETENT_CONCURRENTQUEUE_INCLUDE_DIR"] = next(
            (each for each in places if os.path.exists(os.path.join(each, "concurrentqueue.h"))), directories[0])
        toolchain.cache_variables["DETENT_USDT"] = "ON" if self.options.probes else "OFF"
        for part in ("TESTS", "BENCH", "STRESS", "TOOLS", "EXAMPLES", "CALENDAR", "DURABLE"):
            toolchain.cache_variables[f"DETENT_BUILD_{part}"] = False
        toolchain.generate()
        CMakeDeps(self).generate()

    def build(self):
        cmake = CMake(self)
        cmake.configure()
        cmake.build()

    def package(self):
        copy(self, "LICENSE", self.source_folder, os.path.join(self.package_folder, "licenses"))
        CMake(self).install()
        for made in (("lib", "cmake"), ("lib", "pkgconfig"), ("share",)):  # Conan makes its own
            rmdir(self, os.path.join(self.package_folder, *made))

    def package_info(self):
        self.cpp_info.libs = ["detent"]
        self.cpp_info.system_libs = ["pthread"]
        self.cpp_info.set_property("cmake_file_name", "detent")
        self.cpp_info.set_property("cmake_target_name", "detent::detent")
        self.cpp_info.set_property("pkg_config_name", "detent")
