# SPDX-License-Identifier: MIT
"""The probes and how many arguments each has; and those that readelf finds in a file."""
import re
import subprocess

# The table of docs/profiling.md is held against this.
PROBES = {"schedule": 4, "cancel": 3, "restart": 4, "ring": 2, "refuse": 4, "drain": 2, "sleep": 2, "wake": 2,
          "fire": 6, "done": 3, "late": 6}
NOTE = re.compile(r"Provider: detent\s+Name: (\w+)\s+Location:.*\s+Arguments:([^\n]*)")


def found_in(path):
    """{probe: the numbers of arguments that it has at its places}"""
    shown = subprocess.run(["readelf", "-n", path], capture_output=True, text=True, check=True).stdout
    found = {}
    for name, arguments in NOTE.findall(shown):
        found.setdefault(name, set()).add(len(arguments.split()))
    return found
