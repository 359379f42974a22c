#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The parts of docs/site: comments become Doxygen's, and both link checkers find what is dead.

usage: site_parts_test.py DOCS_SITE [unittest option ...]
"""
import sys
import tempfile
import unittest
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, sys.argv.pop(1))
import api_comments
import built_links
import markdown_links

LICENCE = "// SPDX-License-Identifier: MIT\n"


def converted(text):
    return api_comments.Header(LICENCE + text).converted().splitlines()[1:]


class Comments(unittest.TestCase):
    def test_above_a_declaration_they_document_it(self):
        self.assertEqual(converted("\n// Adds one.\nint next(int x);\n"), ["", "/// Adds one.", "int next(int x);"])

    def test_behind_a_member_they_document_it(self):
        self.assertEqual(converted("struct s {\n  int a;  // of the file\n  int b;  // b_b is\n};\n"),
                         ["struct s {", "  int a;  ///< Of the file", "  int b;  ///< b_b is", "};"])

    def test_the_licence_is_none_and_the_file_s_purpose_is_one(self):
        out = api_comments.Header(LICENCE + "// The clock.\n#pragma once\n").converted()
        self.assertEqual(out, "/// @file\n/// The clock.\n#pragma once\n")

    def test_overloads_share_what_stands_above_the_first(self):
        text = "// Lock-free.\nvoid set_at(int);\nvoid set_after(int);\nvoid other();\n\nvoid set_on(int);\n"
        self.assertEqual(converted("\n" + text)[1:], [
            "/// Lock-free.", "void set_at(int);", "/// Lock-free.", "void set_after(int);", "void other();", "",
            "void set_on(int);"])

    def test_those_of_templates_too(self):
        text = ("\n// Lock-free.\ntemplate <class F, class G = int>\ntimer set_at(F f) {\n  // inside\n  return f;\n}\n"
                "template <class F>\ntimer try_set_after(F f);\n")
        self.assertEqual([line for line in converted(text) if "//" in line], ["/// Lock-free.", "  // inside", "/// Lock-free."])

    def test_specialisations_for_others_are_left_out(self):
        text = "\ntemplate <>\nstruct std::hash<t> {\n  int f() const {\n    return 1;\n  }\n};\nint x;\n"
        self.assertEqual(converted(text), ["", "int x;"])
        self.assertEqual(converted("\ntemplate <>\nstruct std::is<t> : std::true_type {};\nint x;\n"), ["", "int x;"])

    def test_what_is_private_is_left_out(self):
        text = ("\nclass a {\n public:\n  struct b {\n   private:\n    int c;\n  };\n  int d;\n\n private:\n  // e\n  int f;\n"
                "  struct g {\n   public:\n    int h;\n  };\n  int i;\n public:\n  int j;\n private:\n  int k;\n};\nint x;\n"
                "#define DETENT_DETAIL_X 1\n#define Y\n")
        kept = ["class a {", "public:", "struct b {", "};", "int d;", "", "public:", "int j;", "};", "int x;", "#define Y"]
        self.assertEqual([line.strip() for line in converted(text)[1:]], kept)

    def test_those_inside_a_function_stay(self):
        text = "int f() {\n  // not said to users\n  return 1;  // nor this\n}"
        self.assertEqual("\n".join(converted("\n" + text)[1:]), text)

    def test_those_of_nothing_stay(self):
        self.assertEqual(converted("\n// Alone.\n\nint x;\n}  // namespace\n")[1:], ["// Alone.", "", "int x;", "}  // namespace"])

    def test_enumerators_do_not_share(self):
        self.assertEqual(converted("\nenum class e {\n  // The first.\n  a,\n  b  // second\n};\n")[1:],
                         ["enum class e {", "  /// The first.", "  a,", "  b  ///< Second", "};"])

    def test_rows_become_a_list(self):
        text = "\n// With:\n//   none      it has\n//             elapsed\n// Until then.\nint f();\n"
        self.assertEqual(converted(text)[1:], ["/// With:", "///", "/// - none: it has", "/// elapsed", "///", "/// Until then.", "int f();"])

    def test_what_doxygen_would_take_for_its_own_is_escaped_outside_of_code(self):
        self.assertEqual(converted("\n// <a> @b `<c>`\nint x;\n")[1], "/// \\<a\\> \\@b `<c>`")


class WithTree(unittest.TestCase):
    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.root = Path(directory.name).resolve()

    def write(self, path, text):
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")


class MarkdownLinks(WithTree):
    def found(self, text):
        self.write("README.md", text)
        self.write("docs/groups.md", "# The first\n## `code` & more: a-b\n## The first\n")
        self.write("docs/a picture.svg", "")
        return list(markdown_links.findings(self.root))

    def test_live_ones_are_not_told(self):
        self.assertEqual(self.found(
            "# Top\n[a](docs/groups.md) [b](docs/groups.md#the-first) [c](docs/groups.md#code--more-a-b) [d](#top)\n"
            "[e](docs/groups.md#the-first-1) [f](docs) [g](https://example.org/x)\n"
            "`[h](nowhere.md)` `` [i](`x`.md) ``\n```cpp\n[](detent::firing& f) { }\n```\n"), [])

    def test_dead_ones_are(self):
        for link, problem in (("nowhere.md", "there is no such file"), ("docs/groups.md#nowhere", "there is no such heading"),
                              ("#nowhere", "there is no such heading"), ("../outside.md", "there is no such file")):
            self.assertEqual(self.found(f"x\n\n![x]({link})\n"), [f"README.md:3: {link}: {problem}"])

    def test_links_around_pictures_are_looked_at(self):
        self.assertEqual(len(self.found("[![x](no.svg)](nowhere.md)\n")), 1)

    def test_a_page_without_a_place_is_told(self):
        self.write("docs/stray.md", "")
        self.assertEqual(self.found(""), ["docs/stray.md:1: has no place in docs/site/navigation.py"])


class BuiltLinks(WithTree):
    def found(self, link):
        self.write("index.html", f'<a href="{link}">x</a><p id="here">')
        self.write("deep/page.html", '<h1 id="there"></h1><img src="../picture%20one.png">')
        self.write("picture one.png", "")
        return list(built_links.findings(self.root))

    def test_live_ones_are_not_told(self):
        for link in ("deep/page.html#there", "#here", "#", "", "deep/page.html", "https://example.org", "mailto:x@y"):
            self.assertEqual(self.found(link), [], link)

    def test_dead_ones_are(self):
        self.assertEqual(self.found("nowhere.html"), ["index.html: nowhere.html: there is no such file"])
        self.assertEqual(self.found("deep/page.html#no"), ["index.html: deep/page.html#no: there is no such place"])
        self.assertEqual(self.found("../index.html"), ["index.html: ../index.html: there is no such file"])
        self.assertEqual(self.found("deep"), ["index.html: deep: there is no such file"])


if __name__ == "__main__":
    unittest.main()
