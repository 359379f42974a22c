# SPDX-License-Identifier: MIT
"""The text of the kernel's timer tracepoints: ftrace's `trace` and `trace_pipe`, trace-cmd report, perf script."""
import gzip
import re
import typing
import zlib

STARTS = {"timer_start": "timer", "hrtimer_start": "hrtimer"}
CANCELS = {"timer_cancel": "timer", "hrtimer_cancel": "hrtimer"}
EXPIRIES = {"timer_expire_entry": "timer", "hrtimer_expire_entry": "hrtimer"}
# hrtimer_setup was hrtimer_init before Linux 6.15.
MAKINGS = {"timer_init": "timer", "hrtimer_init": "hrtimer", "hrtimer_setup": "hrtimer"}
KIND_OF = {**STARTS, **CANCELS, **EXPIRIES, **MAKINGS}

# TASK-PID or COMM PID, [CPU], perhaps flags, seconds, perhaps a period and the events' system, name: fields
LINE = re.compile(r"[-\s](?:\d+/)?(\d+)\s+(?:\([-\s\d]+\)\s+)?\[(\d+)\]\s+(?:[^\s:]+\s+)?(\d+)\.(\d{6}|\d{9}):\s+"
                  r"(?:\d+\s+)?(?:\w+:)?(\w+):(?:\s+(.*))?$")
LOST = re.compile(r"^\s*CPU:\d+ \[LOST (?:(\d+) )?EVENTS\]$")
FACT = re.compile(r"^# detent: (\w+) (\S+)(?: (\S+))?$")
FIELD = re.compile(r"(\w+)=([^\s\]]*)")
LONGEST_QUOTE = 60


class BadInput(Exception):
    """One line that says where and what."""


class Event(typing.NamedTuple):
    """What a tracepoint of a timer said."""
    t: int  # nanoseconds of the trace's clock
    cpu: int
    task: int
    name: str
    fields: dict
    place: str  # FILE:LINE

    @property
    def kind(self):
        return KIND_OF[self.name]

    @property
    def key(self):
        """What distinguishes one timer from another as long as both live."""
        address = self.text(self.kind)
        if "ptrval" in address:
            raise BadInput(f"{self.place}: the kernel hides its addresses ({address}): timers cannot be told apart")
        return self.kind, address

    def text(self, field):
        try:
            return self.fields[field]
        except KeyError:
            raise BadInput(f"{self.place}: {self.name} has no field '{field}'") from None

    def number(self, field):
        text = self.text(field)
        try:
            return int(text)
        except ValueError:
            raise BadInput(f"{self.place}: {self.name}: {field} is {quoted(text)}, not a whole number") from None


class Lost(typing.NamedTuple):
    """The kernel's word that it had no room for so many events here; 0: it does not know how many."""
    count: int


class Fact(typing.NamedTuple):
    """What the recorder noted down about the machine: `# detent: NAME VALUE [MORE]`."""
    name: str
    values: tuple
    place: str

    def number(self, index):
        try:
            return int(self.values[index])
        except (ValueError, IndexError):
            raise BadInput(f"{self.place}: '{self.name}' lacks a number") from None


def quoted(text):
    cut = text if len(text) <= LONGEST_QUOTE else text[:LONGEST_QUOTE] + "..."
    return "'" + cut.encode("unicode_escape").decode("ascii") + "'"


def opened(path):
    with open(path, "rb") as file:
        packed = file.read(2) == b"\x1f\x8b"
    return (gzip.open if packed else open)(path, "rt", encoding="utf-8", errors="backslashreplace", newline="\n")


def items(path, name):
    """Yields an Event, a Lost or a Fact for each line that is one. `name` is what the user calls the file."""
    number = 0
    try:
        with opened(path) as lines:
            for number, line in enumerate(lines, 1):
                found = item(line.rstrip("\n"), f"{name}:{number}")
                if found is not None:
                    yield found
    except (OSError, EOFError, zlib.error) as trouble:
        reason = getattr(trouble, "strerror", None) or trouble
        raise BadInput(f"{name}: cannot be read{f' after line {number}' if number else ''}: {reason}") from None


def item(line, place):
    found = LINE.search(line)
    if found is None:
        return remark(line, place)
    task, cpu, seconds, fraction, name, rest = found.groups()
    if name not in KIND_OF:
        return None
    t = int(seconds) * 1_000_000_000 + int(fraction) * (1000 if len(fraction) == 6 else 1)
    return Event(t, int(cpu), int(task), name, dict(FIELD.findall(rest or "")), place)


def remark(line, place):
    if found := FACT.match(line):
        name, *values = found.groups()
        return Fact(name, tuple(value for value in values if value is not None), place)
    if found := LOST.match(line):
        return Lost(int(found.group(1) or 0))
    if not line.strip() or line.lstrip().startswith("#"):
        return None
    raise BadInput(f"{place}: not a line of a kernel trace: {quoted(line.strip())}")
