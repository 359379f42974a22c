# SPDX-License-Identifier: MIT
"""What goes wrong: each fault does its harm, waits until life goes on, demands what must hold, and says what it saw."""
import signal
import time

from journal import boot_ns
from processes import stop, wait_stopped
from stage import demand, until


def milliseconds(ns):
    return f"{ns / 1e6:.1f} ms"


class Stage:
    """Redis, the journal, the contenders, and what they said."""

    def __init__(self, redis, journal, lease_ms, record, start):
        self.redis, self.journal, self.lease_ms, self.record = redis, journal, lease_ms, record
        self.start = start  # a contender of that name
        self.contenders = {name: start(name) for name in "ABC"}

    def leases(self, count):
        return count * self.lease_ms / 1000

    def first(self, kinds, accept):
        return next((event for event in list(self.record) if event.kind in kinds and accept(event)), None)

    def ended(self, fence):
        return self.first(("lost", "noticed", "released"), lambda event: event.fence == fence)

    def holder(self):
        """The contender that has had the lock for a third of a lease, and will not give it back for two; its fence."""
        def has_just_renewed():
            last = next((event for event in reversed(list(self.record)) if event.kind in ("granted", "renewed")), None)
            if last is None or last.kind == "granted" or self.ended(last.fence):
                return None
            granted = self.first(("granted",), lambda event: event.fence == last.fence)
            return last if boot_ns() - granted.at < self.lease_ms * 1_000_000 else None
        event = until(has_just_renewed, "a renewal")
        return self.contenders[event.name], event.fence

    def taken_over(self, fence):
        return until(lambda: self.first(("granted",), lambda event: event.fence > fence), "somebody else to take over")

    def belief(self, fence):
        """The last moment of which the holder of that fence ever said that it would have the lock."""
        return max(event.until for event in list(self.record) if event.fence == fence and event.until)

    def attempts(self, fence, since):
        return [entry for entry in list(self.journal.entries) if entry.fence == fence and entry.received >= since]


def holder_stopped(stage):
    """SIGSTOP for two leases. It must know that the lock is lost before it does anything."""
    holder, fence = stage.holder()
    stop(holder.process)
    stopped = boot_ns()
    time.sleep(stage.leases(2))
    successor = stage.taken_over(fence)
    went_on = boot_ns()
    holder.process.send_signal(signal.SIGCONT)
    end = until(lambda: stage.ended(fence), f"{holder.name} to notice")
    for entry in stage.attempts(fence, went_on):  # sent or about to be when the signal came
        demand(entry.checked <= stopped and entry.verdict != "ok", f"{holder.name} acted after it had been stopped")
    return (f"{holder.name} stopped for {milliseconds(went_on - stopped)}; {successor.name} took over; "
            f"{milliseconds(end.at - went_on)} after SIGCONT {holder.name} {said(end)}")


def said(end):
    return {"lost": f"learned: {end.why}", "noticed": "saw by the clock that it was lost",
            "released": "had given it back"}[end.kind]


def holder_stopped_in_the_gap(stage):
    """The same between its reading of the clock and its deed, where no client can help itself: the journal refuses."""
    holder, fence = stage.holder()
    holder.process.send_signal(signal.SIGUSR1)
    said_so = until(lambda: stage.first(("stopping",), lambda e: e.name == holder.name and e.fence >= fence), "the gap")
    fence = said_so.fence
    wait_stopped(holder.process)  # it has stopped itself
    time.sleep(stage.leases(2))
    successor = stage.taken_over(fence)
    went_on = boot_ns()
    holder.process.send_signal(signal.SIGCONT)
    entry = until(lambda: stage.attempts(fence, went_on), "the entry that was under way")[0]
    until(lambda: stage.ended(fence), f"{holder.name} to notice")
    demand(entry.verdict != "ok", "the journal took an entry from a stale holder")
    demand(len(stage.attempts(fence, went_on)) == 1, f"{holder.name} went on after that")
    return (f"{holder.name} stopped with an entry in its hands; {successor.name} took over; the entry came "
            f"{milliseconds(entry.received - entry.until)} too late: {entry.verdict}")


def holder_killed(stage):
    """SIGKILL. Another takes over when the lease has run out."""
    holder, fence = stage.holder()
    holder.kill()
    successor = stage.taken_over(fence)
    stage.contenders[holder.name] = stage.start(holder.name)
    return (f"{holder.name} killed; {successor.name} took over {milliseconds(successor.at - stage.belief(fence))} "
            f"after {holder.name}'s lease had ended")


def redis_stopped_for_long(stage):
    """Redis answers nobody. The holder gives up at the end of its lease, while redis still says nothing."""
    holder, fence = stage.holder()
    stop(stage.redis.process)
    end = until(lambda: stage.ended(fence), f"{holder.name} to notice")
    time.sleep(stage.leases(0.5))
    stage.redis.process.send_signal(signal.SIGCONT)
    successor = stage.taken_over(fence)
    late = milliseconds(end.at - stage.belief(fence))
    return (f"redis stopped; {late} after the lease's end {holder.name} {said(end)}; redis went on, and "
            f"{successor.name} got the lock")


def kept(stage, holder, fence):
    end = stage.ended(fence)
    return f"{holder.name} kept the lock" if end is None else f"{holder.name} {said(end)}"


def redis_stopped_briefly(stage):
    """Redis answers nobody for a third of a lease. The next answer comes in time, as a rule."""
    holder, fence = stage.holder()
    stop(stage.redis.process)
    time.sleep(stage.leases(1 / 3))
    stage.redis.process.send_signal(signal.SIGCONT)
    time.sleep(stage.leases(1))
    return f"redis stopped for a third of a lease; {kept(stage, holder, fence)}"


def connections_cut(stage):
    """Redis hangs up on everybody. They connect again and go on, as a rule within the lease."""
    holder, fence = stage.holder()
    stage.redis.command("CLIENT KILL TYPE normal SKIPME yes")
    time.sleep(stage.leases(1))
    return f"all connections cut; {kept(stage, holder, fence)}"


def redis_restarted(stage):
    """Redis is killed and starts again at once, with no memory of the lock. Nobody gets it for one lease."""
    holder, fence = stage.holder()
    stage.redis.kill()
    stage.redis.start()
    end = until(lambda: stage.ended(fence), f"{holder.name} to notice")
    successor = stage.taken_over(fence)
    return (f"redis restarted, empty; {holder.name} {said(end)}; {successor.name} got the lock "
            f"{milliseconds(successor.at - stage.belief(fence))} after the end of {holder.name}'s lease")


ALL = (holder_stopped, holder_stopped_in_the_gap, holder_killed, redis_stopped_for_long, redis_stopped_briefly,
       connections_cut, redis_restarted)
