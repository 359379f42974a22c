#SPDX - License - Identifier : MIT
"""Texts that a test keeps in a file, for the tests in Python; snapshot.hpp is the same for those in C++."""
import difflib
import os
import sys
from pathlib import Path


def difference(file, text):
    """How the text differs from the file, as a unified diff: None if it does not. With --update, or DETENT_UPDATE_SNAPSHOTS
    in the environment, the file is written instead."""
    file = Path(file)
    if "--update" in sys.argv or "DETENT_UPDATE_SNAPSHOTS" in os.environ:
        file.write_text(text, encoding="utf-8")
        return None
    kept = file.read_text(encoding="utf-8") if file.exists() else ""
    return "".join(difflib.unified_diff(kept.splitlines(True), text.splitlines(True), str(file), "what the test produced")) or None
