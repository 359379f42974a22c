# SPDX-License-Identifier: MIT
"""Which pages the site has, and in which order they are read. README.md comes before all of them."""

CHAPTERS = {
    "Learn": ["docs/getting-started.md", "docs/one-file.md", "docs/concepts.md", "docs/coming-from.md", "docs/faq.md"],
    "Guides": [
        "docs/groups.md", "docs/overload.md", "docs/coroutines.md", "docs/asio.md", "docs/event-loops.md", "docs/c.md",
        "docs/tuning.md", "docs/operating.md", "docs/packages.md",
    ],
    "Examples": [
        "examples/gateway/README.md", "examples/game/README.md", "examples/rpc/README.md", "examples/lease/README.md",
        "examples/embedded/README.md",
    ],
    "Seeing": [
        "docs/lateness.md", "docs/top.md", "docs/counters.md", "docs/doctor.md", "docs/report.md", "docs/recording.md",
        "docs/replay.md", "docs/profiling.md",
    ],
    "Reference": ["reference/index.md", "docs/GUARANTEES.md", "docs/progress.md", "docs/contract.md", "docs/abi.md",
                  "docs/portability.md"],
    "Measured": ["docs/benchmarks.md", "docs/performance.md", "bench/peers/README.md", "bench/peers/children/README.md",
                 "bench/data/README.md"],
    "Project": [
        "docs/architecture.md", "core/README.md", "docs/mutants.md", "docs/coverage.md", "docs/bugs-of-others.md",
        "tests/model/README.md",
        "tests/spin/README.md", "tests/histories/README.md", "tests/fuzz/README.md", "stress/README.md",
        "stress/litmus/README.md", "CONTRIBUTING.md", "CHANGELOG.md",
    ],
}


def pages():
    return [page for chapter in CHAPTERS.values() for page in chapter]
