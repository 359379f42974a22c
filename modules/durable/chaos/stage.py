# SPDX-License-Identifier: MIT
"""Where faults happen: the processes, and what is noted of each fault. What could not be fired during an outage of the
store is not late."""
import random
import signal
import subprocess
import sys
import time

PATIENCE = 300  # seconds that anything is waited for: a limit against hanging, and no measure


def now_us():
    return time.time_ns() // 1000


def until(holds, what):
    end = time.monotonic() + PATIENCE
    while not (value := holds()):
        if time.monotonic() > end:
            raise SystemExit(f"chaos: waited {PATIENCE} s for {what}")
        time.sleep(0.002)
    return value


class Worker:
    def __init__(self, command, log, *first):
        self.command, self.log, self.process = command, log, None
        self.start(*first)

    def start(self, *more):
        self.process = subprocess.Popen(self.command + list(more), stdin=subprocess.DEVNULL, stderr=self.log)

    def signal(self, number):
        self.process.send_signal(number)

    def kill(self):
        self.process.kill()
        self.process.wait()

    def end(self):
        self.signal(signal.SIGCONT)
        self.process.terminate()
        try:
            return self.process.wait(60)
        except subprocess.TimeoutExpired:
            self.kill()
            return "no end within a minute"


class Stage:
    """`shared` says whether several nodes have the store, `owned()` how many shards are owned by anybody; a fault is a function of a stage that returns how many shards it
    hit and what it did."""

    def __init__(self, shards, lease, seed):
        self.shards, self.lease = shards, lease
        self.random = random.Random(seed)
        self.outages = []      # (from, to) in us since 1970
        self.begins = []       # of each blow, in us since 1970
        self.deaths = {}       # by number, when the process was dead that the blow killed
        self.texts = []        # and which fault that was of
        self.forgot = set()    # which blows the store forgot ends by: a promoted replica had not heard of them
        self.missed = []       # faults that hit no shard

    def wait(self, leases):
        time.sleep(leases * self.lease)

    def outage(self, begin):
        self.outages.append((begin, now_us()))

    def strike(self, forgets=False):
        """Now something happens after which runs may be repeated."""
        if forgets:
            self.forgot.add(len(self.begins))
        self.begins.append(now_us())
        return self.begins[-1]

    def strike_dead(self, worker):
        begin = self.strike()
        worker.kill()
        self.deaths[len(self.begins) - 1] = now_us()
        return begin

    def perform(self, fault):
        count, text = fault(self)
        self.texts += [text] * (len(self.begins) - len(self.texts))
        if count == 0:
            self.missed.append(text)
        return f"{count} shards: {text}"

    def hurt(self, faults, end):
        """All of them in an order of the seed, again and again until `end`."""
        while faults and time.time() < end:
            for fault in self.random.sample(faults, len(faults)):
                if time.time() >= end:
                    return
                print(f"  {self.perform(fault)}", flush=True)
                self.wait(2)
        sys.stdout.flush()
