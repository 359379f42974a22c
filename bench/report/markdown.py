# SPDX-License-Identifier: MIT
"""Tables in Markdown."""


def cell(text):
    """Any text as the content of a table's cell."""
    return " ".join(str(text).replace("|", "\\|").replace("<", "&lt;").split())


def table(header, rows):
    """The first column is text, the others are figures and stand to the right. Cells are Markdown already."""
    lines = [header, ["---"] + ["---:"] * (len(header) - 1), *rows]
    return "\n".join("| " + " | ".join(each) + " |" for each in lines)


def list_table(header, rows):
    """All columns are text."""
    return "\n".join("| " + " | ".join(each) + " |" for each in [header, ["---"] * len(header), *rows])
