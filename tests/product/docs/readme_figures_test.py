#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The figures that README.md and the FAQ quote are those of docs/benchmarks.md, which `./tools/dev bench` writes.

usage: readme_figures_test.py ROOT
"""
import re
import sys
from pathlib import Path

# The rows of README.md's table, by their names in docs/benchmarks.md.
NAMES = {"*the bare operations*": "*floor*", "**detent**": "**detent**", "std::multimap + mutex": "multimap", "Netty": "netty",
         "DPDK rte_timer": "dpdk", "tokio DelayQueue": "tokio-delay-queue", "Go": "go", "JDK": "jdk",
         "Boost.Asio, others post to its thread": "asio-post", "Boost.Asio, timers of each thread": "asio"}
COLUMNS = ("1 live", "1 000 live", "100 000 live", "1 000 000 live", "1 live, 4 producers")


def cells(line):
    return [cell.strip().strip("*").replace("\u202f", " ").replace("\u00a0", " ") if place else cell.strip()
            for place, cell in enumerate(line.strip().strip("|").split("|"))]


def tables(text):
    """Yields (headings, {first cell: the others by heading}) of each table."""
    for block in re.findall(r"^\|.*\n\|[ :|-]+\n(?:\|.*\n)+", text, re.MULTILINE):
        head, _, *rows = block.splitlines()
        heads = cells(head)
        yield heads, {cells(row)[0]: dict(zip(heads[1:], cells(row)[1:])) for row in rows}


def number(cell):
    return float(re.match(r"[\d ]+(?:\.\d+)?", cell)[0].replace(" ", ""))


def quoted(text, said, *expected):
    """Yields a line for each figure that is not the measured one, rounded to as many places."""
    found = re.search(r"\s+".join(said.split(" ")), text)
    if not found:
        yield f"nothing is said like: {said}"
        return
    for figure, measured in zip(found.groups(), expected):
        if float(figure) != round(measured, len(figure.partition(".")[2])):
            yield f"{' '.join(found[0].split())}: {figure} was measured as {measured}"


def main(root):
    readme, faq, page = (Path(root, name).read_text(encoding="utf-8") for name in ("README.md", "docs/faq.md", "docs/benchmarks.md"))
    measured = list(tables(page))
    late = next(rows for heads, rows in measured if heads[0] == "µs late")
    memory = next(rows for heads, rows in measured if heads[:2] == ["system", "bytes a timer"])
    cpu = [rows for heads, rows in measured if heads[0] == "ns a pair"][1]
    detent, rival = late["**detent**"], late["multimap"]
    wrong = [
        *quoted(readme, r"starts ([\d.]+) µs after its deadline and costs ([\d.]+) % of one core", number(detent["p50"]),
                number(detent["CPU %"])),
        *quoted(readme, r"most punctual of twelve other systems is ([\d.]+) µs late and takes ([\d.]+) %", number(rival["p50"]),
                number(rival["CPU %"])),
        *quoted(readme, r"cancelling one costs ([\d.]+) ns of CPU", number(cpu["**detent**"]["1 live"])),
        *quoted(readme, r"pending timer takes ([\d.]+) bytes", number(memory["**detent**"]["bytes a timer"])),
        *quoted(faq, r"a timer takes ([\d.]+) bytes", number(memory["**detent**"]["bytes a timer"])),
        *quoted(faq, r"about ([\d.]+) % of one CPU", number(detent["CPU %"])),
    ]
    for heads, rows in tables(readme):
        if heads[0] == "system":
            for name, row in rows.items():
                other = cpu[NAMES.get(name, name)]
                wrong += [f"{name}, {column}: {said} in README.md, {other[column]} in docs/benchmarks.md"
                          for said, column in zip(row.values(), COLUMNS) if number(said) != number(other[column])]
    sys.exit("\n".join(wrong) if wrong else 0)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__.split("\n\n")[1])
    main(sys.argv[1])
