#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Whether the tree may be released as it stands.

usage: release_check.py ROOT [VERSION]     prints what is missing, a line each, and exits with 1 if anything is

Nothing uncommitted; core/include/detent/version.hpp has VERSION; CHANGELOG.md begins with it and its date; no tag vVERSION yet.
"""
import re
import subprocess
import sys
from pathlib import Path

HEADING = re.compile(r"^## (\S+) \((\S+)\)$", re.MULTILINE)
PART = r"#define DETENT_VERSION_{} (\d+)$"


def git(root, *words):
    return subprocess.run(["git", "-C", str(root), *words], capture_output=True, text=True, check=True).stdout


def version_of(root):
    text = (root / "core/include/detent/version.hpp").read_text(encoding="utf-8")
    return ".".join(re.search(PART.format(part), text, re.MULTILINE).group(1) for part in ("MAJOR", "MINOR", "PATCH"))


def missing(root, wanted):
    """Yields what stands in the way, a line each."""
    here = version_of(root)
    if wanted and wanted != here:
        yield f"core/include/detent/version.hpp has {here}, not {wanted}"
    wanted = wanted or here
    changed = git(root, "status", "--porcelain").splitlines()
    if changed:
        yield f"not committed: {len(changed)} files, {changed[0][3:]} for one"
    heading = HEADING.search((root / "CHANGELOG.md").read_text(encoding="utf-8"))
    if not heading or heading.group(1) != wanted:
        yield f"CHANGELOG.md: its first heading is not '## {wanted} (DATE)'"
    elif not re.fullmatch(r"\d{4}-\d\d-\d\d", heading.group(2)):
        yield f"CHANGELOG.md: {wanted} is dated '{heading.group(2)}', not as 2026-11-21"
    if git(root, "tag", "--list", f"v{wanted}").strip():
        yield f"tag v{wanted} is there already"


def main():
    if len(sys.argv) not in (2, 3) or (len(sys.argv) == 3 and not re.fullmatch(r"\d+\.\d+\.\d+", sys.argv[2])):
        sys.exit(__doc__.split("\n\n")[1])
    lines = list(missing(Path(sys.argv[1]), sys.argv[2] if len(sys.argv) == 3 else None))
    for line in lines:
        print(f"release: {line}", file=sys.stderr)
    return 1 if lines else 0


if __name__ == "__main__":
    sys.exit(main())
