# SPDX-License-Identifier: MIT
"""The page of the benchmarks as one HTML file of its own: the Markdown page, with its plots inside."""
import base64
import html
import re
from pathlib import Path

STYLE = """
:root { color-scheme: light dark; --back: #ffffff; --text: #18202b; --soft: #52606f; --edge: #d9dfe7; --card: #f5f7fa;
  --accent: #1a5fc4; --bad: #b3141f; }
@media screen and (prefers-color-scheme: dark) {
  :root { --back: #11151b; --text: #e6eaf0; --soft: #a3afbd; --edge: #2d3642; --card: #1a2029; --accent: #6aa7ff;
    --bad: #ff8a8f; } }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 1320px; padding: 36px 32px 56px; background: var(--back); color: var(--text);
  font: 16px/1.5 system-ui, "Segoe UI", "DejaVu Sans", sans-serif; }
h1 { margin: 0; font-size: 28px; }
h2 { margin: 44px 0 8px; padding-top: 14px; border-top: 1px solid var(--edge); font-size: 21px; }
p { margin: 6px 0 10px; max-width: 82ch; overflow-wrap: anywhere; }
li { overflow-wrap: anywhere; }
.scroll { overflow-x: auto; margin: 10px 0 18px; }
table { border-collapse: collapse; width: 100%; font-size: 15px; }
th, td { padding: 6px 14px 6px 0; border-bottom: 1px solid var(--edge); text-align: left; vertical-align: top; }
thead th { color: var(--soft); font-weight: 400; vertical-align: bottom; }
td { font-variant-numeric: tabular-nums; min-width: 7ch; }
td:first-child { min-width: 14ch; }
.figure { text-align: right; white-space: nowrap; }
td strong { color: var(--accent); }
code { font-size: 14px; overflow-wrap: anywhere; }
figure { margin: 14px 0; overflow-x: auto; break-inside: avoid; }
figure img { display: block; width: 100%; min-width: 720px; height: auto; }
@media (max-width: 700px) { body { padding: 22px 16px 40px; } h1 { font-size: 23px; } }
@media print { body { max-width: none; padding: 0; font-size: 10pt; } tr { break-inside: avoid; }
  .scroll, figure { overflow: visible; } figure img { min-width: 0; } }
"""
SPANS = ((re.compile(r"`([^`]*)`"), r"<code>\1</code>"), (re.compile(r"\*\*([^*]+)\*\*"), r"<strong>\1</strong>"),
         (re.compile(r"\*([^*]+)\*"), r"<em>\1</em>"))
PICTURE = re.compile(r"!\[([^\]]*)\]\(([^)]*)\)")
ROW_ENDS = re.compile(r"(?<!\\)\|")


def _text(markdown):
    """A span of the page's Markdown, which knows code, strong and emphasis."""
    said = html.escape(html.unescape(markdown.replace("\\|", "|")))
    for pattern, element in SPANS:
        said = pattern.sub(element, said)
    return said


def _cells(line):
    return [each.strip() for each in ROW_ENDS.split(line)[1:-1]]


def _table(lines):
    right = [each.endswith(":") for each in _cells(lines[1])]

    def row(line, element):
        cells = (f'<{element}{" class=figure" if aside else ""}>{_text(cell)}</{element}>'
                 for cell, aside in zip(_cells(line), right))
        return f"<tr>{''.join(cells)}</tr>"

    body = "\n".join(row(line, "td") for line in lines[2:])
    return (f'<div class="scroll" tabindex="0"><table>\n<thead>{row(lines[0], "th")}</thead>\n'
            f"<tbody>\n{body}\n</tbody>\n</table></div>")


def _picture(words, path):
    """The drawing inside the page, as an image of its own: what two drawings call alike does not meet."""
    drawing = base64.b64encode(path.read_bytes()).decode("ascii")
    return f'<figure><img alt="{html.escape(words)}" src="data:image/svg+xml;base64,{drawing}"></figure>'


def _block(block, directory):
    lines = block.splitlines()
    if picture := PICTURE.fullmatch(block):
        return _picture(picture[1], Path(directory) / picture[2])
    if heading := re.match(r"(#+) (.*)", block):
        level = len(heading[1])
        return f"<h{level}>{_text(heading[2])}</h{level}>"
    if all(line.startswith("|") for line in lines):
        return _table(lines)
    if all(line.startswith("- ") for line in lines):
        return "<ul>\n" + "\n".join(f"<li>{_text(line[2:])}</li>" for line in lines) + "\n</ul>"
    return f"<p>{_text(' '.join(lines))}</p>"


def html_page(markdown, directory):
    """`directory` is where the page's pictures are found."""
    body = "\n".join(_block(block, directory) for block in markdown.strip().split("\n\n"))
    title = re.search(r"<h1>(.*)</h1>", body)[1]
    return (f'<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
            f'<meta name="viewport" content="width=device-width, initial-scale=1">\n'
            f"<title>detent: {title}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n<main>\n{body}\n</main>\n"
            f"</body>\n</html>\n")
