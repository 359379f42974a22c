#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The report page beside what the command prints of the same run."""
import html.parser
import sys

sys.dont_write_bytecode = True
from command_support import HEADER, WithDirectory, data, run_tests

PERCENTILES = ("p50", "p90", "p99", "p99.9", "p99.99", "max")


class Page(html.parser.HTMLParser):
    """The page's table rows as lists of texts, its headings, and all its text; what does not nest or asks for something."""

    WITH_TEXT = ("th", "td", "h1", "h2", "h3")

    def __init__(self, text):
        super().__init__()
        self.rows, self.headings, self.text, self.figures, self.open, self.problems = [], [], "", 0, [], []
        self._into = None
        self.feed(text)
        self.close()
        self.problems += self.open

    def handle_startendtag(self, tag, attributes):
        pass

    def handle_starttag(self, tag, attributes):
        self.problems += [f"{name}={value}" for name, value in attributes if name in ("src", "href") or name.startswith("on")]
        self.problems += ["script"] * (tag == "script")
        self.open += [tag] * (tag != "meta")
        self.figures += tag == "figure"
        if tag == "tr":
            self.rows.append([])
        if tag in self.WITH_TEXT:
            self._into = self.rows[-1] if tag.startswith("t") else self.headings
            self._into.append("")

    def handle_endtag(self, tag):
        if not self.open or self.open.pop() != tag:
            self.problems.append(f"</{tag}>")
        if tag in self.WITH_TEXT:
            self._into = None

    def handle_data(self, said):
        self.text += said
        if self._into is not None:
            self._into[-1] += said

    def row(self, name):
        return next(each[1:] for each in self.rows if each and each[0] == name)


def time_text(ns):
    """As the command writes it."""
    value, unit = float(ns), 0
    while unit < 3 and value >= 999.5:
        value, unit = value / 1000, unit + 1
    digits = 0 if value >= 99.95 else 1 if value >= 9.995 else 2
    text = f"{value:.{digits}f}"
    return (text.rstrip("0").rstrip(".") if digits else text) + " " + ("ns", "us", "ms", "s")[unit]


class Reports(WithDirectory):
    def run_with_report(self, *arguments):
        """What the command printed as JSON, and the page of the same run."""
        said = self.said(*arguments, "--report", self.path("report.html"))
        with open(self.path("report.html"), encoding="utf-8") as file:
            text = file.read()
        page = Page(text)
        self.assertEqual(page.problems, [])
        self.assertNotRegex(text, r"url\(|https?:|\bnan\b|\binf\b")
        return said, page

    def assert_percentiles(self, said, row):
        self.assertEqual(row[0], f"{said['samples']:,}")
        self.assertEqual(row[1:], [time_text(said[name]) for name in PERCENTILES])

    def test_figures_are_those_of_the_run(self):
        said, page = self.run_with_report("run", "--duration", "2s", "--delay", "1ms..9ms", "--seed", "7")
        self.assertEqual(page.figures, 6)
        self.assert_percentiles(said["lateness_ns"], page.row("timers of the engine"))
        self.assertEqual(page.row("bare clock_nanosleep")[0], "400")
        self.assert_percentiles(said["bare_sleep_ns"], page.row("bare clock_nanosleep"))
        self.assert_percentiles(said["bare_spin_loop_ns"], page.row("bare spin loop"))
        for name in ("scheduled", "cancelled", "fired"):
            self.assertEqual(page.row(name), [f"{said[name]:,}"])
        self.assertIn("detent run --timers 1000 --producers 1 --cancel 0.9 --delay 1ms..9ms --duration 2s --seed 7 "
                      "--wheel hierarchical --wait hybrid", page.text)

    def test_the_causes_shares_add_up(self):
        _, page = self.run_with_report("run", "--duration", "2s", "--delay", "1ms..9ms", "--cancel", "0")
        shares = [page.row(name)[0] for name in ("drain", "wait", "worker", "dispatch")]
        self.assertAlmostEqual(sum(float(share.rstrip(" %")) for share in shares), 100, delta=0.3)
        self.assertEqual(shares[3], "0 %")  # no executor
        self.assertRegex(page.text, r"Of all the time lost, [\d.]+ % went by ")

    def test_a_load_of_which_nothing_fires(self):
        said, page = self.run_with_report("run", "--duration", "50ms", "--cancel", "0", "--delay", "1000s..2000s")
        self.assertEqual(said["fired"], 0)
        self.assertIn("No timer fired, so none was late.", page.text)
        self.assertEqual(page.figures, 1)  # what was pending

    def test_a_trace_of_nothing_and_one_of_one_timer(self):
        nothing, one = self.write("0.csv", HEADER), self.write("1.csv", HEADER + b"0,S,1,1000,x\n")
        for trace, fired in ((nothing, 0), (one, 1)):
            for options in (["--to-end"], ["--virtual", "--to-end"]):
                said, page = self.run_with_report("replay", trace, *options)
                self.assertEqual(said["fired"], fired)
                self.assertIn("Why were timers late?", page.headings)
                self.assertEqual(page.row("fired"), [str(fired)])

    def test_the_doctor_is_asked_only_where_the_host_matters(self):
        _, live = self.run_with_report("run", "--duration", "50ms")
        self.assertIn("The doctor on this host", live.headings)
        self.assertTrue(any(each[1:2] == ["timer slack"] or "slack" in " ".join(each) for each in live.rows))
        _, virtual = self.run_with_report("replay", data("ties.csv.gz"), "--virtual")
        self.assertNotIn("The doctor on this host", virtual.headings)


if __name__ == "__main__":
    run_tests()
