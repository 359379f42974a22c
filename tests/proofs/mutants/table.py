# SPDX-License-Identifier: MIT
"""docs/evidence/mutants.md, which is made from the mutants."""

HEAD = """<!-- SPDX-License-Identifier: MIT -->
# The mutants, and what kills them

{count} small faults, {orders} of them nothing but a weaker memory order or a missing fence. Each is put into a copy of the
sources, and the layer named here must fail; a survivor fails the run, and so does a layer that fails without the fault as
well. `ctest -R mutants` does it, `tests/proofs/mutants/mutants.py --table` has made this page from `tests/proofs/mutants/protocols/*.toml`, and
a test proves that it is current.

- `proofs.x` is a suite of the explorer, `tests/proofs/protocols/x.cpp`: all interleavings and all that the memory model allows,
  within its bounds.
- `Suite.Name` is a unit test, in the program whose source the TOML names.

A column says with **o** that only an order is weaker. What is `in` a file of `tests/proofs/protocols` is a fault in the part of the
engine's sources that the suite repeats there; all others are in the sources themselves.
"""


def cell(text):
    return text.replace("|", "\\|")


def place(file):
    """The name of a source; of a test, which repeats one, the whole path."""
    return file if file.startswith("tests/") else file.rsplit("/", 1)[1]


def page(protocols):
    mutants = [each for protocol in protocols for each in protocol.mutants]
    lines = [HEAD.format(count=len(mutants), orders=sum(each.order for each in mutants))]
    for protocol in protocols:
        lines += [f"## {protocol.title}", "", "| mutant | in | | killed by |", "|---|---|---|---|"]
        for each in protocol.mutants:
            killer = f"proofs.{each.suite}" if each.suite else each.kills
            lines.append(f"| {cell(each.name)} | {place(each.file)} | {'o' if each.order else ''} | `{killer}` |")
        lines.append("")
    return "\n".join(lines)


def show(protocols, path, check):
    """Prints the page, or says whether `path` is it."""
    made = page(protocols)
    if not check:
        print(made, end="")
        return 0
    if path.is_file() and path.read_text(encoding="utf-8") == made:
        print(f"{path} is current")
        return 0
    print(f"{path} is not what --table prints: write it again")
    return 1
