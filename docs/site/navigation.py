# SPDX-License-Identifier: MIT
"""Which pages the site has, and in which order they are read. README.md comes before all of them."""

CHAPTERS = {
    "Learn": ["docs/getting-started.md", "docs/one-file.md", "docs/concepts.md", "docs/migrating.md", "docs/faq.md"],
    "Guides": [
        "docs/groups.md", "docs/sharding.md", "docs/overload.md", "docs/testing.md", "docs/recipes.md", "docs/calendar.md", "docs/durable.md",
        "docs/durable-redis.md", "docs/durable-postgres.md", "docs/coroutines.md", "docs/asio.md", "docs/asio-drive.md", "docs/senders.md", "docs/endings.md", "docs/event-loops.md", "docs/c.md",
        "docs/tuning.md", "docs/operating.md", "docs/packages.md",
    ],
    "Examples": [
        "examples/gateway/README.md", "examples/game/README.md", "examples/rpc/README.md", "examples/lease/README.md",
        "examples/loops/README.md", "examples/match/README.md", "examples/session/README.md", "examples/auction/README.md", "examples/orders/README.md",
        "examples/embedded/README.md",
    ],
    "Monitoring and debugging": [
        "docs/monitoring.md", "docs/lateness.md", "docs/top.md", "docs/console.md", "docs/counters.md", "docs/doctor.md", "docs/report.md", "docs/recording.md",
        "docs/replay.md", "docs/profiling.md",
    ],
    "Reference": ["docs/cheat-sheet.md", "docs/reference.md", "docs/abi.md", "docs/upgrading.md", "docs/portability.md"],
    "Evidence": [
        "docs/evidence/GUARANTEES.md", "docs/evidence/progress.md", "docs/evidence/contract.md",
        "docs/evidence/bugs-of-others.md", "docs/evidence/coverage.md",
    ],
    "Benchmarks": ["docs/benchmarks.md", "docs/performance.md", "bench/peers/README.md", "bench/peers/children/README.md",
                 "bench/data/README.md"],
    "Project": [
        "docs/architecture.md", "core/README.md", "command/README.md", "tests/README.md", "tests/proofs/README.md",
        "tests/proofs/spin/README.md", "tests/search/histories/README.md", "tests/search/fuzz/README.md", "tests/spec/README.md", "stress/README.md",
        "CONTRIBUTING.md", "CHANGELOG.md",
    ],
}


def pages():
    return [page for chapter in CHAPTERS.values() for page in chapter]
