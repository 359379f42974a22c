# SPDX-License-Identifier: MIT
"""One process that has a file of SQLite, puts timers and runs them."""
import signal
import sqlite3
import time

from stage import Stage, Worker, until


CAUGHT_UP = 10_000  # us


class OnSqlite(Stage):
    shared = False

    def __init__(self, wanted, directory, common, log):
        super().__init__(wanted.shards, wanted.lease / 1000, wanted.seed)
        self.file, self.journal, self.log = f"{directory}/timers", f"{directory}/journal", log
        self.common = [*common, "--sqlite", self.file, "--node", "A"]
        self.worker, self.counted, self.read = None, {"B": 0, "E": 0, "X": 0}, 0
        self.late = 0  # us that the last run began after its time

    def owned(self):
        return self.shards  # its process has them all, and begins with the timers

    def put(self, load):
        self.worker = Worker([*self.common, "--put", *load], self.log)

    def count(self, what):
        """How many such lines there are in the journal."""
        with open(self.journal, "rb") as lines:
            lines.seek(self.read)
            new = lines.read()
        new = new[:new.rfind(b"\n") + 1]
        self.read += len(new)
        for line in new.splitlines():
            if (letter := line[:1].decode()) in self.counted:
                self.counted[letter] += 1
            if letter == "X":
                words = line.split()
                self.late = int(words[3]) - int(words[2])
        return self.counted[what]

    def runs_it(self, catching_up=False):
        """Waits until it has run one more, and has caught up with what was due: how many shards a fault hits then."""
        for _ in range(1 if catching_up else 2):  # the second time the ends of the backlog are written, too
            before = self.count("X")
            until(lambda: self.count("X") > before and (catching_up or self.late < CAUGHT_UP) or self.ended(), "a run")
            if not catching_up:
                time.sleep(0.05)
        return self.shards

    def ended(self):
        return self.count("E") != 0 and self.left() == 0

    def again(self, *more):
        """The process is gone: the next one."""
        begun = self.count("B")
        self.worker.start(*more)
        until(lambda: self.count("B") > begun, "the file to be opened")

    def wait_for_puts(self):
        until(lambda: self.count("E") != 0, "all to be stored")

    def left(self):
        with sqlite3.connect(f"file:{self.file}?mode=ro", uri=True, timeout=10) as connection:
            return connection.execute("SELECT count(*) FROM timers").fetchone()[0]

    def processes(self):
        return [self.worker.process.pid] if self.worker else []

    def end(self):
        return [self.worker.end()]

    def kill(self):
        if self.worker:
            self.worker.kill()


def killed(stage):
    count, begin = stage.runs_it(), stage.strike_dead(stage.worker)
    stage.wait(0.5)
    stage.again()
    stage.outage(begin)
    return count, "killed, and started half a lease later"


def killed_often(stage):
    for _ in range(5):
        count = stage.runs_it()
        time.sleep(stage.random.random() * 0.1)
        begin = stage.strike_dead(stage.worker)
        stage.again()
        stage.outage(begin)
    return count, "killed amid writing five times, and started at once"


def killed_catching_up(stage):
    stage.runs_it()
    begin = stage.strike_dead(stage.worker)
    stage.wait(1)
    stage.again()
    stage.runs_it(catching_up=True)
    count = stage.shards
    stage.strike_dead(stage.worker)
    stage.again()
    stage.outage(begin)
    return count, "killed, and killed again amid what was due meanwhile"


def stopped(stage):
    count, begin = stage.runs_it(), stage.strike()
    stage.worker.signal(signal.SIGSTOP)
    stage.wait(2.2)
    stage.worker.signal(signal.SIGCONT)
    stage.outage(begin)
    return count, "stopped for 2.2 leases"


def disk_full(stage):
    count, begin = stage.runs_it(), stage.strike()
    stage.worker.signal(signal.SIGUSR1)
    stage.wait(1.5)
    stage.worker.signal(signal.SIGUSR2)
    stage.outage(begin)
    return count, "the disk full for 1.5 leases"


def power_lost(stage):
    count, begin = stage.runs_it(), stage.strike_dead(stage.worker)
    stage.again("--power-lost")
    stage.outage(begin)
    return count, "the power lost: what was not synced is gone"


FAULTS = (killed, killed_often, killed_catching_up, stopped, disk_full, power_lost)
