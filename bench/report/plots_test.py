#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The plots show who was measured, and their labels can be read.  usage: plots_test.py"""
import re
import shutil
import sys
import tempfile
import unittest
import xml.etree.ElementTree as xml
from pathlib import Path

sys.dont_write_bytecode = True
import plots
import shapes
from draw import COLOURS, DARK, LIGHT, draw, gnuplot, light_and_dark
from labels import LINE, Axis, beside, spread
from report_test import compared, recorded
from programs import Programs
from targets import Results

SVG = "{http://www.w3.org/2000/svg}"
LETTER = 6


def drawings():
    """(name, systems, SVG) of each plot."""
    results = recorded()
    for name, title, work, plot in plots.ALL:
        yield name, results.compared.who_did(work), light_and_dark(gnuplot(shapes.script(plot(results), title, LIGHT)))


def hexadecimal(colour):
    """As in the palette; gnuplot writes rgb(194,  65,  12) as well."""
    return "#" + "".join(f"{int(part):02x}" for part in re.findall(r"\d+", colour)) if colour.startswith("rgb") else colour


def texts(svg):
    """(words, colour, left, y) of each text; a box around it says where. The width of the words is a narrow guess."""
    for box in xml.fromstring(svg).iter(f"{SVG}g"):
        if (text := box.find(f"{SVG}text")) is not None:
            words = "".join(text.itertext()).strip()
            x, y = re.match(r"translate\(([\d.]+),([\d.]+)\)", box.get("transform")).groups()
            left = float(x) - LETTER * len(words) * {"start": 0, "middle": 0.5, "end": 1}[box.get("text-anchor")]
            yield words, hexadecimal(box.get("fill")), left, float(y)


@unittest.skipUnless(shutil.which("gnuplot"), "gnuplot is not installed")
class PlotsTest(unittest.TestCase):
    def test_each_system_is_named_in_its_colour(self):
        for name, systems, svg in drawings():
            said = {words: colour for words, colour, _, _ in texts(svg)}
            for system in systems:
                self.assertEqual(said.get(system), LIGHT[plots.kind_of(system)], f"{name}: {system}")

    def test_names_do_not_stand_on_each_other(self):
        for name, systems, svg in drawings():
            said = [each for each in texts(svg) if each[0] in systems]
            for i, (words, _, x, y) in enumerate(said):
                for other, _, other_x, other_y in said[i + 1:]:
                    clear = abs(y - other_y) > 13 or x + LETTER * len(words) < other_x or other_x + LETTER * len(other) < x
                    self.assertTrue(clear, f"{name}: {words} and {other}")

    def test_all_that_is_seen_is_light_or_dark(self):
        for name, _, svg in drawings():
            style = re.search(r"prefers-color-scheme:dark\){(.*)}</style>", svg)[1]
            for element in xml.fromstring(svg).iter():
                seen = {SVG + "path": "stroke", SVG + "polygon": "fill", SVG + "rect": "fill", SVG + "use": "color"}
                attribute = "fill" if element.find(f"{SVG}text") is not None else seen.get(element.tag)
                colour = element.get(attribute or "")
                if colour in (None, "currentColor") or not re.search("[Ll]", element.get("d", "L")):
                    continue  # a template, or a path without a line
                self.assertIn(hexadecimal(colour), DARK, f"{name}: {element.attrib}")
                self.assertIn(f'[{attribute}="{colour}"]{{{attribute}:{DARK[hexadecimal(colour)]}}}', style)

    def test_nothing_measured_draws_nothing(self):
        with tempfile.TemporaryDirectory() as directory:
            (Path(directory) / "memory.svg").write_text("of an older run", encoding="utf-8")
            self.assertEqual(draw(Results(compared(), Programs()), directory), [])
            self.assertEqual(list(Path(directory).iterdir()), [])

    def test_a_file_for_each(self):
        with tempfile.TemporaryDirectory() as directory:
            drawn = draw(recorded(), directory)
            self.assertEqual(drawn, [name for name, _, _, _ in plots.ALL])
            self.assertEqual(sorted(each.stem for each in Path(directory).iterdir()), sorted(drawn))

    def test_names_are_data(self):
        name = "it's <a> \"b\" {/:Bold c}_d\\n"
        said = [words for words, _, _, _ in texts(gnuplot(shapes.script(plots.Bars({name: 1}), "t", LIGHT)))]
        self.assertIn(name, said)


class PaletteTest(unittest.TestCase):
    def test_a_light_colour_has_one_dark_counterpart(self):
        for light, dark in COLOURS.values():
            self.assertEqual(DARK[light], dark)


class LabelsTest(unittest.TestCase):
    def test_a_logarithmic_axis(self):
        axis = Axis(0.1, 1000, 400)
        self.assertEqual([round(axis.place(each)) for each in (0.1, 1, 10, 1000)], [0, 100, 200, 400])
        self.assertEqual(axis.marks(), [0.1, 1, 10, 100, 1000])
        self.assertEqual(Axis(3, 60, 100).marks(), [5, 10, 20, 50])

    def test_labels_are_spread_in_their_order(self):
        placed = spread([50, 50, 48, 99], 0, 100, 10)
        self.assertEqual(sorted(placed), [placed[i] for i in (2, 0, 1, 3)])
        self.assertTrue(all(b - a >= 10 for a, b in zip(sorted(placed), sorted(placed)[1:])))
        self.assertLessEqual(max(placed), 100)

    def test_labels_that_are_too_close_give_way_alike(self):
        self.assertEqual(spread([50, 50, 90], 0, 100, 10), [45, 55, 90])
        self.assertEqual(spread([2, 2], 0, 100, 10), [0, 10])
        self.assertEqual(spread([99, 98], 0, 100, 10), [100, 90])

    def test_a_label_gives_way_to_a_point(self):
        (side, y), (other_side, other_y) = beside([(100, 100, "one"), (110, 100, "two")], 900, 500)
        self.assertEqual((side, y, other_side, other_y), (-1, 100, 1, 100))

    def test_a_label_gives_way_to_a_label(self):
        placed = beside([(100, 100, "one"), (100, 100, "two"), (100, 100, "three")], 900, 500)
        self.assertEqual(placed, [(1, 100), (-1, 100), (1, 100 + LINE)])


if __name__ == "__main__":
    unittest.main()
