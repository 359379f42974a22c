#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The pages on packages and versions name what there is. Their commands for a fresh Debian are run there, by
`./tools/dev package --check`.

usage: pages_test.py ROOT     ROOT: the sources
"""
import re
import subprocess
import sys
import unittest
from pathlib import Path

sys.dont_write_bytecode = True


def text(path):
    return (ROOT / path).read_text(encoding="utf-8")


class Pages(unittest.TestCase):
    pages = ("docs/packages.md", "docs/abi.md", "docs/one-file.md")

    def test_every_block_of_commands_is_bash(self):
        for page in self.pages:
            for block in re.findall(r"^```sh.*?\n(.*?)^```$", text(page), re.MULTILINE | re.DOTALL):
                subprocess.run(["bash", "-n", "-c", block], check=True)

    def test_what_tools_dev_is_asked_for_is_a_command_with_a_line_in_its_help(self):
        said = subprocess.run(["bash", ROOT / "tools/dev"], capture_output=True, text=True, check=True).stdout
        asked = {found for page in self.pages for found in re.findall(r"\./tools/dev ([a-z]+(?: --[a-z]+)?)", text(page))}
        self.assertLessEqual({"package", "package --check", "abi", "abi --record", "release"}, asked)
        functions = set(re.findall(r"^cmd_(\w+)\(\)", "".join(text(file) for file in (ROOT / "tools/dev.d").iterdir()),
                                   re.MULTILINE))
        for command in asked:
            name, _, option = command.partition(" ")
            self.assertIn(name, functions)
            self.assertRegex(said, rf"(?m)^  {name}\b.*{option}")

    def test_each_block_for_a_fresh_debian_is_run_there(self):
        blocks = text("docs/packages.md").count("\n```sh fresh\n")
        run = re.findall(r"page_block (\d+)$", text("packaging/check_in_root.bash"), re.MULTILINE)
        self.assertEqual(run, [str(number + 1) for number in range(blocks)])

    def test_the_packages_have_their_names(self):
        (number,) = re.findall(r"^set\(DETENT_SOVERSION (\d+)\)", text("CMakeLists.txt"), re.MULTILINE)
        names = {f"libdetent{number}", f"libdetent-calendar{number}", f"libdetent-durable{number}",
                 f"libdetent-durable-redis{number}", f"libdetent-durable-postgres{number}", "libdetent-dev", "detent-tools"}
        listed = re.findall(r"^\| ((?:lib)?detent\S*) \|", text("docs/packages.md"), re.MULTILINE)
        self.assertEqual(set(listed), names)
        (purged,) = re.findall(r"^apt-get purge ((?:.*\\\n)*.*)$", text("docs/packages.md"), re.MULTILINE)
        self.assertEqual(set(purged.replace("\\\n", " ").split()), names)
        self.assertIn(f"libdetent.so.{number}", text("docs/abi.md"))

    def test_every_page_that_names_the_version_names_this_one(self):
        version = ".".join(re.findall(r"#define DETENT_VERSION_\w+ (\d+)", text("core/include/detent/version.hpp")))
        for page, words in (("README.md", "Version {}:"), ("CHANGELOG.md", "## {} ("), ("docs/abi.md", "The **version**, {},"),
                            ("docs/packages.md", "the version is {},"), ("docs/getting-started.md", "\ndetent {}\n")):
            self.assertIn(words.format(version), text(page), page)

    def test_the_files_that_they_name_are_there(self):
        for page in self.pages:
            for name in re.findall(r"`((?:packaging|c|core|docs|tools)/[\w./-]+)`", text(page)):
                self.assertTrue((ROOT / name).exists(), f"{page}: {name}")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__.split("\n\n")[1])
    ROOT = Path(sys.argv[1])
    unittest.main(argv=sys.argv[:1])
