# SPDX-License-Identifier: MIT
"""The page of the mutants, which is made from the mutants and not kept."""

HEAD = """<!-- SPDX-License-Identifier: MIT -->
# The mutants, and what kills them

{faults} small faults and {orders} weaker orders. Each is put into the sources, and what is named here must fail; a survivor
fails the run. `ctest -R mutants` does it, and `tests/proofs/mutants/mutants.py --root . --table` has made this page.

- `suite.Scenario` is a scenario of the explorer, in `tests/proofs/protocols/suite.cpp`: all interleavings and all that the
  memory model allows, within its bounds.
- `Suite.Name` is a unit test.

What is `in` a file of `tests/proofs/protocols` is a fault in the part of the engine's sources that the suite repeats there;
all others are in the sources themselves.
"""
ORDERS = """## Weaker orders

Generated from the sources: the suites that pass the operation are run until one of them fails.

| operation | order | weaker |
|---|---|---|"""


def cell(text):
    return text.replace("|", "\\|")


def place(file):
    """The name of a source; of a test, which repeats one, the whole path."""
    return file if file.startswith("tests/") else file.rsplit("/", 1)[1]


def page(mutants, titles, weaker):
    lines = [HEAD.format(faults=len(mutants), orders=len(weaker))]
    for protocol, title in titles.items():
        lines += [f"## {title}", "", "| mutant | in | killed by |", "|---|---|---|"]
        lines += [f"| {cell(each.name)} | {place(each.file)} | `{each.killer}` |" for each in mutants if each.protocol == protocol]
        lines.append("")
    lines.append(ORDERS)
    lines += [f"| `{cell(str(each.operation))}` | {each.operation.order} | {each.order} |" for each in weaker]
    return "\n".join(lines) + "\n"
