# SPDX-License-Identifier: MIT
"""Nodes that share a server. A stage of these says how the server is asked, stopped and ended, and who owns the shards; each fault
here hits a node that has some."""
import signal

from stage import PATIENCE, Stage, Worker, boot_us, for_instant, until


class Nodes(Stage):
    MORE = ()  # what those say that change the store

    def __init__(self, wanted, directory, common, log):
        super().__init__(wanted, directory, common, log)
        self.faults = wanted.faults
        self.make_servers(directory)
        self.workers, self.putting = {}, None
        for number in range(wanted.workers):
            name = chr(ord("A") + number) if number < 26 else f"N{number}"
            self.workers[name] = Worker([*self.common, *self.address(), *self.MORE, "--node", name], log)

    def patience(self):
        return ["--patience", str(max(20, int(self.lease * 200)))]

    def put(self, load):
        self.putting = Worker([*self.common, *self.address(), *self.MORE, "--node", "putter", "--put", *load],
                              self.log)

    def wait_for_puts(self):
        self.putting.process.wait(PATIENCE)

    def owner(self):
        """A node that has shards, and how many."""
        owners = [name for name in self.owners() if name in self.workers]
        if not owners:
            return self.random.choice(sorted(self.workers)), 0
        name = self.random.choice(owners)
        return name, owners.count(name)

    def owned(self):
        return sum(name != "" for name in self.owners())

    def perform(self, fault):
        until(self.owned, "a shard with an owner")  # a fault before it may have left none
        return super().perform(fault)

    def away(self, begin):
        self.fault("away", "-", begin)
        self.outage(begin)

    def named(self):
        return self.workers

    def all_workers(self):
        return [*self.workers.values(), *([self.putting] if self.putting else [])]

    def processes(self):
        return [*(one.process.pid for one in self.all_workers()), *self.server_processes()]

    def end(self):
        return {name: worker.end() for name, worker in self.workers.items()}

    def kill(self):
        for worker in self.all_workers():
            worker.kill()
        self.end_servers()


def node_killed(stage):
    name, count = stage.owner()
    stage.kill_worker(name, stage.workers[name])
    stage.wait(0.5)
    stage.workers[name].start()
    return count, f"{name} killed, and started half a lease later"


def node_stopped(stage):
    name, count = stage.owner()
    begin = boot_us()
    stage.workers[name].signal(signal.SIGSTOP)
    stage.wait(2.2)
    stage.workers[name].signal(signal.SIGCONT)
    stage.fault("stopped", name, begin)
    return count, f"{name} stopped for 2.2 leases"


@for_instant
def node_killed_away(stage):
    name, count = stage.owner()
    stage.until_instant(0.1)
    begin = boot_us()
    stage.stop_server()
    stage.wait(0.8)
    stage.kill_worker(name, stage.workers[name])
    stage.continue_server()
    stage.away(begin)
    stage.workers[name].start()
    return count, f"the server stopped for 0.8 leases, with many timers due, and then {name} killed"


def clock_off(stage):
    name, count = stage.owner()
    off = stage.random.choice((-1000, 1000))
    stage.kill_worker(name, stage.workers[name])
    stage.workers[name].start("--clock-off", str(off))
    stage.wait(2)
    has = stage.owners().count(name)
    stage.kill_worker(name, stage.workers[name])
    stage.workers[name].start()
    return count, f"{name} killed, and started with its clock {off} ms off: it took {has} shards; killed, and started again"


def server_stopped(stage):
    count, begin = stage.owned(), boot_us()
    stage.stop_server()
    stage.wait(1.5)
    stage.continue_server()
    stage.away(begin)
    return count, "the server stopped for 1.5 leases"
