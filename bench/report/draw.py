# SPDX-License-Identifier: MIT
"""Has gnuplot draw the plots, as SVG that is light or dark as its reader's screen is."""
import re
import subprocess
from pathlib import Path

import plots
import shapes
from comparison import BadRecord

# For a light and a dark screen. `own` is detent, `rival` all other systems, `floor` the bare operation.
COLOURS = {"back": ("#ffffff", "#11151b"), "text": ("#18202b", "#e6eaf0"), "soft": ("#52606f", "#a3afbd"),
           "grid": ("#e3e7ec", "#262d37"), "own": ("#c2410c", "#ff8a4c"), "rival": ("#6f7a86", "#919caa"),
           "floor": ("#18202b", "#e6eaf0")}
LIGHT = {name: light for name, (light, _) in COLOURS.items()}
DARK = {light: dark for light, dark in COLOURS.values()}
FONT = "text,tspan{font-family:system-ui,'DejaVu Sans',sans-serif}"
COLOURED = re.compile(r"""\b(fill|stroke|color)\s*=\s*['"]((#[0-9a-f]{6})|rgb\(\s*(\d+),\s*(\d+),\s*(\d+)\))['"]""")


def _dark_rules(svg):
    """gnuplot knows no media queries: for each colour as it writes it, a rule that says what it is on a dark screen."""
    rules = set()
    for attribute, written, plain, *parts in COLOURED.findall(svg):
        light = plain or "#" + "".join(f"{int(part):02x}" for part in parts)
        if light in DARK:
            rules.add(f'[{attribute}="{written}"]{{{attribute}:{DARK[light]}}}')
    return "".join(sorted(rules))


def light_and_dark(svg):
    """What gnuplot has drawn with the light colours, with a style that makes it either."""
    head, canvas, drawing = svg.partition('<g id="gnuplot_canvas">')
    style = f"<style>{FONT}\n@media screen and (prefers-color-scheme:dark){{{_dark_rules(svg)}}}</style>\n"
    return head + style + canvas + drawing


def gnuplot(script):
    """What it draws."""
    try:
        said = subprocess.run(["gnuplot"], input=script, capture_output=True, text=True, encoding="utf-8", check=False)
    except OSError as problem:
        raise BadRecord(f"gnuplot: {problem.strerror}; the plots need it (Debian: gnuplot-nox)") from problem
    if said.returncode != 0 or said.stderr.strip():
        raise BadRecord(f"gnuplot: {said.stderr.strip() or said.returncode}")
    return said.stdout


def draw(results, pictures):
    """An SVG for each plot that there is data for; returns their names."""
    Path(pictures).mkdir(parents=True, exist_ok=True)
    drawn = []
    for name, title, work, plot in plots.ALL:
        picture = Path(pictures) / f"{name}.svg"
        picture.unlink(missing_ok=True)  # else an older run's would stand beside this one's figures
        if not results.compared.who_did(work):
            continue
        picture.write_text(light_and_dark(gnuplot(shapes.script(plot(results), title, LIGHT))), encoding="utf-8")
        drawn.append(name)
    return drawn
