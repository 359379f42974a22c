# SPDX-License-Identifier: MIT
"""The journals of a chaos, one file for each process. A line is what it says, CLOCK_BOOTTIME, the wall clock of its process,
words, and a dot; all times are in us, of the wall since 1970. A partition is - where there is none. Of timers:

  born                                          a process begins; what stands before is of those before it
  handler NAME ATTEMPTS FIRST LONGEST           how it retries
  put OP KEY PARTITION DUE MODE HANDLER RULE SIZE HASH, answered by stored OP RESULT
  cancel OP KEY PARTITION PATIENCE, and again OP, answered by cancelled OP RESULT
  restart OP KEY PARTITION DUE, answered by restarted OP RESULT
  loaded                                        all is asked for and in the store
  begin KEY PARTITION DUE ATTEMPT FENCE SIZE HASH, and at its end end KEY PARTITION DUE FENCE OUTCOME
  written N                                     the ends of its first N runs are in the store
  dead KEY PARTITION ATTEMPTS                   the node reports it
  left KEY PARTITION DUE waits|dead HASH        in the store, when all is over; then listed

Of the driver, with times of CLOCK_BOOTTIME:

  set NAME VALUE                                store, lease, unwritten, after_kill (so many that had ended), skew, keep
  fault KIND WHOM FROM TO                       killed, power, stopped: a process; away, forgot: the store; lost: the store, and
                                                all that it carried out between the two times
  outage FROM TO, starved FROM TO               nothing could run; so long a process waited for a processor
  status NODE VALUE                             how it ended
"""
import bisect
import collections
import dataclasses
from pathlib import Path

ANSWERED = 100_000  # us: so soon a node knows that it has taken a shard

@dataclasses.dataclass
class Ask:
    at: int
    wall: int
    life: tuple
    where: tuple


@dataclasses.dataclass
class Op:
    """A call on the timers. What is asked for again after a kill is the same call."""
    what: str
    name: tuple
    due: int = 0
    mode: str = ""
    handler: str = ""
    rule: str = "-"
    size: int = 0
    hash: str = ""
    patience: int = 0
    asks: list = dataclasses.field(default_factory=list)
    answer: str = ""  # none yet
    answered: int = 0
    where: tuple = ()  # of the answer

    @property
    def lines(self):
        return [*(one.where for one in self.asks), *([self.where] if self.answer else [])]


@dataclasses.dataclass
class Run:
    life: tuple
    begin: int
    wall: int
    name: tuple
    due: int
    attempt: int
    fence: int
    size: int
    hash: str
    where: tuple
    number: int = 0  # of those that have ended in this life
    end: int = 0     # it has none yet
    end_wall: int = 0
    outcome: str = ""
    end_where: tuple = ()

    @property
    def lines(self):
        return [self.where, *([self.end_where] if self.end else [])]


Fault = collections.namedtuple("Fault", "kind whom begin end where")
Left = collections.namedtuple("Left", "name due state hash where")
Handler = collections.namedtuple("Handler", "attempts first longest")


class Spans:
    """Times that do not count: outages, and waits for a processor."""

    def __init__(self, spans):
        self.spans, until = [], 0
        for begin, end in sorted(spans):
            if end > max(begin, until):
                self.spans.append((max(begin, until), end))
            until = max(until, end)
        self.begins = [begin for begin, _ in self.spans]
        self.sums = [0]
        for begin, end in self.spans:
            self.sums.append(self.sums[-1] + end - begin)

    def until(self, at):
        place = bisect.bisect(self.begins, at)
        return self.sums[place] - (max(0, self.spans[place - 1][1] - at) if place else 0)

    def between(self, begin, end):
        return self.until(end) - self.until(begin) if end > begin else 0

    def after(self, begin, length):
        """When so much time that counts has passed since then."""
        end = begin + length
        while (held := self.between(begin, end)) > end - begin - length:
            end = begin + length + held
        return end


class Journals:
    def __init__(self, directory):
        self.ops, self.runs, self.faults, self.left = {}, [], [], []
        self.set, self.handlers, self.dead = {}, {}, []
        self.written = collections.defaultdict(list)  # by life: (time, how many, where)
        self.loaded, self.twice, self.statuses = {}, [], []
        self.listed = self.offset = 0  # us: the wall clock less CLOCK_BOOTTIME
        self.texts = {}
        outages, starved = [], []
        self.spans = {"outage": outages, "starved": starved}
        for path in sorted(Path(directory).iterdir()):
            self._read(path.name, path.read_text(encoding="ascii", errors="replace").split("\n"))
        self.outages, self.held = sorted(outages), Spans(outages + starved)
        self.starved = Spans(starved)
        self.runs.sort(key=lambda run: run.begin)
        self.faults.sort(key=lambda fault: fault.begin)
        self.last_of = {run.life: run for run in self.runs}

    def may_be_careful(self, run):
        """Whether it was due when its node had taken the shard: then it may be marked before it starts, and later ones pass it.
        The fence is the store's time; the node looks at its clock when it has the answer."""
        return self.set["store"] != "sqlite" and run.due <= run.fence + ANSWERED

    def at(self, wall):
        """A time of the machine's wall clock, by CLOCK_BOOTTIME."""
        return wall - self.offset

    def text(self, where):
        return f"{where[0]}:{where[1] + 1}: {self.texts[where[0]][where[1]]}"

    def _read(self, file, lines):
        self.texts[file] = lines
        life, count, open_runs = 0, 0, {}
        for number, line in enumerate(lines):
            if not line.endswith(" ."):  # a process was killed as it wrote it
                continue
            what, at, wall, *words = line.split()[:-1]
            at, wall, where = int(at), int(wall), (file, number)
            if what == "born":
                life, count, open_runs = life + 1, 0, {}
            elif what == "begin":
                run = self._begun((file, life), at, wall, words, where)
                open_runs[run.name, run.due, run.fence] = run
            elif what == "end":
                count += 1
                if run := open_runs.pop(((words[0], words[1]), int(words[2]), int(words[3])), None):
                    run.end, run.end_wall, run.outcome, run.end_where, run.number = at, wall, words[4], where, count
            else:
                getattr(self, "_read_" + what)((file, life), at, wall, words, where)

    def _begun(self, life, at, wall, words, where):
        key, partition, due, attempt, fence, size, its_hash = words
        self.runs.append(Run(life, at, wall, (key, partition), int(due), int(attempt), int(fence), int(size), its_hash, where))
        return self.runs[-1]

    def _ask(self, op, like, life, at, wall, where):
        op = self.ops.setdefault(op, like)
        if op.asks and op.asks[-1].life == life:  # the outbox was full
            op.asks.pop()
        op.asks.append(Ask(at, wall, life, where))

    def _read_put(self, life, at, wall, words, where):
        op, key, partition, due, mode, handler, rule, size, its_hash = words
        self._ask(op, Op("put", (key, partition), int(due), mode, handler, rule, int(size), its_hash), life, at, wall, where)

    def _read_cancel(self, life, at, wall, words, where):
        self._ask(words[0], Op("cancel", (words[1], words[2]), patience=int(words[3])), life, at, wall, where)

    def _read_again(self, life, at, wall, words, where):
        self.ops[words[0]].asks.append(Ask(at, wall, life, where))

    def _read_restart(self, life, at, wall, words, where):
        self._ask(words[0], Op("restart", (words[1], words[2]), int(words[3])), life, at, wall, where)

    def _read_stored(self, _, at, __, words, where):
        op = self.ops[words[0]]
        if op.answer:
            self.twice.append((op, where))
        op.answer, op.answered, op.where = words[1], at, where

    _read_cancelled = _read_restarted = _read_stored

    def _read_handler(self, _, __, ___, words, ____):
        self.handlers[words[0]] = Handler(*map(int, words[1:]))

    def _read_written(self, life, at, _, words, where):
        self.written[life].append((at, int(words[0]), where))

    def _read_loaded(self, life, at, *_):
        self.loaded[life] = at

    def _read_dead(self, _, at, __, words, where):
        self.dead.append(((words[0], words[1]), at, where))

    def _read_left(self, _, __, ___, words, where):
        self.left.append(Left((words[0], words[1]), int(words[2]), words[3], words[4], where))

    def _read_listed(self, _, at, *__):
        self.listed = at

    def _read_set(self, _, at, wall, words, __):
        self.set[words[0]] = words[1]
        self.offset = wall - at

    def _read_fault(self, _, __, ___, words, where):
        self.faults.append(Fault(words[0], words[1], int(words[2]), int(words[3]), where))

    def _read_outage(self, _, __, ___, words, ____):
        self.spans["outage"].append((int(words[0]), int(words[1])))

    def _read_starved(self, _, __, ___, words, ____):
        self.spans["starved"].append((int(words[0]), int(words[1])))

    def _read_status(self, _, __, ___, words, where):
        self.statuses.append((words[0], words[1], where))
