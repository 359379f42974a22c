# SPDX-License-Identifier: MIT
"""What the figures are drawn with: boxes, words and arrows on a panel that brings its own background.

The colours say which threads may write: see KINDS. A reader whose screen is dark gets the dark half.
"""
from xml.sax.saxutils import escape

# name: light fill, light edge, dark fill, dark edge
KINDS = {
    "caller": ("#dbe9ff", "#3b6fc4", "#1d3557", "#7aa7f0"),  # the thread that calls
    "driver": ("#ffe6c7", "#b9741a", "#4a3415", "#e8ae5d"),  # the thread that turns the wheel
    "all": ("#eddcfb", "#8148b5", "#3d2653", "#c196ec"),     # any thread, by compare-and-swap
    "plain": ("#f1f4f7", "#8a97a5", "#27313c", "#7d8b99"),
    "good": ("#d6f2dc", "#2f8a4a", "#173a22", "#6fce8b"),
    "bad": ("#ffdcdc", "#c03c3c", "#4c1f1f", "#f08a8a"),
}
INK = {"ink": ("#17212b", "#e6edf3"), "dim": ("#51606f", "#a3b1bf")}
PANEL = (("#ffffff", "#c8d1da"), ("#0f161d", "#3a4653"))


def style():
    light = [f".panel{{fill:{PANEL[0][0]};stroke:{PANEL[0][1]}}}"]
    dark = [f".panel{{fill:{PANEL[1][0]};stroke:{PANEL[1][1]}}}"]
    for name, (fill, edge, dark_fill, dark_edge) in KINDS.items():
        light.append(f".{name}{{fill:{fill};stroke:{edge}}}.{name}-line{{stroke:{edge}}}.{name}-word{{fill:{edge}}}")
        dark.append(f".{name}{{fill:{dark_fill};stroke:{dark_edge}}}.{name}-line{{stroke:{dark_edge}}}"
                    f".{name}-word{{fill:{dark_edge}}}")
    for name, (on_light, on_dark) in INK.items():
        light.append(f".{name}{{fill:{on_light}}}.{name}-line{{stroke:{on_light}}}")
        dark.append(f".{name}{{fill:{on_dark}}}.{name}-line{{stroke:{on_dark}}}")
    return ("text{font-family:system-ui,'Segoe UI','DejaVu Sans',sans-serif;font-size:13px}"
            ".code{font-family:ui-monospace,'DejaVu Sans Mono',monospace;font-size:12px}"
            ".head{font-weight:600;font-size:15px}.small{font-size:11.5px}"
            ".stroke{fill:none;stroke-width:1.5}.dash{stroke-dasharray:4 3}\n"
            + "".join(light) + "\n@media (prefers-color-scheme:dark){" + "".join(dark) + "}")


class Canvas:
    def __init__(self, width, height, title, description):
        self.parts = [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
            f'role="img" aria-labelledby="title description">\n<title id="title">{escape(title)}</title>\n'
            f'<desc id="description">{escape(description)}</desc>\n<style>{style()}</style>\n<defs>'
        ]
        for name in [*KINDS, *INK]:
            word = name if name in INK else f"{name}-word"
            self.parts.append(
                f'<marker id="tip-{name}" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" '
                f'orient="auto-start-reverse"><path d="M0 0.5 L8 4 L0 7.5 z" class="{word}"/></marker>')
        self.parts.append(f'</defs>\n<rect class="panel" x="0.5" y="0.5" width="{width - 1}" height="{height - 1}" rx="8"/>\n')

    def box(self, x, y, width, height, kind="plain", radius=4):
        self.parts.append(
            f'<rect class="{kind}" x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}" rx="{radius:g}"/>\n')

    def text(self, x, y, words, style="ink", anchor="start"):
        at = "" if anchor == "start" else f' text-anchor="{anchor}"'
        self.parts.append(f'<text class="{style}" x="{x:g}" y="{y:g}"{at}>{escape(words)}</text>\n')

    def lines(self, x, y, words, style="ink", anchor="start", step=17):
        for number, line in enumerate(words.split("\n")):
            self.text(x, y + number * step, line, style, anchor)

    def labelled(self, x, y, width, height, words, kind="plain", style="ink", step=16):
        self.box(x, y, width, height, kind)
        rows = words.split("\n")
        first = y + height / 2 + 4.5 - (len(rows) - 1) * step / 2
        self.lines(x + width / 2, first, words, style, "middle", step)

    def path(self, path, kind="dim", tip=True, dashed=False):
        end = f' marker-end="url(#tip-{kind})"' if tip else ""
        self.parts.append(f'<path class="stroke {kind}-line{" dash" if dashed else ""}" d="{path}"{end}/>\n')

    def arrow(self, x1, y1, x2, y2, kind="dim", dashed=False):
        self.path(f"M{x1:g} {y1:g} L{x2:g} {y2:g}", kind, True, dashed)

    def line(self, x1, y1, x2, y2, kind="dim", dashed=False):
        self.path(f"M{x1:g} {y1:g} L{x2:g} {y2:g}", kind, False, dashed)

    def svg(self):
        return "".join(self.parts) + "</svg>\n"
