# SPDX-License-Identifier: MIT
"""Has gnuplot draw the plots, as SVG."""
import subprocess
from pathlib import Path

import plots
from comparison import BadRecord

HEAD = """set encoding utf8
set terminal svg size 960,540 font "sans-serif,13" background "#ffffff"
set output {output}
set title {title} font ",16"
set border 3 lc rgb "#777777"
set tics nomirror
set grid y lc rgb "#dddddd" lt 1
"""


def draw(results, scripts, pictures):
    """Scripts into the one directory, an SVG of each into the other; returns the names of what there is data for."""
    Path(pictures).mkdir(parents=True, exist_ok=True)
    drawn = []
    for name, title, work, plot in plots.ALL:
        picture = Path(pictures) / f"{name}.svg"
        picture.unlink(missing_ok=True)  # else an older run's would stand beside this one's figures
        if not results.compared.who_did(work):
            continue
        script = Path(scripts) / f"{name}.gnuplot"
        head = HEAD.format(output=plots.quoted(picture.resolve()), title=plots.quoted(title))
        script.write_text(head + plot(results), encoding="utf-8")
        _run_gnuplot(script)
        drawn.append(name)
    return drawn


def _run_gnuplot(script):
    try:
        said = subprocess.run(["gnuplot", str(script)], capture_output=True, text=True, check=False)
    except OSError as problem:
        raise BadRecord(f"gnuplot: {problem.strerror} (Debian: gnuplot-nox)") from problem
    if said.returncode != 0:
        raise BadRecord(f"{script}: gnuplot: {said.stderr.strip()}")
