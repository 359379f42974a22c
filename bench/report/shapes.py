# SPDX-License-Identifier: MIT
"""How each kind of plot is drawn: a gnuplot script with its data. Detent is in colour, everybody else in grey, and the
names stand where the lines and points are."""
import plots
from comparison import is_own
from labels import GAP, Axis, beside, spread
from series import number

WIDTH, HEIGHT = 960, 540
LEFT, TOP, BOTTOM = 70, 90, 60  # around what is plotted
NAMES = 190  # to the right of it, where the names of curves stand

HEAD = """set encoding utf8
set terminal svg size {width},{height} font ",13" background "{back}" dashlength 0.6
{colours}
set style line 1 lc rgb own lw 3 pt 7 ps 0.7
set style line 2 lc rgb own lw 1.8 dt (10,5) pt 7 ps 0.6
set style line 3 lc rgb rival lw 1.3 pt 7 ps 0.5
set style line 4 lc rgb floor lw 1.2 dt (3,6)
set lmargin at screen {left}
set rmargin at screen {right}
set tmargin at screen {top}
set bmargin at screen {bottom}
set border 0
unset key
set tics scale 0 textcolor rgb soft font ",12"
set grid x y lt 1 lw 1 lc rgb grid
set label {title} at screen {edge}, screen {title_up} font ",17" textcolor rgb text
"""


def quoted(text):
    """As gnuplot reads it: nothing is special between single quotes but these."""
    return "'" + " ".join(str(text).split()).replace("'", "''") + "'"


def _block(name, rows):
    """Data under a name."""
    return [f"${name} << END_OF_DATA", *(" ".join(f"{each:.6g}" for each in row) for row in rows), "END_OF_DATA"]


def _plot(curves):
    return "plot " + ", \\\n     ".join(curves)


def _in_front(systems):
    """What is drawn last lies on top."""
    return sorted(systems, key=lambda s: (is_own(s), s == "detent"))


def _style(system):
    """The default engine is the line that is whole."""
    return 1 if system == "detent" else 2 if is_own(system) else 3


class Frame:
    """The picture and the field in it that is plotted on, in pixels."""

    def __init__(self, title, left=LEFT, right=40, top=TOP, bottom=BOTTOM, height=HEIGHT - TOP - BOTTOM):
        self.title, self.left, self.top, self.bottom = title, left, top, bottom
        self.width, self.height, self.total = WIDTH - left - right, height, top + height + bottom

    def at(self, x, y):
        """A place of the field, for gnuplot."""
        return f"graph {x / self.width:.4f}, graph {y / self.height:.4f}"

    def label(self, words, x, y, colour, anchor="left", size=13):
        return f'set label {quoted(words)} at {self.at(x, y)} {anchor} font ",{size}" textcolor rgb {colour} noenhanced'

    def leader(self, start, end, colour):
        """A thin line from what is named to its name."""
        return f"set arrow from {start} to {end} nohead lw 0.8 dt (5,4) lc rgb {colour}"

    def captions(self, across, up=""):
        """What is measured: under the one axis and above the other."""
        said = [self.label(across, self.width, -42, "soft", "right", 12)]
        return said + ([self.label(up, -40, self.height + 16, "soft", size=12)] if up else [])

    def script(self, palette, lines):
        colours = "\n".join(f'{name} = "{colour}"' for name, colour in palette.items())
        head = HEAD.format(width=WIDTH, height=self.total, back=palette["back"], colours=colours, left=self.left / WIDTH,
                           right=(self.left + self.width) / WIDTH, top=1 - self.top / self.total,
                           bottom=self.bottom / self.total, title=quoted(f"{{/:Bold {self.title}}}"), edge=20 / WIDTH,
                           title_up=1 - 28 / self.total)
        return head + "\n".join(lines) + "\n"


def _scale(name, axis):
    marks = ", ".join(f"{mark:g}" for mark in axis.marks())
    form = "%g" if axis.low < 1 else "%.0s%c"  # the latter is 10k, but would make 10m of 0.01
    return [f"set logscale {name}", f'set format {name} "{form}"', f"set {name}tics ({marks})",
            f"set {name}range [{axis.low:.6g}:{axis.high:.6g}]"]


def _places_across(plot, frame):
    if plot.marks:
        marks = ", ".join(f"{quoted(mark)} {place}" for place, mark in enumerate(plot.marks))
        return [f"set xrange [-0.1:{len(plot.marks) - 1}]", f"set xtics ({marks})"]
    places = [x for curve in plot.curves.values() for x, _ in curve]
    room = 1 if min(places) < max(places) else 2
    return _scale("x", Axis.over(places, frame.width, room))


def _lines(plot, title, palette):
    frame = Frame(title, right=NAMES)
    up = Axis.over([y for curve in plot.curves.values() for _, y in curve] + [y for y, _ in plot.floor], frame.height)
    said = [*_places_across(plot, frame), *_scale("y", up), *frame.captions(plot.across, plot.up)]
    curves, ends = [], []  # an end: where the curve is, by gnuplot and in pixels from below; its name, its colour
    for i, system in enumerate(_in_front(plot.curves)):
        said += _block(f"curve{i}", plot.curves[system])
        curves.append(f"$curve{i} with linespoints ls {_style(system)}")
        x, y = plot.curves[system][-1]
        ends.append((f"first {x:.6g}, first {y:.6g}", up.place(y), system, plots.kind_of(system)))
    for y, name in plot.floor:
        curves.append(f"{y:.6g} with lines ls 4")
        ends.append((f"graph 1, first {y:.6g}", up.place(y), name, "floor"))
    for (end, _, name, kind), y in zip(ends, spread([each[1] for each in ends], 0, frame.height)):
        said += [frame.label(name, frame.width + 40, y, kind), frame.leader(end, frame.at(frame.width + 36, y), kind)]
    return frame.script(palette, [*said, _plot(curves)])


def _points(plot, title, palette):
    frame = Frame(title)
    across = Axis.over([x for x, _ in plot.points.values()], frame.width, 2.0)
    up = Axis.over([y for _, y in plot.points.values()], frame.height, 1.6)
    said = [*_scale("x", across), *_scale("y", up), *frame.captions(plot.across, plot.up)]
    curves = []
    for i, system in enumerate(_in_front(plot.points)):
        said += _block(f"point{i}", [plot.points[system]])
        curves.append(f"$point{i} with points pt 7 ps {1.4 if system == 'detent' else 0.9} lc rgb {plots.kind_of(system)}")
    places = [(across.place(x), up.place(y), system) for system, (x, y) in plot.points.items()]
    places.sort(key=lambda each: (each[2] != "detent", not is_own(each[2])))
    for (x, y, system), (side, name_y) in zip(places, beside(places, frame.width + 30, frame.height)):
        name_x, kind = x + side * GAP, plots.kind_of(system)
        said.append(frame.label(system, name_x, name_y, kind, "left" if side > 0 else "right"))
        if name_y != y:
            said.append(frame.leader(frame.at(x, y), frame.at(name_x - side * 2, name_y), kind))
    return frame.script(palette, [*said, _plot(curves)])


def _rows(plot, title, palette):
    systems = list(plot.rows)
    frame = Frame(title, 170, height=20 * len(systems))
    across = Axis.over([value for row in plot.rows.values() for value in row], frame.width)
    said = [*_scale("x", across), f"set yrange [{len(systems) - 0.5}:-0.5]", "unset ytics",
            *frame.captions(plot.across)]
    curves = []
    for i, system in enumerate(systems):
        kind, row = plots.kind_of(system), plot.rows[system]
        said += [frame.label(system, -14, frame.height - 20 * (i + 0.5), kind, "right"),
                 *_block(f"row{i}", [(value, i, 1.2 - 0.2 * place) for place, value in enumerate(row)])]
        curves += [f"$row{i} using 1:2 with lines lw 1 lc rgb {kind}",
                   f"$row{i} using 1:2:3 with points pt 7 ps variable lc rgb {kind}"]
    first = [across.place(value) for value in plot.rows[systems[0]]]
    said += [frame.label(mark, x, frame.height + 8, "soft", "center", 12)
             for mark, x in zip(plot.marks, spread(first, 0, frame.width, 40))]
    return frame.script(palette, [*said, _plot(curves)])


def _bars(plot, title, palette):
    frame = Frame(title, 170, 90, top=56, bottom=20, height=24 * len(plot.bars))
    most = max(plot.bars.values())
    said = ["unset tics", f"set xrange [0:{most:.6g}]", f"set yrange [{len(plot.bars) - 0.5}:-0.5]",
            "set style fill solid noborder"]
    curves = []
    for i, (system, size) in enumerate(plot.bars.items()):
        kind, y = plots.kind_of(system), frame.height - 24 * (i + 0.5)
        said += [frame.label(system, -14, y, kind, "right"),
                 frame.label(number(size), size / most * frame.width + 8, y, kind), *_block(f"bar{i}", [(size, i)])]
        curves.append(f"$bar{i} using (0):2:(0):1:($2-0.35):($2+0.35) with boxxyerror lc rgb {kind}")
    return frame.script(palette, [*said, _plot(curves)])


SHAPES = {plots.Lines: _lines, plots.Points: _points, plots.Rows: _rows, plots.Bars: _bars}


def script(plot, title, palette):
    """Of what one of plots.ALL shows. `palette`: a colour for `back`, `text`, `soft`, `grid` and each kind of system."""
    return SHAPES[type(plot)](plot, title, palette)
