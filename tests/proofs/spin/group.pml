/* SPDX-License-Identifier: MIT
   A timer group: callers that schedule, cancel all, pauses and resumes; the driver that starts, sweeps, drains and sleeps; an
   executor's thread; time. README.md says which lines stand for which code. One step is one access to what is shared;
   there are no store buffers. Configurations, by -D: MEMBERS (1), FAR (their deadlines never come), CANCELS (by the
   owner, the last of which waits for the runs with WAITS), SECOND (another thread cancels, too), PAUSES (the owner
   pauses before it cancels, and resumes but for STAYS), EXECUTOR, LATEST (when time ends), WAKE (the wake time at
   first). With PROGRESS the claim is checked instead of what is left at the end. */

#define FREE 0
#define QUEUED 1
#define ARMED 2
#define DISPATCHED 3
#define FIRING 4
#define ENDED 5
#define QUIET 0
#define RUNG 1
#define SLEEPING 2
#define FOREVER 9

#ifndef MEMBERS
#define MEMBERS 1
#endif
#ifndef CANCELS
#define CANCELS 0
#endif
#ifndef LATEST
#define LATEST 2
#endif
#ifndef WAKE
#define WAKE FOREVER
#endif
#define MINIMUM(a, b) ((a) < (b) -> (a) : (b))

/* The members; `filed`, `slot` and `enrolled` are the driver's. */
byte state[MEMBERS];
short deadline[MEMBERS];  /* in the group's time */
byte epoch_of[MEMBERS];
bool filed[MEMBERS];
byte slot[MEMBERS];
bool enrolled[MEMBERS];

/* group_state. `behind`: or its own time, while it is paused. */
byte epoch = 0;
bool paused = false;
byte behind = 0;
byte runs[2];
byte waiters = 0;
bool requested = false;
bool waiter_sleeps = false;

/* group_store, doorbell, submission queue, executor's queue */
bool asked = false;
bool on_list = false;
byte bell = QUIET;
byte wake_time = WAKE;
byte earliest = FOREVER;
bool asleep = false;
chan submitted = [2 * MEMBERS] of { byte };
chan handed_over = [MEMBERS] of { byte };
byte now = 0;

/* What is promised. */
bool published[MEMBERS];
bool handed_out[MEMBERS];       /* schedule() has returned */
bool to_be_reclaimed[MEMBERS];  /* of an earlier epoch, and cancel_all() has returned */
bool waited_for[4];             /* cancel_all_and_wait() has returned, for members of that epoch */
bool resumed = false;

#define engine_time(m) (paused -> FOREVER : MINIMUM(deadline[m] + behind, FOREVER))
#define is_cancelled(m) (epoch_of[m] != epoch)
#define PENDING(m) (state[m] == QUEUED || state[m] == ARMED || state[m] == DISPATCHED)

active proctype clock() { do :: now < LATEST -> now++ :: else -> break od }

/* doorbell::ring(), ring_for_earlier() */
inline ring() { d_step { if :: bell == SLEEPING -> asleep = false :: else fi; bell = RUNG } }
inline ring_for_earlier(time) { earliest = MINIMUM(earliest, time); ring() }

/* schedule.cpp: push_entry() */
inline submit(m, time) {
  submitted ! m;
  if :: time < wake_time -> ring_for_earlier(time) :: else fi
}

/* group_store::request() */
inline request() {
  d_step { was_requested = requested; requested = true };
  if
  :: !was_requested -> on_list = true; asked = true
  :: else
  fi
}

/* group_state::end_run() */
inline end_run(e) {
#ifdef BROKEN_waiters_looked_at_first  /* who comes between the look and the end sleeps, and nobody wakes him */
  d_step { waiter_came = waiters != 0 };
  runs[e & 1]--;
  if :: waiter_came -> waiter_sleeps = false :: else fi
#else
  runs[e & 1]--;
  if :: waiters != 0 -> waiter_sleeps = false :: else fi
#endif
}

/* cancel.cpp: cancel(), of a member that has not started */
inline reclaim(m) { d_step { if :: PENDING(m) -> state[m] = ENDED; filed[m] = false; slot[m] = 0 :: else fi } }

/* group_run::begin(), then start_armed() or start_dispatched() from `from`, and run() */
inline run_member(m, from) {
#ifdef BROKEN_epoch_before_count  /* a cancel in between neither sees the run nor is seen */
  d_step { begun = !is_cancelled(m) };
  runs[epoch_of[m] & 1]++;
#else
  runs[epoch_of[m] & 1]++;
  d_step { begun = !is_cancelled(m) };
#endif
  if
  :: begun ->
     d_step { begun = state[m] == from; if :: begun -> state[m] = FIRING :: else fi };
     if
     :: begun ->
        assert(!waited_for[epoch_of[m]]);
        d_step { assert(!waited_for[epoch_of[m]]); state[m] = ENDED }
     :: else
     fi;
     end_run(epoch_of[m])
  :: else -> end_run(epoch_of[m]); reclaim(m)
  fi;
  begun = false
}

/* schedule.cpp: publish_owned(), submit_one() */
active proctype scheduler() {
  byte m = 0; byte d = 0; byte time = 0;
  do
  :: m == MEMBERS -> break
  :: m != MEMBERS ->
#ifdef FAR
     d = FOREVER - 1;
#else
     d = now + 1;
#endif
     d_step { deadline[m] = d - (paused -> now - behind : behind) };
     epoch_of[m] = epoch;
     time = engine_time(m);
     d_step { state[m] = QUEUED; published[m] = true };
#ifndef BROKEN_paused_without_deadline  /* a resumption in between is answered before the entry is there */
     if :: time == FOREVER -> time = d :: else fi;
#endif
     submit(m, time);
     d_step { handed_out[m] = true; m++; d = 0; time = 0 }
  od
}

/* groups.cpp: cancel_group() */
inline cancel_all() {
  d_step { epoch++; i = 0; do :: i < MEMBERS -> old[i] = handed_out[i]; i++ :: else -> break od; i = 0 };
  request();
  ring();
  d_step { i = 0; do :: i < MEMBERS -> if :: old[i] -> to_be_reclaimed[i] = true :: else fi; i++ :: else -> break od; i = 0 }
}

/* group_state::wait_for_runs() */
inline wait_for_runs() {
  waiters++;
  i = 0;
  do
  :: i == 2 -> break
  :: i != 2 ->
     seen = runs[i];
     if
     :: seen == 0 -> i++
     :: else ->
        d_step { if :: runs[i] == seen -> waiter_sleeps = true :: else fi };
        !waiter_sleeps
     fi
  od;
  waiters--;
  i = 0
}

active proctype owner() {
  bool old[MEMBERS]; bool was_requested = false;
  byte i = 0; byte seen = 0; byte mine = 0; byte left = CANCELS;
#ifdef PAUSES
  d_step { paused = true; behind = now - behind };
#ifndef STAYS
  d_step { paused = false; behind = now - behind };
  request();
  ring();
  resumed = true;
#endif
#endif
  do
  :: left == 0 -> break
  :: left != 0 ->
     cancel_all();
     left--;
     mine = epoch
  od;
#ifdef WAITS
  wait_for_runs();
  d_step { i = 0; do :: i < mine -> waited_for[i] = true; i++ :: else -> break od; i = 0 }
#endif
}

#ifdef SECOND
active proctype other() {
  bool old[MEMBERS]; bool was_requested = false;
  byte i = 0;
  cancel_all()
}
#endif

#ifdef EXECUTOR
/* run.cpp: run_handed_over(); members.cpp: put_back() */
active proctype executor() {
  byte m = 0; byte time = 0;
  bool begun = false; bool waiter_came = false;
end_idle:
  do
  :: handed_over ? m;
     if
     :: !paused -> run_member(m, DISPATCHED)
     :: paused ->
        d_step { begun = state[m] == DISPATCHED; if :: begun -> state[m] = QUEUED :: else fi };
        if
        :: begun ->
           submit(m, FOREVER);
#ifndef BROKEN_put_back_unseen  /* a resumption in between is answered before the entry is there */
           time = engine_time(m);
           if :: time != FOREVER -> ring_for_earlier(time) :: else fi
#endif
        :: else
        fi
     fi;
     d_step { m = 0; time = 0; begun = false }
  od
}
#endif

#include "group_driver.pml"

/* Filed for its time, or to be found by then. */
#define SETTLED(m) (state[m] == ENDED || (!paused && \
                    ((state[m] == ARMED && filed[m] && slot[m] == deadline[m] + behind) || \
                     (state[m] == QUEUED && deadline[m] + behind >= wake_time))))
#ifdef PROGRESS
#define GOES(m) ((to_be_reclaimed[m] -> <> (state[m] == ENDED)) && ((resumed && published[m]) -> <> SETTLED(m)))
/* Members that are cancelled end; those of a resumed group are filed for their time. */
#if MEMBERS == 1
ltl progress { [] GOES(0) }
#else
ltl progress { [] (GOES(0) && GOES(1)) }
#endif
#else
/* What is left when nobody can go on. */
active proctype judge() {
  byte i = 0;
  timeout;
  do
  :: i < MEMBERS ->
     assert(!to_be_reclaimed[i] || state[i] == ENDED);
     assert(!published[i] || paused ||
            (SETTLED(i) && (state[i] == ENDED || (deadline[i] + behind > now && wake_time > now))));
     i++
  :: else -> break
  od;
  assert(runs[0] == 0 && runs[1] == 0)
}
#endif
