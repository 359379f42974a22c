# SPDX-License-Identifier: MIT
"""usage: unchecked_test.py DEMO BUILD

An exchange that looks at no fence and remembers nothing lets an order expire twice, and the demo finds it.
"""
import subprocess
import sys

SKIPPED = 77


def main(demo, build):
    done = subprocess.run([sys.executable, demo, build, "--unchecked", "--faults", "--seconds", "1"], capture_output=True,
                          text=True, timeout=250, check=False)
    print(done.stdout, done.stderr)
    if done.returncode == SKIPPED:
        sys.exit(SKIPPED)
    assert done.returncode == 1 and "demo: broken promise: order:" in done.stderr and "took effect a second time" in done.stderr, done


if __name__ == "__main__":
    main(*sys.argv[1:])
