# SPDX-License-Identifier: MIT
"""Nodes that share a Redis with a replica. Each fault hits a node that has shards, or the server that all of them use."""
import signal
import time

from redis import Pair
from stage import PATIENCE, Stage, Worker


class OnRedis(Stage):
    shared = True

    def __init__(self, wanted, directory, common, log):
        super().__init__(wanted.shards, wanted.lease / 1000, wanted.seed)
        self.pair, self.log = Pair(directory), log
        self.common = [*common, "--redis", self.pair.address, "--patience", str(max(20, wanted.lease // 5)), "--replicas", "1"]
        self.workers, self.putting = {}, None
        for number in range(wanted.workers):
            name = chr(ord("A") + number) if number < 26 else f"N{number}"
            self.workers[name] = Worker([*self.common, "--node", name], log)

    def put(self, load):
        self.putting = Worker([*self.common, "--node", "putter", "--put", *load], self.log)

    def wait_for_puts(self):
        self.putting.process.wait(PATIENCE)

    def owners(self):
        names = [self.pair.master.ask(f"HGET detent:{{{shard:02}}}:own node") or "" for shard in range(self.shards)]
        return [name.split(".")[0] for name in names]

    def owner(self):
        """A node that has shards, and how many."""
        owners = [name for name in self.owners() if name in self.workers]
        if not owners:
            return self.random.choice(sorted(self.workers)), 0
        name = self.random.choice(owners)
        return name, owners.count(name)

    def owned(self):
        return sum(name != "" for name in self.owners())

    def left(self):
        return sum(int(self.pair.master.ask(f"ZCARD detent:{{{shard:02}}}:due") or 0) for shard in range(self.shards))

    def processes(self):
        nodes = [*self.workers.values(), *([self.putting] if self.putting else [])]
        return [one.process.pid for one in [*nodes, self.pair.master, self.pair.replica] if one.process]

    def end(self):
        return [worker.end() for worker in self.workers.values()]

    def kill(self):
        for worker in [*self.workers.values(), *([self.putting] if self.putting else [])]:
            worker.kill()
        self.pair.end()


def node_killed(stage):
    name, count = stage.owner()
    stage.strike_dead(stage.workers[name])
    stage.wait(0.5)
    stage.workers[name].start()
    return count, f"{name} killed, and started half a lease later"


def node_stopped(stage):
    name, count = stage.owner()
    stage.strike()
    stage.workers[name].signal(signal.SIGSTOP)
    stage.wait(2.2)
    stage.workers[name].signal(signal.SIGCONT)
    return count, f"{name} stopped for 2.2 leases"


def clock_off(stage):
    name, count = stage.owner()
    off = stage.random.choice((-1000, 1000))
    stage.strike_dead(stage.workers[name])
    stage.workers[name].start("--clock-off", str(off))
    stage.wait(2)
    has = stage.owners().count(name)
    stage.strike_dead(stage.workers[name])
    stage.workers[name].start()
    return count, f"{name} killed, and started with its clock {off} ms off: it took {has} shards; killed, and started again"


def redis_killed(stage):
    count, begin = stage.owned(), stage.strike()
    stage.pair.master.kill()
    stage.wait(0.3)
    stage.pair.master.start()
    stage.outage(begin)
    return count, "the server killed, and started 0.3 leases later"


def redis_stopped(stage):
    count, begin = stage.owned(), stage.strike()
    stage.pair.master.stop()
    stage.wait(1.5)
    stage.pair.master.go_on()
    stage.outage(begin)
    return count, "the server stopped for 1.5 leases"


def replica_promoted(stage):
    stage.pair.wait_for_replica()
    count, begin = stage.owned(), stage.strike(forgets=True)
    stage.pair.promote()
    stage.outage(begin)
    stage.pair.bring_replica()
    return count, "the server killed, and its replica promoted, which had not heard the last 300 ms"


def scripts_flushed(stage):
    stage.strike()
    stage.pair.master.ask("SCRIPT FLUSH")
    return stage.owned(), "scripts flushed"


def connections_cut(stage):
    stage.strike()
    for kind in ("normal", "pubsub"):
        stage.pair.master.ask(f"CLIENT KILL TYPE {kind} SKIPME yes")
    return stage.owned(), "all connections cut"


def read_only(stage):
    count, begin = stage.owned(), stage.strike()
    stage.pair.master.ask("REPLICAOF 127.0.0.1 1")
    stage.wait(0.8)
    stage.pair.master.ask("REPLICAOF NO ONE")
    stage.outage(begin)
    stage.pair.follow()
    return count, "the server read-only for 0.8 leases"


def out_of_memory(stage):
    count = stage.owned()
    stage.strike()
    stage.pair.master.ask("CONFIG SET maxmemory 1")
    stage.wait(1)
    stage.pair.master.ask("CONFIG SET maxmemory 0")
    return count, "the server full for a lease"


FAULTS = (node_killed, node_stopped, clock_off, redis_killed, redis_stopped, replica_promoted, scripts_flushed,
          connections_cut, read_only, out_of_memory)
