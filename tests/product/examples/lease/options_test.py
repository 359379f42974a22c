# SPDX-License-Identifier: MIT
"""usage: options_test.py CONTENDER

What the contender is told wrongly it refuses, and says why.
"""
import subprocess
import sys
import tempfile
from pathlib import Path

SKIPPED = 77


def run(program, *arguments):
    return subprocess.run([program, *arguments], capture_output=True, text=True, timeout=60, check=False)


def main(program):
    if not Path(program).exists():
        sys.exit(SKIPPED)
    with tempfile.TemporaryDirectory() as nowhere:
        good = ["--redis", f"{nowhere}/redis", "--journal", f"{nowhere}/journal"]
        for arguments, named in (([], "--redis"), (good[:2], "--journal"), ([*good, "--lease", "0"], "--lease"),
                                 ([*good, "--hold", "-1"], "--hold"), ([*good, "surplus"], "surplus"),
                                 (["--redis", "host:port", *good[2:]], "host:port")):
            refused = run(program, *arguments)
            assert refused.returncode != 0 and named in refused.stderr and refused.stdout == "", (arguments, refused)
        refused = run(program, *good)
        assert refused.returncode == 1, refused
        assert refused.stderr.splitlines() == [f"contender: {nowhere}/journal: No such file or directory"], refused
        too_long = f"{nowhere}/{'x' * 200}"
        refused = run(program, "--redis", "x", "--journal", too_long)
        assert refused.returncode == 1 and too_long in refused.stderr, refused
    told = run(program, "--help")
    assert told.returncode == 0 and "--redis" in told.stdout and told.stderr == "", told


if __name__ == "__main__":
    main(sys.argv[1])
