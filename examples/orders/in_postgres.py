# SPDX-License-Identifier: MIT
"""Orders in PostgreSQL: an order and its expiry are one transaction, a fill cancels it in the order's own, and the handler of the
expiry ends the timer in the transaction that expires the order. The tables say what happened; no exchange has to judge."""
import os
import random
import signal
import time

from faults import SYMBOLS
from processes import Desk, Expirer
from stage import Postgres, demand, has_stopped, until

TABLE = """
create table orders (id text primary key, symbol text not null, state text not null, times int not null default 0,
  at timestamptz);
"""


class Stage:
    def __init__(self, wanted, database):
        self.database, self.rng, self.rate, self.lease_ms = database, random.Random(wanted.seed), wanted.rate, wanted.lease
        words = ["apart"] if wanted.unchecked else []
        self.start = lambda name: Expirer(wanted.build / "orders_expirer", database.url, name, wanted.lease, *words)
        self.expirers, self.desk = {}, None
        self.expirers["A"] = self.start("A")
        until(self.expirers["A"].shards, "the schema, and A to have shards")
        self.expirers["B"] = self.start("B")
        self.desk = Desk(wanted.build / "orders_desk", database.url)
        self.orders, self.to_fill = {}, []  # symbol by order; when, and which
        until(lambda: all(one.shards() for one in self.expirers.values()), "both to have shards")

    def leases(self, count):
        return count * self.lease_ms / 1000

    def place(self, after_ms, word="place"):
        order = f"order:{len(self.orders)}"
        self.orders[order] = self.rng.choice(SYMBOLS)
        self.desk.ask(word, order, self.orders[order], after_ms)
        return order

    def stream(self, seconds):
        """One of ten is rolled back, and one of five is filled about when it is due."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            after = self.rng.randint(0, 1500)
            order = self.place(after, "refuse" if self.rng.random() < 0.1 else "place")
            if self.rng.random() < 0.2:
                self.to_fill.append((time.monotonic() + after / 1000, order))
            for its in [its for its in self.to_fill if its[0] <= time.monotonic()]:
                self.to_fill.remove(its)
                self.desk.ask("fill", its[1], self.orders[its[1]])
            time.sleep(1 / self.rate)

    def victim(self):
        until(lambda: all(one.shards() for one in self.expirers.values()), "both to have shards")
        return self.expirers[self.rng.choice("AB")]

    def kill(self):
        for program in [*self.expirers.values(), *([self.desk] if self.desk else [])]:
            program.kill()


def expirer_killed(stage):
    stage.stream(stage.leases(1))
    victim = stage.victim()
    victim.kill()
    stage.stream(stage.leases(2))
    stage.expirers[victim.name] = stage.start(victim.name)
    return f"{victim.name} killed"


def expirer_stopped_amid_its_transaction(stage):
    victim = stage.victim()
    before = len(victim.said("stopping"))
    victim.process.send_signal(signal.SIGUSR1)
    while len(victim.said("stopping")) == before:
        stage.stream(0.05)
    until(lambda: has_stopped(victim.process), f"{victim.name} to stop")
    order = victim.said("stopping")[-1]
    stage.stream(stage.leases(2))
    victim.process.send_signal(signal.SIGCONT)
    until(lambda: stage.database.ask(f"select state from orders where id = '{order}'") != "open", f"{order} to expire")
    return f"{victim.name} stopped with {order} in its hands for two leases: it expired once"


def server_killed(stage):
    stage.stream(stage.leases(1))
    stage.database.crash()
    began = time.monotonic()
    stage.stream(stage.leases(0.5))
    stage.database.start()
    away = time.monotonic() - began
    stage.stream(stage.leases(1))
    return f"kill -9 of all of PostgreSQL's processes, and {1000 * away:.0f} ms without it"


FAULTS = (expirer_killed, expirer_stopped_amid_its_transaction, server_killed)


def verdict(stage):
    """Demands what must hold, and yields what is to be said."""
    ask, said = stage.database.ask, {word: stage.desk.said(word) for word in ("placed", "refused", "filled", "late", "unknown")}
    rows = [line.split("|") for line in ask("select id, state, times from orders").splitlines()]
    state = {order: word for order, word, _ in rows}
    for order, word, times in rows:
        demand(int(times) <= 1, f"{order} expired {times} times")
        demand((word, times) in (("expired", "1"), ("filled", "0")), f"{order} is {word}, and expired {times} times")
    for order in said["placed"]:
        demand(order in state, f"{order} was placed, and is not there")
    for order in said["refused"]:
        demand(order not in state, f"{order} was rolled back, and is there")
    for order in said["filled"]:
        demand(state[order] == "filled", f"{order} was filled, and is {state[order]}")
    demand(ask("select count(*) from detent.timers") == "0", "a timer is left without its order")
    demand(ask("select count(*) from detent.dead") == "0", "an expiry is among the dead")
    count = {word: sum(its == word for its in state.values()) for word in ("expired", "filled")}
    over = sum(len(one.said("over")) for one in stage.expirers.values())
    yield (f"{len(rows)} orders: {count['expired']} expired, each once; {count['filled']} filled, none of which expired; "
           f"{len(said['refused'])} rolled back, which left no timer")
    yield (f"{over} expiries found their order filled or expired by another, and wrote nothing; {len(said['unknown'])} transactions of the "
           "desk were cut off")


def run(wanted, directory):
    os.chmod(directory, 0o711)  # its server may be another user's
    database, stage = None, None
    try:
        database = Postgres(f"{directory}/pg")
        database.ask(TABLE)
        stage = Stage(wanted, database)
        print("  " + ", ".join(f"{name} has {its.shards()} shards" for name, its in stage.expirers.items()), flush=True)
        stage.stream(wanted.seconds)
        if wanted.faults:
            for fault in stage.rng.sample(FAULTS, len(FAULTS)):
                print(f"  {fault(stage)}", flush=True)
        stage.desk.end()
        until(lambda: database.ask("select count(*) from orders where state = 'open'") == "0", "the last orders to expire")
        for expirer in stage.expirers.values():
            expirer.end()
        for line in verdict(stage):
            print(line)
    finally:
        for program in (stage, database):
            if program is not None:
                program.kill()
