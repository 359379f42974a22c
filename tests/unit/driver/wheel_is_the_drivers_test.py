#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A caller that touches the wheel without driving, or the driver's end of the inbox or the groups, does not compile.

usage: wheel_is_the_drivers_test.py SOURCE COMPILER [FLAG...]
"""
import subprocess
import sys

RIGHT = "if (mine.driving != nullptr) mine.driving->reap(index, cancelled); else core.in.ring(mine)"
WRONG = {
    "core.wheel_.unlink(cancelled)": "the core has no wheel",
    "core.driver_.reap(index, cancelled)": "nor a driver",
    "static_cast<driver*>(mine.driving)->reap(index, cancelled)": "callers know no such type",
    "driver_port().reap(index, cancelled)": "nobody makes a port",
    "mine.driving->agenda_.reap(index, cancelled)": "and it leads to what it offers alone",
    "core.in.queue.take(nullptr, 0)": "the inbox shows no queue",
    "core.in.queue_.take(nullptr, 0)": "a producer has no more of the queue than its pushes",
    "core.in.bell_.clear()": "it rings the bell, and does not answer it",
    "core.in.unread_.set_left(0)": "nor does it say how much is left",
    "driver_end(core.in).queue().take(nullptr, 0)": "callers know no such type",
    "core.groups.take_requests()": "a caller asks for a sweep, and takes no request",
    "core.groups.begin_answer()": "nor does it answer",
    "core.groups.is_asked()": "nor does it ask what others have asked for",
    "core.nodes.group_of(index)->turns()": "nor how often a group was paused, which says how far a sweep has come",
    "core.groups.requests_.exchange(nullptr)": "the list of requests is the store's own",
    "core.nodes.group_of(index)->roster_.begin_walk()": "and the members are the driver's",
    "core.nodes.group_of(index)->went_through(0)": "as is how far they have been swept",
    "groups_end(core.groups).take_requests()": "callers know no such type",
}


def compiled(way, source, compiler):
    command = [*compiler, "-fsyntax-only", f"-DWAY={way}", source]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def main(source, *compiler):
    if (right := compiled(RIGHT, source, compiler)).returncode != 0:
        sys.exit(f"{RIGHT}: does not compile:\n{right.stderr}")
    for way, why in WRONG.items():
        wrong = compiled(way, source, compiler)
        errors = [line for line in wrong.stderr.splitlines() if " error: " in line]
        if wrong.returncode == 0:
            sys.exit(f"{way}: compiles, though {why}")
        if any("WAY" not in each and source not in each and "command-line" not in each and "command line" not in each
               for each in errors):
            sys.exit(f"{way}: fails for another reason:\n{wrong.stderr}")


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__.split("\n\n")[1])
    main(*sys.argv[1:])
