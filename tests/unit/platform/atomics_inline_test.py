#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Every atomic operation of the library is an instruction or a few: none became a call of libatomic, which takes a lock
for what it does not know, 16 bytes among them.

usage: atomics_inline_test.py NM LIBRARY
"""
import subprocess
import sys

CALLS = ("__atomic_", "__sync_")  # g++'s __aarch64_... choose between two instructions, and take no lock


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__.split("\n\n")[1])
    nm, library = sys.argv[1:]
    listed = subprocess.run([nm, "--undefined-only", "--format=just-symbols", library], check=True, text=True,
                            stdout=subprocess.PIPE).stdout
    names = {line.split("@")[0] for line in listed.split()}
    if not any(name.startswith("pthread_") for name in names):
        sys.exit(f"{library}: no reference to any pthread_ function: was this the library?")
    calls = sorted(name for name in names if name.startswith(CALLS))
    if calls:
        sys.exit(f"{library} calls {', '.join(calls)}")


if __name__ == "__main__":
    main()
