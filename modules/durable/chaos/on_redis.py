# SPDX-License-Identifier: MIT
"""Nodes that share a Redis with a replica. Each fault hits a node that has shards, or the server that all of them use."""
from nodes import Nodes, clock_off, node_killed, node_killed_away, node_stopped, server_stopped
from redis import Pair
from stage import boot_us


class OnRedis(Nodes):
    MORE = ("--replicas", "1")

    def make_servers(self, directory):
        self.pair = Pair(directory)

    def servers(self):
        return [self.pair.master, self.pair.replica]

    def server_processes(self):
        return [one.process.pid for one in self.servers() if one.process]

    def ask(self, command):
        return self.pair.master.ask(command)

    def redis_address(self):
        return self.pair.address

    def stop_server(self):
        self.pair.master.stop()

    def continue_server(self):
        self.pair.master.go_on()

    def end_servers(self):
        self.pair.end()

    def address(self):
        return ["--redis", self.redis_address(), *self.patience()]

    def owners(self):
        names = [self.ask(f"HGET detent:{{{shard:02}}}:own node") or "" for shard in range(self.shards)]
        return [name.split(".")[0] for name in names]


def redis_killed(stage):
    count, begin = stage.owned(), boot_us()
    stage.pair.master.kill()
    stage.wait(0.3)
    stage.pair.master.start()
    stage.away(begin)
    return count, "the server killed, and started 0.3 leases later"


def redis_stopped(stage):
    return server_stopped(stage)


def replica_promoted(stage):
    stage.pair.wait_for_replica()
    count, begin = stage.owned(), boot_us()
    stage.pair.promote()
    stage.fault("forgot", "-", begin)
    stage.away(begin)
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
    count, begin = stage.owned(), boot_us()
    stage.pair.master.ask("REPLICAOF 127.0.0.1 1")
    stage.wait(0.8)
    stage.pair.master.ask("REPLICAOF NO ONE")
    stage.away(begin)
    stage.pair.follow()
    return count, "the server read-only for 0.8 leases"


def out_of_memory(stage):
    count = stage.owned()
    stage.pair.master.ask("CONFIG SET maxmemory 1")
    stage.wait(1)
    stage.pair.master.ask("CONFIG SET maxmemory 0")
    return count, "the server full for a lease"


FAULTS = (node_killed, node_killed_away, node_stopped, clock_off, redis_killed, redis_stopped, replica_promoted, scripts_flushed,
          connections_cut, read_only, out_of_memory)
