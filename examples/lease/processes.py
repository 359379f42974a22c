# SPDX-License-Identifier: MIT
"""The contenders, with what they say of themselves."""
import dataclasses
import re
import signal

from stage import Program, has_stopped, until


def wait_stopped(process):
    until(lambda: has_stopped(process), "SIGSTOP")


def stop(process):
    process.send_signal(signal.SIGSTOP)
    wait_stopped(process)


@dataclasses.dataclass(frozen=True)
class Event:
    name: str  # of the contender
    kind: str
    fence: int
    at: int
    until: int
    why: str


class Contender(Program):
    """A process that writes its events to the common record."""

    def __init__(self, name, command, record):
        self.name, self.record = name, record
        super().__init__(command, self._take)

    def _take(self, line):
        kind, numbers = line.split(maxsplit=1)[0], {k: int(v) for k, v in re.findall(r" (\w+)=(\d+)", line)}
        why = line.partition(" why=")[2].strip()
        self.record.append(Event(self.name, kind, numbers.get("fence", 0), numbers["at"], numbers.get("until", 0), why))

    def end(self):
        super().end(f"contender {self.name}")
