# SPDX-License-Identifier: MIT
"""What the commands say of themselves by --help."""
import re
import subprocess
import sys

COMMANDS = ("replay", "run", "doctor", "stat", "pending", "top", "console", "cron", "durable")
LINE = re.compile(r"^  +(-.*?)(?=  |\n)", re.MULTILINE)
RULES = re.compile(r" (?:Excludes|Needs):.*| REQUIRED")  # which other options it goes with
OPTION = re.compile(r"(?<![\w-])(--?[\w-]+)(?:[ =](\{[^}]*\}|[A-Z][A-Z.a-z|]*))?")


def programs(detent, tools):
    """{name of the man page: how the program is called}"""
    return {
        "detent": [detent],
        **{f"detent-{command}": [detent, command] for command in COMMANDS},
        "detent-kernel-trace": [sys.executable, f"{tools}/kernel-trace"],
        "detent-profile": [sys.executable, f"{tools}/profile", "pid"],
    }


def help_of(call):
    """That of a command that has commands of its own, with theirs."""
    done = subprocess.run([*call, "--help"], capture_output=True, text=True, check=True, timeout=60)
    below = done.stdout.partition("\nSubcommands:\n")[2] if len(call) > 1 else ""
    return done.stdout + "".join(help_of([*call, name]) for name in re.findall(r"^  (\w+) ", below, re.MULTILINE))


def options_of(text):
    """{option: its value's name, or empty}, from what stands at the beginnings of a help text's lines."""
    found = {}
    for line in LINE.findall(text + "\n"):
        value = ""
        named = OPTION.findall(RULES.sub("", line))
        for _, name in named:
            value = name or value
        found.update({option: value for option, _ in named})
    return found
