# SPDX-License-Identifier: MIT
"""usage: unchecked_test.py DEMO BUILD

Contenders that trust their luck in place of the clock are found out.
"""
import subprocess
import sys

SKIPPED = 77


def main(demo, build):
    done = subprocess.run([sys.executable, demo, build, "--unchecked", "--faults", "--seconds", "1", "--lease", "300"],
                          capture_output=True, text=True, timeout=250, check=False)
    print(done.stdout, done.stderr)
    if done.returncode == SKIPPED:
        sys.exit(SKIPPED)
    found = any(f" {words} " in done.stderr for words in ("acted", "went on"))
    assert done.returncode == 1 and "demo: broken promise: " in done.stderr and found, done


if __name__ == "__main__":
    main(*sys.argv[1:])
