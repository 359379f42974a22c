# SPDX-License-Identifier: MIT
"""Records the kernel's timer events through an instance of its tracing that is this program's own."""
import errno
import glob
import gzip
import os
import re
import signal
import sys
import time

EVENTS = {
    "timer": ("timer_init", "timer_start", "timer_cancel", "timer_expire_entry"),
    "hrtimer": ("hrtimer_init", "hrtimer_setup", "hrtimer_start", "hrtimer_cancel", "hrtimer_expire_entry"),
}
MAY_LACK = {"hrtimer_init", "hrtimer_setup"}  # one is the other's later name
CHECK_EVERY = 0.1  # s: each check is a timer, too
CLOCKS = ("REALTIME", "BOOTTIME", "TAI")
LEAST_BUFFER, MOST_BUFFER = 8 << 20, 256 << 20  # bytes, of all CPUs together


class NoTracing(Exception):
    """One line that says what keeps the kernel from being traced."""


def place_of_tracefs():
    with open("/proc/mounts", encoding="utf-8") as mounts:
        for line in mounts:
            _, place, kind, *_ = line.split()
            if kind == "tracefs":
                return place
    raise NoTracing("no tracefs is mounted; as root: mount -t tracefs nodev /sys/kernel/tracing")


def buffer_kb():
    """For each CPU: a sixteenth of the memory that is free, in bounds."""
    with open("/proc/meminfo", encoding="ascii") as file:
        free = int(re.search(r"^MemAvailable:\s+(\d+) kB", file.read(), re.MULTILINE).group(1)) << 10
    return max(min(max(free // 16, LEAST_BUFFER), MOST_BUFFER) // (os.cpu_count() or 1) >> 10, 1024)


def configured_rate():
    """CONFIG_HZ of the running kernel; None where its configuration is not at hand."""
    release = os.uname().release
    for path in ("/proc/config.gz", f"/boot/config-{release}", f"/lib/modules/{release}/config"):
        try:
            with (gzip.open if path.endswith(".gz") else open)(path, "rt", encoding="utf-8") as file:
                found = re.search(r"^CONFIG_HZ=(\d+)$", file.read(), re.MULTILINE)
        except OSError:
            continue
        if found:
            return int(found.group(1))
    return None


def facts():
    """What a converter must know of this machine, as lines of the recording."""
    rate = configured_rate()
    lines = [f"# detent: hz {rate}"] if rate else []
    for name in CLOCKS:
        before = time.monotonic_ns()
        other = time.clock_gettime_ns(getattr(time, f"CLOCK_{name}"))
        lines.append(f"# detent: clock CLOCK_{name} {other - (before + time.monotonic_ns()) // 2}")
    return "".join(f"{line}\n" for line in lines).encode()


class Instance:
    """A tracing instance that is there inside a `with`, and gone after it, however that ends."""

    def __init__(self, root, buffer_size_kb):
        self.path = os.path.join(root, "instances", f"detent-{os.getpid()}")
        self._buffer_size_kb = buffer_size_kb

    def __enter__(self):
        try:
            os.mkdir(self.path)
        except OSError as trouble:
            why = "only root may do this" if trouble.errno in (errno.EACCES, errno.EPERM) else trouble.strerror
            raise NoTracing(f"{self.path} cannot be made: {why}") from None
        try:
            self.set("tracing_on", 0)
            self.set("trace_clock", "mono")
            self.set("buffer_size_kb", self._buffer_size_kb)
        except BaseException:
            self._remove()
            raise
        return self

    def __exit__(self, *_):
        self._remove()

    def _remove(self):
        for _ in range(50):  # the kernel lets go of the pipe a little after its close
            try:
                os.rmdir(self.path)
                return
            except OSError as trouble:
                if trouble.errno != errno.EBUSY:
                    break
                time.sleep(0.02)
        print(f"kernel-trace: {self.path} could not be removed; as root: rmdir {self.path}", file=sys.stderr)

    def set(self, name, value):
        try:
            with open(os.path.join(self.path, name), "w", encoding="ascii") as file:
                file.write(f"{value}\n")
        except OSError as trouble:
            raise NoTracing(f"{self.path}/{name} does not take {value}: {trouble.strerror}") from None

    def enable(self, kinds):
        for kind in kinds:
            for event in EVENTS[kind]:
                switch = os.path.join("events", "timer", event, "enable")
                if event in MAY_LACK and not os.path.exists(os.path.join(self.path, switch)):
                    continue
                self.set(switch, 1)

    def lost(self):
        total = 0
        for stats in glob.glob(os.path.join(self.path, "per_cpu", "cpu*", "stats")):
            with open(stats, encoding="ascii") as file:
                counts = dict(line.rsplit(":", 1) for line in file if ":" in line)
            total += sum(int(counts.get(name, 0)) for name in ("overrun", "commit overrun", "dropped events"))
        return total


def drain(pipe, out):
    """Writes what the pipe holds by now."""
    while True:
        try:
            data = os.read(pipe, 1 << 16)
        except BlockingIOError:
            return
        if not data:
            return
        out.write(data)


def record(root, kinds, seconds, buffer_size_kb, out):
    """Records for so long, or until ^C."""
    with Instance(root, buffer_size_kb) as instance:
        pipe = os.open(os.path.join(instance.path, "trace_pipe"), os.O_RDONLY | os.O_NONBLOCK)
        try:
            out.write(facts())
            instance.enable(kinds)
            listen(instance, pipe, seconds, out)
            lost = instance.lost()
        finally:
            os.close(pipe)
        out.write(f"# detent: lost {lost}\n".encode())


def listen(instance, pipe, seconds, out):
    ended = False

    def end(*_):
        nonlocal ended
        ended = True

    before = signal.signal(signal.SIGINT, end)
    try:
        instance.set("tracing_on", 1)
        until = time.monotonic() + seconds
        while not ended and (left := until - time.monotonic()) > 0:
            time.sleep(min(CHECK_EVERY, left))
            drain(pipe, out)
        instance.set("tracing_on", 0)
        drain(pipe, out)
    finally:
        signal.signal(signal.SIGINT, before)
