#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What has changed in the binary interface of libdetent.so since the recorded one, and whether the version allows it.

  abi_check.py record LIBRARY BASELINE [--include DIR]... [--version VERSION]
  abi_check.py compare LIBRARY BASELINE [--include DIR]... [--version VERSION] [--allowed FILE]

BASELINE is a directory: libdetent.abi.xz (of abidw), and headers.txt, a checksum for each public header, since what headers inline
is compiled into programs and no library shows it. LIBRARY needs debug information. --allowed is a file of suppressions for
abidiff, each with its reason. Exit status 1: the version or the soname does not allow what has changed. docs/abi.md has the rules.
"""
import argparse
import hashlib
import lzma
import re
import subprocess
import sys
import tempfile
from pathlib import Path

ABI, HEADERS = "libdetent.abi.xz", "headers.txt"
ADDED_OR_CHANGED, BROKEN = 4, 8  # of abidiff's exit status
CORPUS = re.compile(r"<abi-corpus [^>]*\barchitecture='([^']*)'[^>]*\bsoname='([^']*)'")


class Problem(Exception):
    """What keeps the check from being made; one line."""


def run(*command):
    try:
        return subprocess.run([str(word) for word in command], capture_output=True, text=True, check=False)
    except OSError as failure:
        raise Problem(f"{command[0]}: {failure.strerror}; on Debian: apt-get install abigail-tools") from failure


def public_types(includes, option):
    """Only types that these directories declare are of interest: the rest is the library's own affair."""
    return [word for each in includes for word in (option, str(each))]


def interface(library, includes, output):
    """Writes down the interface of a library; returns its architecture and soname."""
    done = run("abidw", "--drop-private-types", "--no-show-locs", "--no-corpus-path", "--no-comp-dir-path",
               *public_types(includes, "--headers-dir"), "--out-file", output, library)
    if done.returncode != 0 or not Path(output).exists():
        raise Problem(f"abidw {library}: {done.stderr.strip() or 'failed'}")
    return names_of(output)


def names_of(baseline):
    """(architecture, soname)"""
    with open(baseline, encoding="utf-8") as file:
        found = CORPUS.search(file.read(4096))
    if not found:
        raise Problem(f"{baseline}: no interface that abidw has written")
    return found.groups()


def unpacked(baseline, directory):
    """The recorded interface as abidiff reads it."""
    text = Path(directory) / "recorded.abi"
    try:
        text.write_bytes(lzma.decompress((Path(baseline) / ABI).read_bytes()))
    except (OSError, lzma.LZMAError) as failure:
        raise Problem(f"{Path(baseline) / ABI}: {failure}") from failure
    return text


def checksums(includes):
    sums = {}
    for directory in includes:
        for header in sorted(Path(directory).rglob("*.h*")):
            sums[header.relative_to(directory).as_posix()] = hashlib.sha256(header.read_bytes()).hexdigest()[:16]
    return sums


def write_headers(path, version, sums):
    lines = [f"version {version}", *(f"{value} {name}" for name, value in sorted(sums.items()))]
    Path(path).write_text("\n".join(lines) + "\n", encoding="utf-8")


def read_headers(path):
    """(version, {header: checksum})"""
    try:
        first, *lines = Path(path).read_text(encoding="utf-8").splitlines()
        return first.removeprefix("version "), {name: value for value, name in (line.split(" ", 1) for line in lines)}
    except (OSError, ValueError) as failure:
        raise Problem(f"{path}: {failure}") from failure


def parts(version):
    if not re.fullmatch(r"\d+\.\d+\.\d+", version):
        raise Problem(f"version '{version}': not of the form 1.2.3")
    return tuple(int(part) for part in version.split("."))


def kind_of_change(old, new, allowed):
    """('none' | 'added' | 'broken', abidiff's report)"""
    options = ["--no-show-locs", "--impacted-interfaces", *(["--suppressions", allowed] if allowed else [])]
    done = run("abidiff", *options, old, new)
    if done.returncode & 3:
        raise Problem(f"abidiff: {done.stderr.strip() or done.stdout.strip()}")
    if done.returncode == 0:
        return "none", ""
    without_added = run("abidiff", "--no-added-syms", *options, old, new)
    # A changed type counts as broken: abidiff is sure of that only where a symbol is gone.
    broken = done.returncode & BROKEN or without_added.returncode & (ADDED_OR_CHANGED | BROKEN)
    return ("broken" if broken else "added"), done.stdout


def verdict(change, old_version, new_version, same_soname):
    """None, or why this change may not have this version and soname."""
    old, new = parts(old_version), parts(new_version)
    if new < old:
        return f"version {new_version} is older than the baseline's, {old_version}"
    if change == "broken" and same_soname:
        return "programs that run with the recorded library will not run with this one, and its soname is the same"
    if change == "broken" and old != new and new[:2] == old[:2]:
        return f"the interface is broken from {old_version} to {new_version}: that takes a new minor version at least"
    if change == "broken" and old[0] > 0 and new[0] == old[0]:
        return f"the interface is broken from {old_version} to {new_version}: that takes a new major version"
    if change == "added" and old != new and new[:2] == old[:2]:
        return f"the interface has grown from {old_version} to {new_version}: that takes a new minor version"
    return None


def changed_headers(old, new):
    return [f"{name}: {'new' if name not in old else 'gone' if name not in new else 'changed'}"
            for name in sorted(old.keys() | new.keys()) if old.get(name) != new.get(name)]


def compare(asked, scratch):
    baseline = Path(asked.baseline)
    old_version, old_headers = read_headers(baseline / HEADERS)
    version = asked.version or old_version
    recorded, made = unpacked(baseline, scratch), Path(scratch) / "made.abi"
    (machine, soname), (old_machine, old_soname) = interface(asked.library, asked.include, made), names_of(recorded)
    if machine != old_machine:
        raise Problem(f"the interface was recorded on {old_machine}, and this library is of {machine}")
    change, report = kind_of_change(recorded, made, asked.allowed)
    if report:
        print(report.rstrip())
    said = {"none": "unchanged", "added": "grown, and compatible", "broken": "broken"}[change]
    renamed = "" if soname == old_soname else f", and the soname went from {old_soname} to {soname}"
    print(f"The interface of {soname} since {old_version}: {said}{renamed}.")
    inline = changed_headers(old_headers, checksums(asked.include))
    if inline:
        print("Public headers that differ; what they inline is in programs that are compiled already (docs/abi.md):")
        print("\n".join(f"  {line}" for line in inline))
    wrong = verdict(change, old_version, version, soname == old_soname)
    if wrong:
        print(f"abi_check.py: {wrong}", file=sys.stderr)
    return 1 if wrong else 0


def record(asked, scratch):
    baseline = Path(asked.baseline)
    baseline.mkdir(parents=True, exist_ok=True)
    parts(asked.version)
    made = Path(scratch) / "made.abi"
    _, soname = interface(asked.library, asked.include, made)
    (baseline / ABI).write_bytes(lzma.compress(made.read_bytes(), preset=9))
    write_headers(baseline / HEADERS, asked.version, checksums(asked.include))
    print(f"Recorded {soname} of version {asked.version} in {baseline}")
    return 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("record", "compare"))
    parser.add_argument("library")
    parser.add_argument("baseline")
    parser.add_argument("--include", action="append", default=[], type=Path, metavar="DIR")
    parser.add_argument("--version")
    parser.add_argument("--allowed", metavar="FILE")
    asked = parser.parse_args()
    if asked.what == "record" and not asked.version:
        parser.error("record takes --version")
    try:
        with tempfile.TemporaryDirectory() as scratch:
            return {"record": record, "compare": compare}[asked.what](asked, scratch)
    except Problem as problem:
        print(f"abi_check.py: {problem}", file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main())
