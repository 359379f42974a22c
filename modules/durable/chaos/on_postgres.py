# SPDX-License-Identifier: MIT
"""Nodes that share a PostgreSQL with a standby. Each fault hits a node that has shards, or the server that all use."""
import os
import signal
import subprocess
import time

from nodes import Nodes, clock_off, node_killed, node_killed_away, node_stopped, server_stopped
from postgres import may_mount
from postgres_pair import Pair
from stage import boot_us


class OnPostgres(Nodes):
    AHEAD = 6

    def __init__(self, wanted, directory, common, log):
        self.is_synchronous = wanted.standby == "synchronous"
        super().__init__(wanted, directory, common, log)

    def make_servers(self, directory):
        has_disks = disk_full in self.faults and may_mount(directory)
        if disk_full in self.faults and not has_disks:
            print("  skipped: disk_full: no file system can be mounted here", flush=True)
            self.faults.remove(disk_full)
        script = subprocess.run([f"{self.build}/modules/durable/chaos/chaos_worker", "--schema"], stdin=subprocess.DEVNULL,
                                stdout=subprocess.PIPE, text=True, check=True).stdout
        self.pair = Pair(directory, f"set detent.shards = {self.shards};\n{script}", has_disks, self.is_synchronous)

    def server_processes(self):
        return [*self.pair.master.processes(), *self.pair.standby.processes()]

    def stop_server(self):
        self.pair.master.stop()

    def continue_server(self):
        self.pair.master.go_on()

    def complaints(self):
        return [f"{count} x {line}" for one in (self.pair.master, self.pair.standby) for line, count in one.complaints()]

    def end_servers(self):
        self.pair.end()

    def address(self):
        return ["--postgres", self.pair.url("nodes"), *self.patience()]

    def owners(self):
        return (self.pair.master.ask("select split_part(node, '.', 1) from detent.shards where until > clock_timestamp()")
                or "").splitlines()

    def under(self, setting, value):
        """For a lease, the nodes' role has that setting."""
        count, begin = self.owned(), boot_us()
        self.pair.set_for("nodes", setting, value)
        self.wait(1)
        self.pair.set_for("nodes", setting, None)
        self.away(begin)
        return count


def server_killed(stage):
    count, begin = stage.owned(), boot_us()
    stage.pair.master.kill()
    stage.wait(0.3)
    stage.pair.master.start()
    stage.away(begin)
    return count, "kill -9 of all the server's processes, started 0.3 leases later"


def process_killed(stage):
    count, begin = stage.owned(), boot_us()
    one = stage.pair.master.ask("select pid from pg_stat_activity where usename = 'nodes' order by random() limit 1")
    if one:
        os.kill(int(one), signal.SIGKILL)
    stage.pair.master.revive()
    stage.away(begin)
    return count, "kill -9 of one of the server's processes, for which it ends all others and recovers"


def server_restarted(stage):
    count, begin = stage.owned(), boot_us()
    number, how = stage.random.choice(((signal.SIGINT, "fast"), (signal.SIGQUIT, "immediate")))
    stage.pair.master.shut_down(number)
    stage.pair.master.start()
    stage.away(begin)
    return count, f"the server restarted: {how}"


def standby_promoted(stage):
    count = stage.owned()
    if not stage.is_synchronous:
        return count, late_standby_promoted(stage)
    stage.pair.wait_for_standby()
    begin = boot_us()
    stage.pair.promote()
    stage.away(begin)
    stage.pair.bring_standby()
    return count, "the server killed, and its synchronous standby promoted"


def late_standby_promoted(stage):
    """What was answered since `begin` it may not have."""
    stage.pair.wait_for_standby()
    begin = stage.pair.cut_off_standby()
    time.sleep(0.3)
    killed = boot_us()
    stage.pair.promote()
    stage.fault("lost", "-", begin)
    stage.fault("forgot", "-", begin)
    stage.away(killed)
    stage.pair.bring_standby()
    return f"the server killed, and its standby promoted, which had not heard the last {(killed - begin) // 1000} ms at most"


def connections_cut(stage):
    for _ in range(5):
        count = stage.owned()
        stage.pair.cut("nodes")
        stage.wait(0.2 * stage.random.random())
    return count, "all connections cut, five times"


def statement_timeout(stage):
    return stage.under("statement_timeout", "2ms"), "a statement_timeout of 2 ms for a lease"


def lock_timeout(stage):
    return stage.under("lock_timeout", "1ms"), "a lock_timeout of 1 ms for a lease"


def serializable(stage):
    level = stage.random.choice(("serializable", "repeatable read"))
    return stage.under("default_transaction_isolation", level), f"transactions {level} for a lease"


def read_only(stage):
    return stage.under("default_transaction_read_only", "on"), "transactions read-only for a lease"


def rights_revoked(stage):
    count, begin = stage.owned(), boot_us()
    stage.pair.revoke()
    stage.wait(0.8)
    stage.pair.grant()
    stage.away(begin)
    return count, "the nodes' rights revoked for 0.8 leases"


def disk_full(stage):
    count, begin = stage.owned(), boot_us()
    stage.pair.master.fill()
    stage.wait(1)
    stage.pair.master.make_room()
    stage.pair.master.revive()
    stage.away(begin)
    return count, "the server's disk full for a lease"


FAULTS = (node_killed, node_killed_away, node_stopped, clock_off, server_killed, process_killed, server_restarted, server_stopped,
          standby_promoted, connections_cut, statement_timeout, lock_timeout, serializable, read_only, rights_revoked, disk_full)
