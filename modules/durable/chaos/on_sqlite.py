# SPDX-License-Identifier: MIT
"""One process that has a file of SQLite, puts timers and runs them."""
import signal
import time

from stage import Stage, Worker, boot_us, for_instant, until

CAUGHT_UP = 10_000  # us


class OnSqlite(Stage):
    def __init__(self, wanted, directory, common, log):
        super().__init__(wanted, directory, common, log)
        for number in (signal.SIGUSR1, signal.SIGUSR2):  # inherited: one that was started just now does not listen yet
            signal.signal(number, signal.SIG_IGN)
        self.file = f"{directory}/timers"
        self.worker, self.counted, self.read = None, {"born": 0, "loaded": 0, "begin": 0}, 0
        self.late = 0  # us that the last run began after its time

    def address(self):
        return ["--sqlite", self.file]

    def owned(self):
        return self.shards  # its process has them all, and begins with the timers

    def put(self, load):
        self.worker = Worker([*self.common, *self.address(), "--node", "A", "--put", *load], self.log)

    def count(self, what):
        """How many such lines there are in the journal."""
        try:
            with open(f"{self.journals}/A", "rb") as lines:
                lines.seek(self.read)
                new = lines.read()
        except FileNotFoundError:
            return 0
        new = new[:new.rfind(b"\n") + 1]
        self.read += len(new)
        for line in new.splitlines():
            words = line.split()
            if words and (word := words[0].decode()) in self.counted:
                self.counted[word] += 1
                if word == "begin":
                    self.late = int(words[2]) - int(words[5])
        return self.counted[what]

    def runs_it(self, catching_up=False):
        """Waits until it has run one more, and has caught up with what was due: how many shards a fault hits then."""
        for _ in range(1 if catching_up else 2):  # the second time the ends of the backlog are written, too
            before = self.count("begin")
            until(lambda: self.count("begin") > before and (catching_up or self.late < CAUGHT_UP) or self.ended(), "a run")
            if not catching_up:
                time.sleep(0.05)
        return self.shards

    def ended(self):
        return self.count("loaded") != 0 and self.listed() == 0

    def again(self, *more):
        """The process is gone: the next one."""
        begun = self.count("born")
        self.worker.start(*more)
        until(lambda: self.count("born") > begun, "the file to be opened")

    def wait_for_puts(self):
        until(lambda: self.count("loaded") != 0, "all to be stored")

    def named(self):
        return {"A": self.worker} if self.worker else {}

    def processes(self):
        return [self.worker.process.pid] if self.worker else []

    def end(self):
        return {"A": self.worker.end()}

    def kill(self):
        if self.worker:
            self.worker.kill()


def killed(stage):
    count, begin = stage.runs_it(), stage.kill_worker("A", stage.worker)
    stage.wait(0.5)
    stage.again()
    stage.outage(begin)
    return count, "killed, and started half a lease later"


def killed_often(stage):
    for _ in range(5):
        count = stage.runs_it()
        time.sleep(stage.random.random() * 0.1)
        begin = stage.kill_worker("A", stage.worker)
        stage.again()
        stage.outage(begin)
    return count, "killed amid writing five times, and started at once"


def killed_catching_up(stage):
    stage.runs_it()
    begin = stage.kill_worker("A", stage.worker)
    stage.wait(1)
    stage.again()
    stage.runs_it(catching_up=True)
    count = stage.shards
    stage.kill_worker("A", stage.worker)
    stage.again()
    stage.outage(begin)
    return count, "killed, and killed again amid what was due meanwhile"


@for_instant
def killed_full(stage):
    count = stage.runs_it()
    stage.until_instant(0.1)
    begin = boot_us()
    stage.worker.signal(signal.SIGUSR1)
    stage.wait(1.2)
    stage.kill_worker("A", stage.worker)
    stage.again()
    stage.outage(begin)
    return count, "killed when the disk had been full for 1.2 leases, with many timers due"


def stopped(stage):
    count, begin = stage.runs_it(), boot_us()
    stage.worker.signal(signal.SIGSTOP)
    stage.wait(2.2)
    stage.worker.signal(signal.SIGCONT)
    stage.fault("stopped", "A", begin)
    stage.outage(begin)
    return count, "stopped for 2.2 leases"


def disk_full(stage):
    count, begin = stage.runs_it(), boot_us()
    stage.worker.signal(signal.SIGUSR1)
    stage.wait(1.5)
    stage.worker.signal(signal.SIGUSR2)
    stage.outage(begin)
    return count, "the disk full for 1.5 leases"


def power_lost(stage):
    count, begin = stage.runs_it(), stage.kill_worker("A", stage.worker, "power")
    stage.again("--power-lost")
    stage.outage(begin)
    return count, "the power lost: what was not synced is gone"


FAULTS = (killed, killed_often, killed_catching_up, killed_full, stopped, disk_full, power_lost)
