#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What belongs into which package, and whether it is there and nothing else.

  contents.py debs DIR       the Debian packages in a directory
  contents.py build TREE     what a build tree installs, component by component

Prints each file that is missing or too many, a line each; exit status 1 if there is one.
"""
import re
import subprocess
import sys
import tempfile
from pathlib import Path

SOURCES = Path(__file__).resolve().parents[1]
PAGES = [page.stem for page in (SOURCES / "packaging/man").iterdir()]
LIB = r"lib/(?:[\w-]+-linux-gnu/)?"
HEADERS = r"include/detent/(?:[\w/]+/)?\w+\.hpp"
# Of each component, patterns of its files below the prefix. A pattern that no file matches is a file that is missing.
WANTED = {
    "runtime": [LIB + r"libdetent\.so\.\d+\.\d+\.\d+", LIB + r"libdetent\.so\.\d+"],
    "calendar": [LIB + r"libdetent_calendar\.so\.\d+\.\d+\.\d+", LIB + r"libdetent_calendar\.so\.\d+"],
    "durable": [pattern for name in ("durable", "durable_sqlite")
                for pattern in (LIB + rf"libdetent_{name}\.so\.\d+\.\d+\.\d+", LIB + rf"libdetent_{name}\.so\.\d+")],
    "durable_postgres": [LIB + r"libdetent_durable_postgres\.so\.\d+\.\d+\.\d+", LIB + r"libdetent_durable_postgres\.so\.\d+"],
    "durable_redis": [LIB + r"libdetent_durable_redis\.so\.\d+\.\d+\.\d+", LIB + r"libdetent_durable_redis\.so\.\d+"],
    "development": [
        LIB + r"libdetent\.so", LIB + r"libdetent\.a", LIB + r"pkgconfig/detent\.pc",
        LIB + r"libdetent_checked\.a", LIB + r"pkgconfig/detent_checked\.pc",
        LIB + r"cmake/detent/detent-config\.cmake", LIB + r"cmake/detent/detent-config-version\.cmake",
        LIB + r"cmake/detent/detent-targets\.cmake", LIB + r"cmake/detent/detent-targets-\w+\.cmake",
        LIB + r"libdetent_calendar\.(?:a|so)", LIB + r"pkgconfig/detent_calendar\.pc",
        LIB + r"cmake/detent/detent-calendar-targets\.cmake", LIB + r"cmake/detent/detent-calendar-targets-\w+\.cmake",
        LIB + r"libdetent_durable(?:_sqlite|_redis|_postgres)?\.(?:a|so)", LIB + r"pkgconfig/detent_durable(?:_sqlite|_redis|_postgres)?\.pc",
        LIB + r"cmake/detent/detent-durable(?:-redis|-postgres)?-targets\.cmake",
        LIB + r"cmake/detent/detent-durable(?:-redis|-postgres)?-targets-\w+\.cmake",
        r"include/detent/schedule\.hpp", r"include/detent/recipes/watchdog\.hpp", r"include/detent/senders\.hpp", r"include/detent/base/c_api\.h",
        "include/detent/detent\\.h", "include/detent/detent\\.hpp", "include/detent/(?:standalone_)?asio(?:_drive)?\\.hpp", "include/detent/tbb\\.hpp",
        HEADERS],
    "tools": [
        "bin/detent", "bin/detent-kernel-trace", "bin/detent-profile", "share/detent/kernel-trace", "share/detent/profile",
        *(rf"share/detent/kernel_trace/{part}\.py" for part in ("clocks", "lives", "text", "tracefs")),
        r"share/detent/grafana/detent\.json",
        *(rf"share/detent/bpftrace/{script}\.bt" for script in ("lateness_by_label", "wake_up")),
        *(rf"share/bash-completion/completions/{name}" for name in ("detent", "detent-kernel-trace", "detent-profile")),
        *(rf"share/man/man1/{page}\.1(?:\.gz)?" for page in PAGES)],
    "papers": [rf"share/doc/detent/{paper}" for paper in ("LICENSE", r"README\.md", r"CHANGELOG\.md")],
}
PACKAGES = {r"libdetent\d+": "runtime", r"libdetent-calendar\d+": "calendar", r"libdetent-durable\d+": "durable",
            r"libdetent-durable-redis\d+": "durable_redis",
            r"libdetent-durable-postgres\d+": "durable_postgres", "libdetent-dev": "development", "detent-tools": "tools"}
# What each Debian package has besides.
PAPERS = [r"share/doc/{}/copyright", r"share/doc/{}/changelog\.gz", r"share/doc/{}/changelog\.Debian\.gz"]
MORE = {"tools": ["share/lintian/overrides/detent-tools"],
        "development": [r"share/doc/libdetent-dev/README\.md", r"share/doc/libdetent-dev/examples/one_file\.cpp"]}


def differences(name, files, patterns):
    """Yields a line for each file that is missing or too many."""
    used = set()
    for file in sorted(files):
        fitting = {pattern for pattern in patterns if re.fullmatch(pattern, file)}
        if not fitting:
            yield f"{name}: {file} does not belong there"
        used |= fitting
    for pattern in patterns:
        if pattern not in used:
            yield f"{name}: nothing is there like {pattern}"


def files_of_package(deb):
    listed = subprocess.run(["dpkg-deb", "--fsys-tarfile", deb], capture_output=True, check=True).stdout
    names = subprocess.run(["tar", "-t"], input=listed, capture_output=True, check=True).stdout.decode().splitlines()
    return {name.removeprefix("./usr/") for name in names if not name.endswith("/")}


def check_debs(directory):
    debs = {deb.name.split("_")[0]: deb for deb in Path(directory).glob("*.deb")}
    for pattern, component in PACKAGES.items():
        names = [name for name in debs if re.fullmatch(pattern, name)]
        if len(names) != 1:
            yield f"{directory}: {len(names)} packages named {pattern}"
            continue
        papers = [paper.format(names[0]) for paper in PAPERS] + MORE.get(component, [])
        yield from differences(names[0], files_of_package(debs[names[0]]), WANTED[component] + papers)


def installed(tree, *options):
    with tempfile.TemporaryDirectory() as prefix:
        subprocess.run(["cmake", "--install", tree, "--prefix", prefix, *options], stdout=subprocess.DEVNULL, check=True)
        return {file.relative_to(prefix).as_posix() for file in Path(prefix).rglob("*")
                if file.is_symlink() or not file.is_dir()}


def check_build(tree):
    """Of a static build with the checked library, as the tests have: no shared library is there to be installed."""
    everything = set()
    for component, patterns in WANTED.items():
        shared = [pattern for pattern in patterns if re.search(r"libdetent(?:_calendar|_durable(?:_sqlite|_redis|_postgres)?)?\\\.so", pattern)]
        files = installed(tree, "--component", component)
        yield from differences(component, files, [pattern for pattern in patterns if pattern not in shared])
        for file in sorted(files & everything):
            yield f"{component}: {file} is in another component as well"
        everything |= files
    for file in sorted(installed(tree) ^ everything):
        yield f"{file}: installed by all components together, or by `cmake --install`, but not by both"


def main():
    if len(sys.argv) != 3 or sys.argv[1] not in ("debs", "build"):
        sys.exit(__doc__)
    lines = list({"debs": check_debs, "build": check_build}[sys.argv[1]](sys.argv[2]))
    for line in lines:
        print(line)
    return 1 if lines else 0


if __name__ == "__main__":
    sys.exit(main())
