# SPDX-License-Identifier: MIT
"""An audit of effects on PostgreSQL: users put, move and cancel timers in transactions of their own, handlers write a row into
`effects` and end their timer in one transaction, and everything around them fails. `ledger` has each deed of the users, by the same
transaction: so the two tables say what is owed and what came of it."""
import random
import threading
import time
from pathlib import Path

from nodes import clock_off, node_killed_away
from on_postgres import FAULTS as OF_POSTGRES
from on_postgres import OnPostgres
from stage import Worker, until, until_empty

FAULTS = tuple(fault for fault in OF_POSTGRES if fault not in (clock_off, node_killed_away))
RECURRING = 10
EACH = 0.1  # s, between two looks of who decides about prepared transactions
TABLES = """
create table ledger (op bigint primary key, what text not null, key text, partition text not null, due timestamptz,
  done boolean, asked timestamptz not null default clock_timestamp());
create table effects (op bigint not null, key text not null, partition text not null, due timestamptz not null,
  attempt int not null, began timestamptz not null, node text not null, at timestamptz not null default clock_timestamp());
create index on ledger (key, partition);
create index on effects (op);
create index on effects (key, partition);
grant select, insert, update on ledger to users;
grant insert on effects to handlers;
"""
PUTS = "what in ('put', 'keep', 'replace')"
CHANGE_OF = "select from ledger c where c.key = l.key and c.partition = l.partition"
EFFECT_OF = "select from effects e where e.op = l.op"
# Each is a promise, and the rows that break it.
PROMISES = (
    ("an effect is there more than once", "select op, due, count(*) from effects group by op, due having count(*) > 1 "
     "union all select op, min(due), count(*) from effects where op > 0 group by op having count(*) > 1 and count(distinct due) > 1"),
    ("an effect of what was rolled back", f"select e.* from effects e where op > 0 and not exists (select from ledger l where l.op = e.op and {PUTS})"),
    ("a timer is lost", f"select l.* from ledger l where what = 'put' and not exists ({EFFECT_OF}) "
     f"and not exists ({CHANGE_OF} and c.done and c.what = 'cancel') and not exists ({CHANGE_OF} and c.what = 'replace')"),
    ("a timer that replaced is lost", f"select l.* from ledger l where what = 'replace' and not exists ({EFFECT_OF})"),
    ("nothing ran after a put that keeps", "select l.* from ledger l where what = 'keep' and not exists (select from effects e "
     "where e.key = l.key and e.partition = l.partition and e.began >= l.asked)"),
    ("an effect after a cancel that was committed", f"select l.* from ledger l where {PUTS} and exists ({EFFECT_OF}) "
     f"and exists ({CHANGE_OF} and c.what = 'cancel' and c.done)"),
    ("cancelled twice", "select key, partition, count(*) from ledger where what = 'cancel' and done group by 1, 2 having count(*) > 1"),
    ("an effect before its time", "select * from effects where at < due or began < due"),
    ("an effect at a time that was not asked for", f"select l.*, e.due from ledger l join effects e using (op) where {PUTS} and attempt = 1 and e.due <> "
     "coalesce((select c.due from ledger c where c.key = l.key and c.partition = l.partition and c.what = 'move' and c.done), l.due)"),
    ("left in the store", "select key, partition, due, attempt, 'live' from detent.timers where key not like 'recurs%' "
     "union all select key, partition, due, attempt, 'successor' from detent.successors "
     "union all select key, partition, due, attempt, 'dead' from detent.dead"),
)
SHOWN = 3  # cases of each


class OnEffects(OnPostgres):
    """The processes are those of effects/, and the users put until all is put."""

    def make_servers(self, directory):
        super().make_servers(directory)
        self.pair.master.run_script(TABLES)
        folder = f"{self.build}/modules/durable/chaos"
        self.common = [f"{folder}/chaos_effects", *self.common]
        self.users = [f"{folder}/chaos_users", "--journals", self.journals]

    def address(self):
        return ["--postgres", self.pair.url("nodes"), *self.patience(), "--url", self.pair.url("handlers")]

    def put(self, load):
        self.putting = Worker([*self.users, "--url", self.pair.url("users"), *load], self.log)

    def wait_for_puts(self):
        until(lambda: self.putting.process.poll() is not None, "the users to put all")

    def listed(self, *_):
        left = self.pair.master.ask("select (select count(*) from detent.timers where key not like 'recurs%') + "
                                    "(select count(*) from detent.successors) + (select count(*) from pg_prepared_xacts)")
        return int(left) if left else None


class Decider(threading.Thread):
    """Commits and rolls back what is prepared, and now and then cuts a connection."""

    def __init__(self, stage, seed):
        super().__init__(daemon=True)
        self.stage, self.random, self.over, self.decided, self.cut = stage, random.Random(seed), threading.Event(), 0, 0

    def run(self):
        while not self.over.wait(EACH):
            self.decide(0.3)
            if self.random.random() < 0.4:
                self.stage.pair.cut_one()
                self.cut += 1

    def decide(self, share):
        master = self.stage.pair.master
        found = [gid for gid in (master.ask("select gid from pg_prepared_xacts") or "").splitlines() if self.random.random() < share]
        if found:
            self.decided += len(found)
            master.run_script("".join(f"{'commit' if self.random.random() < 0.8 else 'rollback'} prepared '{gid}';\n" for gid in found),
                              stops=False)

    def end(self):
        self.over.set()
        self.join()


def audit(stage):
    """What is broken: (promise, how often, some rows)."""
    master, out = stage.pair.master, []
    for promise, sql in PROMISES:
        if count := int(master.ask(f"select count(*) from ({sql}) as its")):
            out.append((promise, count, master.ask(f"select * from ({sql}) as its limit {SHOWN}").splitlines()))
    acknowledged = {line.split()[3] for line in words_of(stage.journals, "users", "acknowledged")}
    missing = acknowledged - set(master.ask("select op from ledger").split())
    if missing:
        out.append(("a commit that was acknowledged is gone", len(missing), sorted(missing)[:SHOWN]))
    bad = [(name, status) for name, status in stage.statuses.items() if status != 0]
    if bad:
        out.append(("a process failed", len(bad), [f"{name} ended with {status}" for name, status in bad]))
    recurring = int(master.ask("select count(distinct key) from effects where op < 0 and at > "
                               "(select max(at) from effects) - interval '5 s'"))
    if recurring != RECURRING:
        out.append(("a recurring timer has ended", RECURRING - recurring, []))
    return out


def words_of(journals, name, word):
    path = Path(journals) / name
    lines = path.read_text(encoding="ascii", errors="replace").splitlines() if path.exists() else []
    return [line for line in lines if line.endswith(" .") and line.startswith(word + " ")]


def summary(stage, decider):
    master = stage.pair.master
    counts = {word: sum(len(words_of(stage.journals, name, word)) for name in [*stage.workers, "users"])
              for word in ("ended", "over", "rolled_back", "prepared", "cut", "failed", "unknown")}
    of = dict(line.split("|") for line in master.ask("select what || coalesce(case when done then ' true' when not done then ' false' end, ''), "
                                                     "count(*) from ledger group by 1 order by 1").splitlines())
    print("committed by users: " + ", ".join(f"{count} {what}" for what, count in of.items()))
    print(f"effects {master.ask('select count(*) from effects where op > 0')}, and {master.ask('select count(*) from effects where op < 0')} of "
          f"{RECURRING} recurring timers; by node " + ", ".join(master.ask("select node || ' ' || count(*) from effects group by node "
                                                                         "order by 1").splitlines()))
    print(f"runs that ended in their transaction {counts['ended']}, found it over {counts['over']}, rolled back {counts['rolled_back']}, "
          f"prepared {counts['prepared']}; transactions cut off {counts['cut']}, refused {counts['failed']}, unknown {counts['unknown']}; "
          f"prepared ones decided {decider.decided}, connections cut singly {decider.cut}")


def run(wanted, directory, stage_log):
    """The stage, and what is broken."""
    common = ["--journals", f"{directory}/journals", "--lease", str(wanted.lease), "--seed", str(wanted.seed),
              "--recurring", str(RECURRING), *(["--mutant"] if wanted.mutant else [])]
    stage = OnEffects(wanted, directory, common, stage_log)
    decider = Decider(stage, wanted.seed)
    try:
        until(lambda: stage.owned() == stage.shards, "all shards to be owned")
        decider.start()
        stage.put(["--timers", str(wanted.timers), "--seconds", str(wanted.seconds), "--seed", str(wanted.seed)])
        stage.hurt(wanted.faults, time.time() + wanted.seconds)
        stage.wait_for_puts()
        until_empty(stage)
        decider.end()
        time.sleep(2)  # of recurring ones there is one more
        stage.statuses = {**stage.end(), "users": stage.putting.process.returncode}
        summary(stage, decider)
        return stage, audit(stage)
    finally:
        decider.over.set()
        stage.kill()
