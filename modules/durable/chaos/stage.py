# SPDX-License-Identifier: MIT
"""Where faults happen: the processes, and what is noted of each fault. What could not be fired during an outage is not late."""
import random
import signal
import subprocess
import sys
import threading
import time

EACH = 0.02     # seconds between two looks for processes that a timer has killed
NEAR = 2.5      # seconds before an instant that a fault for it is chosen
PATIENCE = 300  # seconds that anything is waited for: a limit against hanging, and no measure


def boot_us():
    return time.clock_gettime_ns(time.CLOCK_BOOTTIME) // 1000


def until(holds, what):
    end = time.monotonic() + PATIENCE
    while not (value := holds()):
        if time.monotonic() > end:
            raise SystemExit(f"chaos: waited {PATIENCE} s for {what}")
        time.sleep(0.002)
    return value


def until_empty(stage):
    """Returns when nothing waits in the store, or when that has become no less for so long."""
    left, patience = stage.listed(), 30 + 5 * stage.lease
    end_of_wait = time.time() + patience
    while left != 0 and time.time() < end_of_wait:
        time.sleep(0.2)
        now = stage.listed()
        if now is not None and (left is None or now < left):
            end_of_wait, left = time.time() + patience, now


def for_instant(fault):
    """Marks a fault that needs many timers that are due at once."""
    fault.for_instant = True
    return fault


class Worker:
    def __init__(self, command, log, *first):
        self.command, self.log, self.process = command, log, None
        self.start(*first)

    def start(self, *more):
        self.process = subprocess.Popen(self.command + list(more), stdin=subprocess.DEVNULL, stderr=self.log)
        self.is_wanted = True

    def signal(self, number):
        self.process.send_signal(number)

    def kill(self):
        self.is_wanted = False
        self.process.kill()
        self.process.wait()

    def end(self):
        self.is_wanted = False
        self.signal(signal.SIGCONT)
        self.process.terminate()
        try:
            return self.process.wait(60)
        except subprocess.TimeoutExpired:
            self.kill()
            return "no end within a minute"


class Reviver(threading.Thread):
    """Starts each process again that a timer has killed. `workers()` has the processes by name."""

    def __init__(self, stage):
        super().__init__(daemon=True)
        self.stage, self.over = stage, threading.Event()

    def run(self):
        while not self.over.wait(EACH):
            now = boot_us()
            for name, worker in self.stage.named().items():
                if worker.is_wanted and worker.process.poll() == -signal.SIGKILL:
                    worker.start()
                    self.stage.fault("killed", name, now - int(2e6 * EACH))
                    self.stage.outage(now - int(2e6 * EACH))

    def end(self):
        self.over.set()
        self.join()


class Stage:
    """`owned()` says how many shards have an owner; a fault is a function of a stage that returns how many shards it hit and what
    it did. The driver's journal, which judge/journals.py explains, has what the judge needs of it."""

    AHEAD = 1.5  # seconds from the first look until timers are put: the servers are made in that time

    def __init__(self, wanted, directory, common, log):
        self.shards, self.lease, self.log = wanted.shards, wanted.lease / 1000, log
        self.random = random.Random(wanted.seed)
        self.common, self.build = common, wanted.build
        self.journals = f"{directory}/journals"
        self.journal = open(f"{self.journals}/driver", "ab", buffering=0)
        self.instants = []     # s since 1970, which many timers share
        self.missed = []       # faults that hit no shard

    def note(self, what, *words):
        line = " ".join(map(str, (what, boot_us(), time.time_ns() // 1000, *words, ".")))
        self.journal.write(line.encode() + b"\n")

    def complaints(self):
        """What servers say of themselves, for a failure."""
        return []

    def wait(self, leases):
        time.sleep(leases * self.lease)

    def outage(self, begin):
        self.note("outage", begin, boot_us())

    def fault(self, kind, whom, begin):
        self.note("fault", kind, whom, begin, boot_us())

    def kill_worker(self, name, worker, kind="killed"):
        """Returns when it was killed."""
        begin = boot_us()
        worker.kill()
        self.fault(kind, name, begin)
        return begin

    def listed(self, *more):
        """How many timers wait in the store; None if it does not answer."""
        command = [*self.common, *self.address(), "--node", "lister", "--list", *more]
        ended = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=self.log, check=False)
        return int(ended.stdout) if ended.returncode == 0 else None

    def perform(self, fault):
        count, text = fault(self)
        if count == 0:
            self.missed.append(text)
        return f"{count} shards: {text}"

    def hurt(self, faults, end):
        """All of them in an order of the seed, again and again until `end`; those that are for an instant come when it does."""
        for_instants = [fault for fault in faults if hasattr(fault, "for_instant")]
        others = [fault for fault in faults if fault not in for_instants] or for_instants
        while faults and time.time() < end:
            for fault in self.random.sample(others, len(others)):
                if for_instants and self.is_instant_near():
                    fault = self.random.choice(for_instants)
                if time.time() >= end:
                    return
                print(f"  {self.perform(fault)}", flush=True)
                self.wait(2)
        sys.stdout.flush()

    def is_instant_near(self):
        return any(0 < instant - time.time() < NEAR for instant in self.instants)

    def until_instant(self, ahead):
        """Waits until it is so many seconds before the instant that is near."""
        for instant in self.instants:
            if ahead < instant - time.time() < NEAR:
                time.sleep(instant - ahead - time.time())
