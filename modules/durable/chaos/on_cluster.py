# SPDX-License-Identifier: MIT
"""Nodes that share a cluster of Redis, which loses a master, also while nodes fail."""
from cluster import Cluster
from nodes import node_killed, node_stopped
from on_redis import OnRedis
from stage import boot_us


class OnCluster(OnRedis):
    def make_servers(self, directory):
        self.cluster = Cluster(directory)

    def servers(self):
        return self.cluster.servers

    def ask(self, command):
        return self.cluster.ask(command)

    def redis_address(self):
        return self.cluster.address

    def end_servers(self):
        self.cluster.end()

    def lose_master(self, lose, bring):
        """The replica may not have heard of the last ends."""
        self.cluster.wait_for_replicas()
        master = self.random.choice(self.cluster.masters())
        count, begin = self.owned(), boot_us()
        self.cluster.lose(master, lambda: lose(master), lambda: bring(master))
        self.cluster.wait_for_replicas()
        self.fault("forgot", "-", begin)
        self.away(begin)
        return count


def master_killed(stage):
    return stage.lose_master(lambda of: of.kill(), lambda of: of.start()), "a master killed, and its replica promoted"


def master_stopped(stage):
    return stage.lose_master(lambda of: of.stop(), lambda of: of.go_on()), "a master stopped until its replica was promoted"


FAULTS = (node_killed, master_killed, node_stopped, master_stopped)
