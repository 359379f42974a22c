# SPDX-License-Identifier: MIT
"""What the plots show: a gnuplot script with its data for each."""
from comparison import is_floor, is_own
from series import number

OWN = ("#c2410c", "#ea580c", "#9a3412", "#f59e0b", "#7c2d12", "#fb923c")
OTHERS = ("#1d4ed8", "#0f766e", "#6d28d9", "#4d7c0f", "#0369a1", "#be185d", "#475569", "#166534", "#7e22ce", "#0e7490",
          "#3730a3", "#86198f", "#57534e")
OWN_POINTS, FLOOR_POINTS, OTHER_POINTS = (7, 5, 9, 11, 13, 15), (3, 2), (4, 6, 8, 10, 12)
PERCENTILES = (("p50", "p50_ns", "#1d4ed8", 7), ("p90", "p90_ns", "#0f766e", 5), ("p99", "p99_ns", "#c2410c", 9),
               ("p99.9", "p999_ns", "#7f1d1d", 11))
LEAST_MICROSECONDS = 0.01  # what is earlier cannot be drawn on a logarithmic scale


def quoted(text):
    return '"' + str(text).replace("\\", "\\\\").replace('"', '\\"') + '"'


def _block(name, rows):
    """Data under a name."""
    return [f"${name} << END_OF_DATA", *(" ".join(map(str, row)) for row in rows), "END_OF_DATA"]


def _script(data, settings, curves):
    return "\n".join([*data, *settings, "plot " + ", \\\n  ".join(curves), ""])


def _styles(systems):
    """A colour, a width and a point for each: detent stands out, and so do the floors."""
    own, floors, others = 0, 0, 0
    for system in systems:
        if is_own(system):
            yield system, OWN[own % len(OWN)], 3, OWN_POINTS[own % len(OWN_POINTS)]
            own += 1
        elif is_floor(system):
            yield system, "#000000", 2, FLOOR_POINTS[floors % len(FLOOR_POINTS)]
            floors += 1
        else:
            yield system, OTHERS[others % len(OTHERS)], 1.3, OTHER_POINTS[others % len(OTHER_POINTS)]
            others += 1


def _million_a_second(nanoseconds):
    return 1e3 / nanoseconds


def throughput(results):
    """Pairs a second by live timers, the fastest system first."""
    compared = results.compared
    rates = {}
    for system in compared.who_did("pair", producers=1):
        pairs = {live: results.pair(system, live) for live in compared.requests("pair", "live")}
        rates[system] = [(live, *map(_million_a_second, (pair.median, pair.most, pair.least)))
                         for live, pair in pairs.items() if pair]
    fastest = sorted(rates, key=lambda system: -sum(row[1] for row in rates[system]) / max(len(rates[system]), 1))
    data, curves = [], []
    for i, (system, colour, width, point) in enumerate(_styles(fastest)):
        data += _block(f"curve{i}", rates[system])
        curves.append(f"$curve{i} with yerrorlines lc rgb {quoted(colour)} lw {width} pt {point} ps 0.7 "
                      f"title {quoted(system)} noenhanced")
    if floor := results.floor("composite_ns") + results.floor("clock_ns"):
        curves.append(f'{_million_a_second(floor.median)} with lines dt 2 lw 2 lc rgb "#000000" title "floor, steady clock"')
    return _script(data, ['set logscale xy', 'set format x "10^{%T}"', 'set xrange [0.7:*]',
                          'set key outside right top', 'set xlabel "live timers"',
                          'set ylabel "million schedule + cancel a second, one producer"'], curves)


def _by_median(results):
    return sorted(results.compared.who_did("lateness"), key=lambda s: results.late(s, "p50_ns").median)


def _microseconds(series):
    return max(series.median / 1e3, LEAST_MICROSECONDS)


def lateness(results):
    """Percentiles by system, the most punctual first."""
    rows = [(i, quoted(system), *(_microseconds(results.late(system, what)) for _, what, _, _ in PERCENTILES))
            for i, system in enumerate(_by_median(results))]
    curves = ['$late using 1:3:3:6:6 with candlesticks lc rgb "#bbbbbb" notitle']
    for column, (title, _, colour, point) in enumerate(PERCENTILES, 3):
        curves.append(f"$late using 1:{column}:xtic(2) with points pt {point} ps 1 lc rgb {quoted(colour)} "
                      f"title {quoted(title)}")
    return _script(_block("late", rows), ['set logscale y', 'set boxwidth 0.02', 'set key outside right top',
                                          'set xtics rotate by -40 noenhanced', f'set xrange [-0.7:{len(rows) - 0.3}]',
                                          'set ylabel "µs after the deadline"'], curves)


def cpu_against_lateness(results):
    """What punctuality costs."""
    data, curves = [], []
    for i, (system, colour, _, point) in enumerate(_styles(_by_median(results))):
        data += _block(f"point{i}", [(_microseconds(results.late(system, "p50_ns")),
                                      results.late(system, "cpu_percent").median)])
        curves.append(f"$point{i} with points pt {point} ps 1.2 lw 1.5 lc rgb {quoted(colour)} "
                      f"title {quoted(system)} noenhanced")
    return _script(data, ['set logscale xy', 'set xrange [0.005:*]', 'set yrange [*:200]',
                          'set grid x y lc rgb "#dddddd" lt 1',
                          'set key outside right top maxcols 1 spacing 0.95 font ",11"',
                          'set xlabel "median lateness, µs"',
                          'set ylabel "CPU of the whole process, % of one"'], curves)


def memory(results):
    """Bytes a timer, the least first; in two colours, as a bar of the other kind has no height."""
    sizes = {s: results.compared.series(s, "memory", "bytes").median for s in results.compared.who_did("memory")}
    rows = [(i, quoted(s), sizes[s], quoted(number(sizes[s])), int(is_own(s)))
            for i, s in enumerate(sorted(sizes, key=sizes.get))]
    curves = [f"$sizes using 1:($5 == {own} ? $3 : 1/0):xtic(2) with boxes lc rgb {quoted(colour)} notitle"
              for own, colour in ((1, OWN[0]), (0, OTHERS[0]))]
    curves.append('$sizes using 1:3:4 with labels offset 0,0.7 font ",11" notitle')
    return _script(_block("sizes", rows), ['set boxwidth 0.7', 'set style fill solid 0.9',
                                           'set xtics rotate by -40 noenhanced', 'set yrange [0:*]',
                                           'set ylabel "resident bytes a pending timer"'], curves)


# Name of the file, title, the work that it is about, the plot.
ALL = (
    ("throughput", "Throughput by live timers", "pair", throughput),
    ("lateness", "Lateness percentiles, 1,000 timers a second", "lateness", lateness),
    ("cpu-against-lateness", "CPU against lateness, 1,000 timers a second", "lateness", cpu_against_lateness),
    ("memory", "Memory of a pending timer", "memory", memory),
)
