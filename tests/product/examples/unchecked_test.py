# SPDX-License-Identifier: MIT
"""usage: unchecked_test.py FOUND DEMO BUILD [OPTION...]

A demo whose programs look at no clock and no fence finds a broken promise, and says so in words that the expression FOUND matches.
"""
import re
import subprocess
import sys

SKIPPED = 77


def main(found, demo, build, *options):
    done = subprocess.run([sys.executable, demo, build, "--unchecked", "--faults", "--seconds", "1", *options],
                          capture_output=True, text=True, timeout=250, check=False)
    print(done.stdout, done.stderr)
    if done.returncode == SKIPPED:
        sys.exit(SKIPPED)
    assert done.returncode == 1 and re.search(f"demo: broken promise: {found}", done.stderr), done


if __name__ == "__main__":
    main(*sys.argv[1:])
