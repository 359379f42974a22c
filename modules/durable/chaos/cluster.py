# SPDX-License-Identifier: MIT
"""A cluster of three masters with a replica each, which goes on without a master that it loses."""
import time

from redis import Server, free_ports
from stage import until

SLOTS, MASTERS = 16384, 3


class Cluster:
    def __init__(self, directory):
        ports = free_ports(4 * MASTERS)
        self.servers = []
        for number in range(2 * MASTERS):
            self.servers.append(Server(directory, f"server{number}", ports[number], "--cluster-enabled", "yes", "--cluster-port",
                                       str(ports[2 * MASTERS + number]), "--cluster-config-file", f"server{number}.conf",
                                       "--cluster-node-timeout", "1000", "--cluster-require-full-coverage", "no",
                                       "--cluster-replica-validity-factor", "0", "--repl-ping-replica-period", "1"))
        bounds = [SLOTS * number // MASTERS for number in range(MASTERS + 1)]
        for one, begin, end in zip(self.servers, bounds, bounds[1:]):
            one.ask(f"CLUSTER ADDSLOTSRANGE {begin} {end - 1}")
        for one in self.servers[1:]:
            one.ask(f"CLUSTER MEET 127.0.0.1 {ports[0]} {ports[2 * MASTERS]}")
        for one in self.servers:
            until(lambda one=one: f"cluster_known_nodes:{2 * MASTERS}" in one.ask("CLUSTER INFO"), "the servers to meet")
        for number, one in enumerate(self.servers[MASTERS:]):
            name = self.servers[number].ask("CLUSTER MYID")
            until(lambda one=one, name=name: one.ask(f"CLUSTER REPLICATE {name}") == "OK", "a replica")
        self.wait_for_replicas()

    @property
    def address(self):
        return ",".join(f"127.0.0.1:{one.port}" for one in self.servers)

    def masters(self):
        return [one for one in self.servers if (one.ask("ROLE") or [""])[0] == "master"]

    def wait_for_replicas(self):
        for one in self.servers:
            until(lambda one=one: "cluster_state:ok" in (one.ask("CLUSTER INFO") or ""), "the cluster")
        until(lambda: len(self.masters()) == MASTERS, "three masters")
        for one in self.masters():
            until(lambda one=one: "state=online" in (one.ask("INFO replication") or ""), "a replica that is in step")

    def lose(self, master, lose, bring):
        """Its replica is promoted, and half a second later it comes back."""
        others = [one for one in self.servers if one is not master]
        lose()
        until(lambda: sum((one.ask("ROLE") or [""])[0] == "master" for one in others) == MASTERS, "the promotion")
        time.sleep(0.5)
        bring()

    def ask(self, command):
        """The answer of the server that has the key."""
        for one in self.servers:
            answer = one.ask(command)
            if not str(answer).startswith(("MOVED", "CLUSTERDOWN", "LOADING")) and answer is not None:
                return answer
        return None

    def end(self):
        for one in self.servers:
            one.kill()
