#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The site is built without a warning, and has in it what it should. Skipped where what builds it is not installed.

usage: whole_site_test.py DOCS_SITE DIRECTORY
"""
import importlib.util
import shutil
import subprocess
import sys
from pathlib import Path

NOT_INSTALLED = 77
MODULES = ("furo", "myst_parser", "breathe", "sphinx_copybutton")
# For each page, words that a reader looks for there.
EXPECTED = {
    "index.html": ["lock-free timer engine for C++20", "Guides", "API reference"],
    "reference/engine.html": ["schedule_at_fixed_rate", "returns every timer that had not ended, once each"],
    "reference/timer.html": ["cancel_and_wait", "its captures are already destroyed"],
    "reference/options.html": ["realtime_priority", "nodes, queue blocks and lists ahead"],
    "reference/asio.html": ["async_sleep_for", "no_buffer_space"],
    "reference/c.html": ["detent_schedule_at", "DETENT_DRIVE_CALLER"],
    "docs/benchmarks.html": ["throughput", "<table"],
}


def main(site, directory):
    missing = [tool for tool in ("doxygen", "sphinx-build") if shutil.which(tool) is None]
    missing += [module for module in MODULES if importlib.util.find_spec(module) is None]
    if missing:
        print(f"skipped: {', '.join(missing)} not installed")
        return NOT_INSTALLED
    subprocess.run([sys.executable, str(Path(site, "build.py")), directory], check=True)
    for page, texts in EXPECTED.items():
        html = Path(directory, "html", page).read_text(encoding="utf-8")
        for text in texts:
            if text not in html:
                sys.exit(f"{page}: says nothing of '{text}'")
    for page in Path(directory, "html", "reference").glob("*.html"):
        if "detail::" in page.read_text(encoding="utf-8"):
            sys.exit(f"{page}: shows what is nobody's business")
    return 0


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__.split("\n\n")[1])
    sys.exit(main(*sys.argv[1:]))
