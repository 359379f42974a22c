#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A header with its plain comments as Doxygen reads them: `// ` above a declaration becomes `/// `, after one `///< `.

usage: api_comments.py HEADER     prints it

Declarations that follow one another without a blank line share the comment above the first.
"""
import re
import sys
from pathlib import Path

sys.dont_write_bytecode = True  # a build leaves the sources as they are
sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools"))
import tidy_text

SCOPE = re.compile(r"\b(namespace|class|struct|union|enum|extern)\b")
TEMPLATE = re.compile(r"^template\s*<.*?>\s+(?=[\w:\[])")
ACCESS = re.compile(r"(public|protected|private)\s*:$")
INTERNAL = "#define DETENT_DETAIL_"
TABLE_ROW = re.compile(r"\s{2,}(\S.*?)\s{2,}(\S.*)")
WORD = re.compile(r"^[a-z]+(?=[\s,.;:]|$)(?!::)")
# A member that is defined below its class, where its declaration says all there is to say.
BELOW = re.compile(r"[^(={]*\b\w+::~?\w+\(")
HEADING = re.compile(r"-+ .* -+$")
# Of the standard library's templates, for this library's types: readers of the types need not know.
SPECIALISATION = "template <>"
# What means something to Doxygen and nothing to the comment's author, outside of `code`.
SPECIAL = re.compile(r"(`[^`]*`)|([<>@\\#&])")
IN_ITS_WAY = re.compile(r"\((max|min)\)|^static_assert\(.*\);")


def escaped(text):
    return SPECIAL.sub(lambda found: found.group(1) or "\\" + found.group(2), text)


def documentation(comments, indent):
    """The comment lines, for Doxygen; rows of two columns become a list."""
    lines, in_list = [], False
    for comment in comments:
        text = comment.strip()[2:]
        if HEADING.match(text.strip()):
            continue
        row = TABLE_ROW.match(text)
        if in_list and not row and not text.startswith("   "):
            lines.append("")
        in_list = bool(row) or (in_list and text.startswith("   "))
        if row and (not lines or not lines[-1].startswith("-")):
            lines.append("")
        lines.append(f"- {row.group(1)}: {escaped(row.group(2))}" if row else escaped(text.strip()))
    return [f"{indent}/// {line}".rstrip() for line in lines]


def with_trailing(line):
    at = line.find("//")
    if at < 0:
        return line
    remark = escaped(line[at + 2:].strip())
    return f"{line[:at]}///< {WORD.sub(lambda found: found.group().capitalize(), remark)}"


class Header:
    """Goes through a header line by line, and remembers in which scope it is and what was said of which function."""

    def __init__(self, text):
        self.lines = text.splitlines()
        self.code = [line.strip() for line in tidy_text.without_comments(text).splitlines()]
        self.out, self.held, self.scopes = [], [], []
        self.said = ("", [])  # the family of the function above, and its comment
        self.begun = []  # lines of a declaration that goes on
        self.private_in = 0  # how many scopes deep the private part is; 0: this is none

    def converted(self):
        begin = self._file_comment()
        for number in range(begin, len(self.lines)):
            self._take(self.lines[number], self.code[number])
        return "\n".join(self.out + self.held) + "\n"

    def _file_comment(self):
        """What the file is for stands below the licence."""
        end = 1
        while end < len(self.lines) and self.lines[end].startswith("//"):
            end += 1
        self.out += ["/// @file", *documentation(self.lines[1:end], "")]
        return end

    def _take(self, line, code):
        if not self.begun and line.strip().startswith("//"):
            self.held.append(line)
        elif not self.begun and (not code or code.startswith(("#", "}")) or ACCESS.match(code)):
            self._pass(line, code)
        else:
            self._declare(line, code)

    def _pass(self, line, code):
        """The comments above belong to no declaration. Private sections stay out."""
        left = self.scopes.pop() if code.startswith("}") and self.scopes else ""
        access = ACCESS.match(code)
        if len(self.scopes) < self.private_in or (access and len(self.scopes) == self.private_in):
            self.private_in = 0
        if access and access.group(1) == "private" and not self.private_in:
            self.private_in = len(self.scopes)
        if left != SPECIALISATION and not self.private_in and not code.startswith(INTERNAL):
            self.out += [*self.held, line]
        self.held, self.said = [], ("", [])

    def _declare(self, line, code):
        self.begun.append((line, code))
        text = " ".join(code for _, code in self.begun)
        depth = sum(text.count(c) for c in "{(") - sum(text.count(c) for c in "})")
        plain = TEMPLATE.sub("", text)
        scope = SCOPE.search(plain)
        if code.endswith("{") and depth == 1 and scope and "(" not in plain[:scope.start()]:
            self.scopes.append(SPECIALISATION if text.startswith(SPECIALISATION) else scope.group(1))
            self._end("")
        elif self.scopes[-1:] == ["enum"] or (depth == 0 and code.endswith((";", "}"))):
            self._end(self._family())

    def _family(self):
        """schedule_at and try_schedule_after are of one: the second has the comment of the first."""
        text = TEMPLATE.sub("", " ".join(code for _, code in self.begun))
        name = re.match(r"[^(={]*?(\w+)\(", text)
        return name.group(1).removeprefix("try_").split("_")[0] if name else ""

    def _end(self, family):
        comments = self.held or (self.said[1] if family and family == self.said[0] else [])
        lines = [line for line, _ in self.begun]
        below = "class" not in self.scopes and BELOW.match(TEMPLATE.sub("", " ".join(code for _, code in self.begun)))
        hidden = (self.private_in or below or self.begun[0][1].startswith(SPECIALISATION)
                  or self.scopes[-1:] == [SPECIALISATION])
        if not hidden:
            self.out += documentation(comments, lines[0][:len(lines[0]) - len(lines[0].lstrip())])
            lines = [with_trailing(lines[0])] if len(lines) == 1 else lines
            self.out += [IN_ITS_WAY.sub(lambda found: found.group(1) or "", line) for line in lines]
        self.held, self.begun, self.said = [], [], (family, comments)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__.split("\n\n")[1])
    print(Header(Path(sys.argv[1]).read_text(encoding="utf-8")).converted(), end="")
