/* SPDX-License-Identifier: MIT
   A worker with several shards, stuck in a callback of one of them, and the watch that drives another one meanwhile.
   README.md says what is asserted. One step is one access to what is shared. There are no store buffers: where the
   protocol has a fence between a publication and a look, a variant exchanges the two, as a missing fence would.
   Configurations, by -D: TIMERS (2), LATEST (when the last deadline comes, 2), STOPS (the shard is stopped meanwhile). */

#define NONE 0
#define SUBMITTED 1
#define FILED 2
#define TAKEN 3     /* by a driver, and not started yet: in a variant alone */
#define RUNNING 4
#define ENDED 5
#define RETURNED 6  /* by stop(), or refused as it had been called */

#define FREE 0
#define HOME 1
#define WATCH 2
#define STOPPER 3

#define FOREVER 9
#define RESCUE_AFTER 1

#ifdef BROKEN_released_before_run
#define RELEASED_EARLY 1  /* two drivers are the fault, and the callbacks are what it is found by */
#else
#define RELEASED_EARLY 0
#endif
#ifndef TIMERS
#define TIMERS 2
#endif
#ifndef LATEST
#define LATEST 2
#endif

byte now = 0;

/* The shard: its timers all have one key. */
byte state[TIMERS];
byte deadline[TIMERS];
chan submitted = [TIMERS] of { byte };
byte wake_time = FOREVER;
bool rung = false;      /* something earlier was submitted, and no driver has looked since */
byte drives = FREE;     /* the claim */

/* Its home, and the watch. */
byte sleeps_until = 0;  /* the home; 0: it is awake */
bool bell = false;
bool busy = false;      /* the home is in a callback of another shard */
bool watch_sleeps = false;

/* What is promised. */
byte drivers = 0;
byte running = 0;
bool closed = false;
bool stopped = false;

active proctype clock() { do :: now < LATEST + RESCUE_AFTER -> now++ :: else -> break od }

proctype producer(byte id) {
  byte seen = 0;
  deadline[id] = LATEST - id;
#ifdef BROKEN_wake_time_read_first  /* it is raised in between, and the drain of the raise finds nothing */
  seen = wake_time;
#endif
  d_step { if :: closed -> state[id] = RETURNED :: else -> submitted ! id; state[id] = SUBMITTED fi };
#ifndef BROKEN_wake_time_read_first
  seen = wake_time;  /* after a fence */
#endif
  if
  :: deadline[id] < seen -> rung = true; bell = true
  :: else
  fi
}

inline claim(who) {
#ifdef BROKEN_claimed_by_look  /* an exchange has to decide */
  got = drives == FREE;
  if :: got -> drives = who :: else fi
#else
  d_step { got = drives == FREE; if :: got -> drives = who :: else fi }
#endif
}

/* The earliest that is due and filed is TAKEN; TIMERS: none is. */
inline take_due() {
  id = TIMERS; i = 0;
  do
  :: i == TIMERS -> break
  :: i < TIMERS && state[i] == FILED && deadline[i] <= now ->
     if :: id == TIMERS || deadline[i] < deadline[id] -> id = i :: else fi;
     i++
  :: i < TIMERS && !(state[i] == FILED && deadline[i] <= now) -> i++
  od;
  if :: id < TIMERS -> state[id] = TAKEN :: else fi;
  i = 0
}

/* One at a time, and none before one with an earlier deadline that was filed. */
inline start_taken() {
  if
  :: id < TIMERS ->
     assert(!stopped && running == 0);
     do
     :: i == TIMERS -> break
     :: i < TIMERS -> assert(!(state[i] == FILED && deadline[i] < deadline[id])); i++
     od;
     i = 0; running++; state[id] = RUNNING
  :: else
  fi
}

/* The shard, by the thread that has claimed it. */
inline drive() {
  d_step { drivers++; assert(drivers == 1 || RELEASED_EARLY) };
  do
  :: rung = false;
     d_step { do :: nempty(submitted) -> submitted ? id; state[id] = FILED :: empty(submitted) -> break od; id = 0 };
     do
     :: true ->
#if RELEASED_EARLY  /* the next of the key starts elsewhere */
        d_step { take_due() };
        drives = FREE;
        d_step { start_taken() };
#else
        d_step { take_due(); start_taken() };
#endif
        if
        :: id < TIMERS -> d_step { running--; state[id] = ENDED; id = 0 }
        :: else -> break
        fi
     od;
     skip;
     d_step {
       next = FOREVER; i = 0;
       do
       :: i == TIMERS -> break
       :: i < TIMERS && state[i] == FILED && deadline[i] < next -> next = deadline[i]; i++
       :: i < TIMERS && !(state[i] == FILED && deadline[i] < next) -> i++
       od;
       i = 0; id = 0
     };
#ifdef BROKEN_looked_before_raise  /* what is submitted in between is neither seen nor rings */
     if :: empty(submitted) -> wake_time = next; break :: nempty(submitted) fi
#else
     wake_time = next;  /* then a fence */
     if :: empty(submitted) -> break :: nempty(submitted) fi
#endif
  od;
  skip;
  d_step { drivers--; next = 0 }
}

/* What is rung for while the shard is claimed finds no driver awake; whoever lets go looks. */
inline look_at_ring() {
#ifndef BROKEN_ring_not_looked_at
  if :: rung -> bell = true :: !rung fi
#else
  skip
#endif
}

/* Until when the home sleeps. First for ever, as if it had no shard; then a fence and a look. Lowering needs no fence. */
inline announce_sleep() {
#ifdef BROKEN_sleep_announced_late  /* the watch lets go in between, and sees a home that is awake */
  if
  :: drives == FREE ->
     next = wake_time;
     if :: rung || next <= now -> bell = true :: else fi
  :: drives != FREE -> next = FOREVER
  fi;
  sleeps_until = next
#elif defined(BROKEN_sleep_lengthened)  /* the watch lets go in between, and sees a home that wakes in time */
  next = wake_time;
  sleeps_until = next;
  if
  :: drives == FREE -> if :: rung || wake_time < next || next <= now -> bell = true :: else fi
  :: drives != FREE -> sleeps_until = FOREVER
  fi
#else
  sleeps_until = FOREVER;
  if
  :: drives == FREE ->
     next = wake_time;
     if :: rung || next <= now -> bell = true :: else -> sleeps_until = next fi
  :: drives != FREE
  fi
#endif
}

active proctype home() {
  byte id = 0; byte i = 0; byte next = 0; bool got = false;
end_home:
  do
  :: true ->  /* a callback of another shard, which returns at some time or never */
#ifdef BROKEN_busy_announced_late  /* the watch goes to sleep in between, and sees a home that is not busy */
     if :: watch_sleeps -> watch_sleeps = false :: !watch_sleeps fi;
     busy = true;
#else
     busy = true;  /* then a fence */
#ifndef BROKEN_watch_not_rung
     if :: watch_sleeps -> watch_sleeps = false :: !watch_sleeps fi;
#endif
#endif
     if :: true :: true -> end_stuck: false fi;
     busy = false
  :: true ->
     bell = false;
#ifdef BROKEN_returns_unclaimed  /* as if the shard were still its own */
     got = true;
#else
     claim(HOME);
#endif
     if
     :: got -> drive(); drives = FREE; look_at_ring()
     :: !got
     fi;
     announce_sleep();
end_asleep: (bell || sleeps_until <= now);
     d_step { sleeps_until = 0; next = 0; got = false }
  od
}

active proctype watch() {
  byte id = 0; byte i = 0; byte next = 0; bool got = false;
  do
  :: true ->
#ifdef BROKEN_watch_looks_first  /* the home becomes busy in between, and sees a watch that is awake */
     if :: busy :: !busy -> watch_sleeps = true; end_late: !watch_sleeps fi;
#else
     watch_sleeps = true;  /* then a fence */
     if :: busy -> watch_sleeps = false :: !busy -> end_asleep: !watch_sleeps fi;
#endif
     /* While the home is busy it looks each RESCUE_AFTER. */
end_watching:
     do
     :: !busy -> break
#ifdef BROKEN_overdue_alone  /* nor is what came since, and is earlier, seen by a home that is stuck */
     :: busy && drives == FREE && wake_time + RESCUE_AFTER <= now ->
#else
     :: busy && drives == FREE && (rung || wake_time + RESCUE_AFTER <= now) ->
#endif
        claim(WATCH);
        if
        :: got ->
           drive();
#ifdef BROKEN_home_looked_at_first  /* the home goes to sleep for ever in between, as the shard is claimed */
           if :: wake_time < sleeps_until -> bell = true :: else fi;
           drives = FREE;
#else
           drives = FREE;  /* then a fence */
#ifndef BROKEN_home_not_rung
           if :: wake_time < sleeps_until -> bell = true :: else fi;
#endif
#endif
           look_at_ring()
        :: !got
        fi;
        got = false
     od
  od
}

#ifdef STOPS
/* close(), then the claim for good: whatever has not run is returned, and nothing runs any more. */
active proctype stopper() {
  byte i = 0;
  closed = true;
#ifndef BROKEN_stopped_unclaimed
  atomic { drives == FREE -> drives = STOPPER };
#endif
  d_step {
    do
    :: i == TIMERS -> break
    :: i < TIMERS && (state[i] == SUBMITTED || state[i] == FILED) -> state[i] = RETURNED; i++
    :: i < TIMERS && !(state[i] == SUBMITTED || state[i] == FILED) -> i++
    od;
    do :: nempty(submitted) -> submitted ? i :: empty(submitted) -> break od;
    i = 0; assert(running == 0); stopped = true
  }
}
#endif

/* What is left when nobody can go on and all time has passed, though the home be stuck for ever. */
init {
  byte i = 0;
  atomic { do :: i < TIMERS -> run producer(i); i++ :: else -> break od; i = 0 };
  timeout;
  do
  :: i < TIMERS -> assert(state[i] == ENDED || state[i] == RETURNED); i++
  :: else -> break
  od
}
