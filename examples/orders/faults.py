# SPDX-License-Identifier: MIT
"""What goes wrong: each fault does its harm, waits until life goes on, demands what must hold, and says what it saw."""
import signal
import time

from stage import demand, until

SYMBOLS = [f"SYM{number}" for number in range(24)]


class Stage:
    """Redis, the exchange, two gateways, a trader, and a stream of orders."""

    def __init__(self, redis, exchange, trader, lease_ms, rate, start, rng):
        self.redis, self.exchange, self.trader, self.lease_ms, self.rate = redis, exchange, trader, lease_ms, rate
        self.start, self.rng = start, rng  # start: a gateway of that name
        self.gateways = {name: start(name) for name in "AB"}
        self.placed = {}  # symbol by order
        until(lambda: all(gateway.shards() for gateway in self.gateways.values()), "both gateways to have shards")

    def leases(self, count):
        return count * self.lease_ms / 1000

    def place(self, after_ms, symbol=None):
        order, symbol = f"order:{len(self.placed)}", symbol or self.rng.choice(SYMBOLS)
        self.placed[order] = symbol
        self.trader.ask("place", order, symbol, after_ms)
        return order

    def stream(self, seconds):
        """Orders that live for up to two seconds, so that some are near and some far, for so long."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            self.place(self.rng.randint(0, 2000))
            time.sleep(1 / self.rate)

    def other(self, gateway):
        return self.gateways["B" if gateway.name == "A" else "A"]

    def owner(self):
        """A gateway with shards, while the other has some too."""
        until(lambda: all(gateway.shards() for gateway in self.gateways.values()), "both gateways to have shards")
        return self.gateways[self.rng.choice("AB")]

    def symbols_of(self, gateway, since):
        return {entry.symbol for entry in self.exchange.of("expired") if entry.gateway == gateway.name and entry.at >= since}


def gateway_killed(stage):
    """kill -9. The other takes over its shards within about a lease, and expires what is due."""
    begin = time.time()
    stage.stream(stage.leases(1))
    victim = stage.owner()
    stage.stream(stage.leases(1))
    until(lambda: stage.symbols_of(victim, begin), f"{victim.name} to expire something")
    theirs = stage.symbols_of(victim, begin)
    heir = stage.other(victim)
    victim.kill()
    killed = time.time()
    waiting = [stage.place(1, symbol) for symbol in theirs]
    stage.stream(stage.leases(2))
    entries = [until(lambda: stage.exchange.of_order(order), f"{heir.name} to expire {order}")[0] for order in waiting]
    demand(all(entry.gateway == heir.name for entry in entries), "a killed gateway expired an order")
    again = len([entry for entry in stage.exchange.of("again") if entry.at >= killed])
    stage.gateways[victim.name] = stage.start(victim.name)
    return (f"{victim.name} killed; {heir.name} expired the orders of its {len(theirs)} symbols "
            f"{1000 * (max(entry.at for entry in entries) - killed):.0f} ms after the kill at the latest; {again} came again: refused")


def gateway_stopped_in_the_gap(stage):
    """It stops between its reading of the clock and its deed, where no client can help itself: the exchange refuses."""
    stage.stream(stage.leases(1))  # what an earlier fault has run again: it may not stop with one of those
    victim = stage.owner()
    heir = stage.other(victim)
    before = len(victim.said("stopping"))
    victim.process.send_signal(signal.SIGUSR1)
    while len(victim.said("stopping")) == before:
        stage.stream(0.05)
    order = victim.said("stopping")[-1]
    until(victim.has_stopped, f"{victim.name} to stop")
    stage.stream(stage.leases(1.5))
    until(lambda: stage.exchange.of_order(order), f"{heir.name} to expire {order}")
    stopped = time.time()
    victim.process.send_signal(signal.SIGCONT)
    entries = until(lambda: len(stage.exchange.of_order(order)) > 1 and stage.exchange.of_order(order), f"{victim.name} to go on")
    demand([entry.verdict for entry in entries[:2]] == ["expired", "fenced"],
           f"{order} took effect a second time: {[(entry.gateway, entry.verdict) for entry in entries]}")
    return (f"{victim.name} stopped with {order} in its hands; {heir.name} expired it; {victim.name} came "
            f"{1000 * (entries[1].at - entries[0].at):.0f} ms too late, with fence {entries[1].fence} after {entries[0].fence}: fenced")


def redis_killed(stage):
    """Redis is killed and starts again. What it had acknowledged is there; what was placed meanwhile waits in the outbox."""
    stage.stream(stage.leases(1))
    stage.redis.kill()
    began = time.time()
    waited = [stage.place(stage.rng.randint(0, 500)) for _ in range(50)]
    time.sleep(stage.leases(1))
    stage.redis.start()
    away = time.time() - began
    for order in waited:
        until(lambda: stage.exchange.of_order(order), f"{order}, placed while redis was away, to expire")
    return f"redis killed, and away for {1000 * away:.0f} ms; {len(waited)} orders placed meanwhile expired afterwards"


def orders_cancelled(stage, count=200):
    """Cancels at the last moment race with the expiry; whatever the answer says, it is true."""
    orders = [stage.place(stage.rng.randint(100, 1500)) for _ in range(count)]
    far = [stage.place(3_600_000) for _ in range(count // 2)]
    for order in stage.rng.sample(orders, count):
        time.sleep(1.6 / count)
        stage.trader.ask("cancel", order, stage.placed[order])
    for order in far:
        stage.trader.ask("cancel", order, stage.placed[order])
    asked = set(orders + far)
    until(lambda: asked <= set(stage.trader.answers()), "the answers to the cancels")
    answers = stage.trader.answers()
    said = {word: [order for order in orders if answers[order] == word] for word in ("cancelled", "running", "gone", "unknown")}
    demand(all(answers[order] == "cancelled" for order in far), "an order beyond the horizon was not cancelled")
    return (f"{count} orders cancelled about when they were due: {len(said['cancelled'])} cancelled, {len(said['running'])} running, "
            f"{len(said['gone'])} gone, {len(said['unknown'])} unknown; {len(far)} long before: all cancelled")


ALL = (gateway_killed, gateway_stopped_in_the_gap, redis_killed, orders_cancelled)
