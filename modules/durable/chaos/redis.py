# SPDX-License-Identifier: MIT
"""A master and its replica: redis-servers of the chaos's own, on sockets in a directory."""
import shutil
import signal
import socket
import subprocess
import time

from stage import until


def installed():
    return shutil.which("redis-server") is not None


class Server:
    """Its file is written before each answer (appendfsync no): kill -9 loses nothing that was answered. With everysec it
    answers first while the last sync still runs."""

    def __init__(self, directory, name, port, *more):
        self.path, self.directory, self.port = f"{directory}/{name}.sock", directory, port
        self.command = ["redis-server", "--port", str(port), "--bind", "127.0.0.1", "--unixsocket", self.path, "--save", "",
                        "--appendonly", "yes", "--appendfsync", "no", "--appenddirname", f"{name}.aof",
                        "--dir", directory, "--logfile", f"{directory}/{name}.log", "--dbfilename", f"{name}.rdb",
                        "--repl-diskless-sync-delay", "0", "--repl-timeout", "10", *more]
        self.process = None
        self.start()

    def start(self, *more):
        self.process = subprocess.Popen(self.command + list(more), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
        until(lambda: self.ask("PING") == "PONG", self.path)

    def kill(self):
        self.process.kill()
        self.process.wait()

    def stop(self):
        self.process.send_signal(signal.SIGSTOP)

    def go_on(self):
        self.process.send_signal(signal.SIGCONT)

    def ask(self, line):
        """The answer to one command: a text, a number, or a list; an error as its text; None without a server."""
        try:
            with socket.socket(socket.AF_UNIX) as to:
                to.settimeout(10)
                to.connect(self.path)
                to.sendall(line.encode() + b"\r\n")
                return self._read(to.makefile("rb"))
        except OSError:
            return None

    def _read(self, stream):
        line = stream.readline().rstrip(b"\r\n").decode()
        kind, rest = line[:1], line[1:]
        if kind == "*":
            return [self._read(stream) for _ in range(int(rest))]
        if kind == "$":
            return None if rest == "-1" else stream.read(int(rest) + 2)[:-2].decode(errors="replace")
        return int(rest) if kind == ":" else rest


def free_ports(count):
    sockets = [socket.socket() for _ in range(count)]
    for one in sockets:
        one.bind(("127.0.0.1", 0))
    ports = [one.getsockname()[1] for one in sockets]
    for one in sockets:
        one.close()
    return ports


class Pair:
    """A master, and a replica that can be promoted."""

    def __init__(self, directory):
        ports = free_ports(2)
        self.master, self.replica = Server(directory, "one", ports[0]), Server(directory, "two", ports[1])
        self.follow()

    @property
    def address(self):
        return ",".join(sorted((self.master.path, self.replica.path)))

    def follow(self):
        self.replica.ask(f"REPLICAOF 127.0.0.1 {self.master.port}")
        until(lambda: "master_link_status:up" in (self.replica.ask("INFO replication") or ""), "the replica")

    def wait_for_replica(self):
        until(self._in_step, "a replica that has all")

    def promote(self):
        """The master dies while its replica has not heard the last 300 ms."""
        self.replica.ask("REPLICAOF 127.0.0.1 1")  # and not SIGSTOP: its socket would keep for it what it misses
        time.sleep(0.3)
        self.master.kill()
        until(lambda: self.replica.ask("REPLICAOF NO ONE") == "OK", "the promotion")
        self.master, self.replica = self.replica, self.master

    def _in_step(self):
        role = self.master.ask("ROLE")  # master, its offset, and of each replica the address, the port and the offset
        return role and role[0] == "master" and any(int(one[2]) + 4096 > role[1] for one in role[2])

    def bring_replica(self):
        self.replica.start("--replicaof", "127.0.0.1", str(self.master.port))
        until(lambda: "master_link_status:up" in (self.replica.ask("INFO replication") or ""), "the replica")

    def end(self):
        for one in (self.master, self.replica):
            one.kill()
