# SPDX-License-Identifier: MIT
"""What tidy.py has to know of the text of a file: comments, functions, tables."""
import ast
import re

# A comment, a raw string, a string, or a character: whichever comes first. A quote inside a number (1'000) is none.
TOKEN = re.compile(
    r"//[^\n]*|/\*.*?\*/|R\"(?P<d>[^()\\\s]{0,16})\(.*?\)(?P=d)\""
    r"|\"(?:\\.|[^\"\\\n])*\"|(?<![0-9a-fA-F])'(?:\\.|[^'\\\n])+'", re.DOTALL)
DIRECTIVE = re.compile(r"^[ \t]*#(?:[^\n]*\\\n)*[^\n]*", re.MULTILINE)
SCOPE = re.compile(r"(?:^|[\s)\]>])(?:namespace|class|struct|union|enum|extern)\b")
ACCESS = re.compile(r"\s*(?:(?:public|protected|private)\s*:\s*)*")
CLASS = re.compile(r"^ *(?:template <[^\n]*>\s*)?(?:class|struct)(?: alignas\([^)]*\))? (\w+)[^;{()]*\{", re.MULTILINE)
# A declaration of a function: a name before parentheses, which no initialiser precedes.
MEMBER = re.compile(r"\s*(?:(?:public|private|protected):\s*)*(?!\s|friend|using|static_assert|enum|class|struct)[^={]*?[\w~=()<>!\]]\s*\(", re.DOTALL)
CONTROL = {"if", "for", "while", "switch", "catch", "return"}
CALLABLE = re.compile(r"([\w:~]+|operator\s*\S+?)\s*\(")
ROOM_ROW = re.compile(r"^\| `src/(\w+)/` \|", re.MULTILINE)
HEADER_ROW = re.compile(r"^\|\s*`(detent/[\w./]+)`\s*\|", re.MULTILINE)


def _blank(match):
    return re.sub(r"[^\n]", " ", match.group())


def without_comments(text):
    """The text with comments blanked and strings emptied, line by line where it was. Include lines stay."""
    def replace(match):
        found = match.group()
        line_before = text[text.rfind("\n", 0, match.start()) + 1:match.start()]
        if found.startswith('"') and line_before.lstrip().startswith("#"):
            return found
        return _blank(match)
    return TOKEN.sub(replace, text)


def comment_of(line):
    """What follows // in a line, or the whole line inside a block comment."""
    stripped = line.strip()
    if stripped.startswith(("*", "/*")):
        return stripped
    return line[line.find("//"):] if "//" in line else ""


def cpp_functions(code):
    """(line, name, length) of each outermost function body in code without comments."""
    code = DIRECTIVE.sub(_blank, code)
    found, scopes, head_start, parens = [], [], 0, 0
    for i, c in enumerate(code):
        if c == "(":
            parens += 1
        elif c == ")":
            parens = max(0, parens - 1)
        elif c == "{":
            head = code[head_start:i]
            inside = bool(scopes) and scopes[-1] is not None
            scopes.append(scopes[-1] if inside else _function_of(code, head, head_start) if parens == 0 else None)
            if inside:
                continue
            if scopes[-1] is None and parens == 0:
                head_start = i + 1
        elif c == "}" and scopes:
            function = scopes.pop()
            if function and (not scopes or scopes[-1] is None):
                line, name = function
                found.append((line, name, code.count("\n", 0, i) + 2 - line))
            if not scopes or scopes[-1] is None:
                head_start = i + 1
        elif c == ";" and parens == 0 and (not scopes or scopes[-1] is None):
            head_start = i + 1
    return found


def _function_of(code, head, start):
    """(line, name) if the text before a brace heads a function, else None."""
    plain = re.sub(r"template\s*<[^{};]*?>\s*(?=[\w\[])", "", head, count=1)
    call = CALLABLE.search(plain)
    scope = SCOPE.search(" " + plain)
    if not call or (scope and scope.start() < call.start()) or call.group(1) in CONTROL:
        return None
    first = start + ACCESS.match(head).end()
    return code.count("\n", 0, first) + 1, call.group(1)


def python_functions(text):
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            yield node.lineno, node.name, node.end_lineno - node.lineno + 1


def shell_functions(text):
    lines = text.splitlines()
    for number, line in enumerate(lines):
        if opened := re.match(r"(\w+)\(\)\s*\{\s*$", line):
            end = next((i for i in range(number, len(lines)) if lines[i] == "}"), len(lines) - 1)
            yield number + 1, opened.group(1), end - number + 1


def table_of_headers(markdown):
    """The headers in the first column of the tables of core/README.md."""
    return set(HEADER_ROW.findall(markdown))


def table_of_rooms(text):
    """The rooms of core/src in a Markdown table, from the ground up: its first row is the highest."""
    return ROOM_ROW.findall(text)[::-1]


def cpp_classes(code):
    """(line, name, member functions) of each class with a body, in code without comments. A nested one counts for itself."""
    found = []
    for match in CLASS.finditer(code):
        at, depth, members, statement = match.end(), 1, 0, match.end()
        while depth and at < len(code):
            c = code[at]
            if depth == 1 and c in "{;":
                members += bool(MEMBER.match(code[statement:at]))
            depth += (c == "{") - (c == "}")
            if depth == 1 and c in "};":
                statement = at + 1
            at += 1
        found.append((code.count("\n", 0, match.start()) + 1, match.group(1), members))
    return found
