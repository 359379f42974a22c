# SPDX-License-Identifier: MIT
"""What goes wrong. Each fault hits a node that has shards, or the server that all of them use, lasts for some leases, and
says what it did and how many shards it hit. The store's outages are noted: what could not be fired then is not late."""
import random
import signal
import time


class Stage:
    def __init__(self, pair, shards, lease, workers, seed):
        self.pair, self.shards, self.lease, self.workers = pair, shards, lease, workers
        self.random = random.Random(seed)
        self.outages = []      # (from, to) in us since 1970
        self.node_faults = 0   # of an owner
        self.store_faults = 0  # of the server
        self.unheard = 0       # seconds of which a promoted replica did not know the ends
        self.missed = []       # faults that hit no shard

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

    def wait(self, leases):
        time.sleep(leases * self.lease)

    def outage(self, begin):
        self.outages.append((begin, now_us()))


def now_us():
    return time.time_ns() // 1000


def node_killed(stage):
    name, count = stage.owner()
    stage.workers[name].kill()
    stage.wait(0.5)
    stage.workers[name].start()
    return count, f"{name} killed, and started half a lease later"


def node_stopped(stage):
    name, count = stage.owner()
    stage.workers[name].process.send_signal(signal.SIGSTOP)
    stage.wait(2.2)
    stage.workers[name].process.send_signal(signal.SIGCONT)
    return count, f"{name} stopped for 2.2 leases"


def clock_off(stage):
    name, count = stage.owner()
    off = stage.random.choice((-1000, 1000))
    stage.workers[name].kill()
    stage.workers[name].start("--clock-off", str(off))
    stage.wait(2)
    has = stage.owners().count(name)
    stage.workers[name].kill()
    stage.workers[name].start()
    return count, f"{name} killed, and started with its clock {off} ms off: it took {has} shards; killed, and started again"


def redis_killed(stage):
    count, begin = stage.owned(), now_us()
    stage.pair.master.kill()
    stage.wait(0.3)
    stage.pair.master.start()
    stage.outage(begin)
    return count, "the server killed, and started 0.3 leases later"


def redis_stopped(stage):
    count, begin = stage.owned(), now_us()
    stage.pair.master.stop()
    stage.wait(1.5)
    stage.pair.master.go_on()
    stage.outage(begin)
    return count, "the server stopped for 1.5 leases"


def replica_promoted(stage):
    count, begin = stage.owned(), now_us()
    stage.pair.promote()
    stage.outage(begin)
    stage.unheard += (now_us() - begin) / 1e6
    stage.pair.bring_replica()
    return count, "the server killed, and its replica promoted, which had not heard the last 300 ms"


def scripts_flushed(stage):
    stage.pair.master.ask("SCRIPT FLUSH")
    return stage.owned(), "scripts flushed"


def connections_cut(stage):
    for kind in ("normal", "pubsub"):
        stage.pair.master.ask(f"CLIENT KILL TYPE {kind} SKIPME yes")
    return stage.owned(), "all connections cut"


def read_only(stage):
    count, begin = stage.owned(), now_us()
    stage.pair.master.ask("REPLICAOF 127.0.0.1 1")
    stage.wait(0.8)
    stage.pair.master.ask("REPLICAOF NO ONE")
    stage.outage(begin)
    stage.pair.follow()
    return count, "the server read-only for 0.8 leases"


def out_of_memory(stage):
    count = stage.owned()
    stage.pair.master.ask("CONFIG SET maxmemory 1")
    stage.wait(1)
    stage.pair.master.ask("CONFIG SET maxmemory 0")
    return count, "the server full for a lease"


OF_NODES = (node_killed, node_stopped, clock_off)
OF_STORE = (redis_killed, redis_stopped, replica_promoted, scripts_flushed, connections_cut, read_only, out_of_memory)
ALL = OF_NODES + OF_STORE


def perform(stage, fault):
    count, text = fault(stage)
    if count == 0:
        stage.missed.append(text)
    elif fault in OF_NODES:
        stage.node_faults += 1 if fault is not clock_off else 2
    else:
        stage.store_faults += 1
    return f"{count} shards: {text}"
