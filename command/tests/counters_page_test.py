#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The page on counters files says what the header <detent/counters_layout.hpp> says, and its reader reads."""
import re
import subprocess
import sys

sys.dont_write_bytecode = True
from command_support import ROOT, WithDirectory, run_tests

BYTES = {"u8": 1, "u32": 4, "i64": 8, "u64": 8}
TYPES = {"u8": "std::uint8_t", "u32": "std::uint32_t", "i64": "std::int64_t", "u64": "std::uint64_t"}


def members(text, name):
    """The enumerators of an enum of the header."""
    body = re.search(rf"enum class {name} : std::uint8_t {{(.*?)}};", text, re.DOTALL).group(1)
    return re.findall(r"(\w+)\s*(?:,|$)", re.sub(r"//[^\n]*", "", body))[:-1]  # without count_


class Page(WithDirectory):
    def setUp(self):
        super().setUp()
        self.page, self.layout = ((ROOT / name).read_text(encoding="utf-8")
                                  for name in ("docs/counters.md", "core/include/detent/counters_layout.hpp"))

    def words(self, header):
        table = self.page[self.page.index(header):].split("\n\n")[0]
        return re.findall(r"^\| (\d+) \| `(\w+)`", table, re.MULTILINE)

    def test_the_headers_table_is_the_struct(self):
        rows = re.findall(r"^\| (\d+) \| (\w+)(?: bytes)? \| `(\w+)` \|", self.page, re.MULTILINE)
        struct = re.search(r"struct header {(.*?)\n};", self.layout, re.DOTALL).group(1)
        fields = re.findall(r"^  ([\w:]+) (\w+)(?:\[(\d+)\])?;", struct, re.MULTILINE)
        self.assertEqual([row[2] for row in rows], [field[1] for field in fields])
        offset = 0
        for (at, kind, name), (of, _, length) in zip(rows, fields):
            self.assertEqual(int(at), offset, name)
            self.assertEqual(of, TYPES.get(kind, "char"), name)
            self.assertEqual(kind if kind.isdigit() else "", length, name)
            offset += BYTES.get(kind) or int(kind)
        self.assertEqual(offset, 848)

    def test_the_tables_of_words_are_the_enumerations(self):
        for header, name in (("| word | gauge |", "gauge"), ("| word | counter |", "counter"),
                             ("| number | histogram |", "cause")):
            self.assertEqual(self.words(header), [(str(i), one) for i, one in enumerate(members(self.layout, name))])
        counts = re.search(r"^\| count \|(.*)$", self.page, re.MULTILINE).group(1)
        self.assertEqual(re.findall(r"`(\w+)`", counts), members(self.layout, "label_counter"))

    def test_the_headers_table_says_how_many_of_each_there_are(self):
        for field, name in (("gauge_count", "gauge"), ("counter_count", "counter"), ("histogram_count", "cause")):
            said = re.search(rf"^\| \d+ \| u32 \| `{field}` \|.*?(\d+) \|$", self.page, re.MULTILINE)[1]
            self.assertEqual(int(said), len(members(self.layout, name)), field)

    def test_the_reader_reads_what_detent_stat_reads(self):
        code = re.search(r"^```python\n(.*?)^```$", self.page, re.MULTILINE | re.DOTALL).group(1)
        file = self.sample()
        said = subprocess.run([sys.executable, "-c", code, file], check=True, capture_output=True, text=True, timeout=60).stdout
        engine = self.said("stat", file)["engines"][0]
        totals = [int(word) for word in said.splitlines()[0].split()[1:]]
        counts = engine["counts"]
        names = members(self.layout, "counter")
        told = dict(zip(names, totals))
        told["cancelled"] += told["cancelled_running"]
        self.assertEqual(told, {name: counts[name] for name in names})
        for name, p50, p99 in re.findall(r"^(\w+): p50 (\d+) ns, p99 (\d+) ns$", said, re.MULTILINE):
            histogram = engine["histograms_ns"][name]
            self.assertAlmostEqual(int(p50), histogram["p50"], delta=0.01 * int(p50), msg=name)
            self.assertAlmostEqual(int(p99), histogram["p99"], delta=0.01 * int(p99), msg=name)
        self.assertEqual(said.count("\n"), 7)

    def test_the_metrics_in_the_table_are_those_that_are_printed(self):
        section = self.page[self.page.index("## Prometheus"):]
        named = set()
        for pattern in re.findall(r"`(detent_[\w{},]+)`", "\n".join(
                line.split("|")[1] for line in section.splitlines() if line.startswith("| `"))):
            before, brace, rest = pattern.partition("{")
            inside, _, behind = rest.partition("}")
            named |= {before + one + behind for one in inside.split(",")} if brace else {pattern}
        text = self.printed("stat", "--prometheus", self.sample())
        self.assertEqual(named, set(re.findall(r"^# TYPE (\w+) ", text, re.MULTILINE)))


if __name__ == "__main__":
    run_tests()
