/* SPDX-License-Identifier: MIT
   The state word of one node: its schedulers, a canceller, restarters, the driver, an executor's thread, and time.
   README.md says which lines stand for which code. One step is one atomic access; the words at the end of an exchange's
   line are bookkeeping of the model, done in the same step. Configurations, by -D: RESTARTERS (1), OWNING (there is
   something to destroy), REUSE (the node gets a second life), WAITS (cancel_and_wait), NO_CANCEL, EXECUTOR (with
   REFUSALS and LETS_GO), PERIODIC. With PROGRESS the claim is checked instead of what is left at the end. */

#define FREE 0
#define QUEUED 2
#define ARMED 3
#define DISPATCHED 4
#define FIRING 5
#define CANCELLED 6
#define DROPPED 7

#define LAST 8
#define WAITER 16
#define EMPTIED WAITER
#define UNFILED 32
#define STATE(w) ((w) & 7)
#define WITH(w, state) (((w) & ~7) | (state))
#define ORDER(w) (((w) >> 6) & 7)
#define GENERATION(w) ((w) >> 9)
#define MAKE(generation, order, state, flags) (((generation) << 9) | ((order) << 6) | (state) | (flags))
#define NEXT_LIFE(w) MAKE(GENERATION(w) + 1, 0, FREE, 0)
#define PENDING(w) (STATE(w) == QUEUED || STATE(w) == ARMED || STATE(w) == DISPATCHED)

#ifndef RESTARTERS
#define RESTARTERS 1
#endif
#ifndef REFUSALS
#define REFUSALS 0
#endif
#define LATEST 4  /* when time ends */
#define NOWHERE 0
#define IN_WHEEL 1
#define IN_DUE_QUEUE 2

/* The pair; and the node's plain fields. */
short word = 0;
byte deadline = 0;
bool callable = false;
bool in_pool = true;
byte location = NOWHERE;  /* these four are the driver's */
byte slot = 0;
byte due_deadline = 0;
byte due_order = 0;

/* The submission queue, in no order; by generation. */
byte arm_entries[2];
byte reap_entries[2];
chan handed_over = [4] of { short, byte };  /* the executor's queue: a fired_timer's word, and its number */
chan retries = [2] of { short, byte };      /* refused ones */
byte refusals_left = REFUSALS;
byte now = 0;
byte runs_ended = 0;
bool futex_sleeps = false;

/* What is promised. */
bool published[2];
bool handed_out = false;    /* schedule() has returned the handle of the first life */
bool ended[2];
bool waited_for[2];         /* cancel_and_wait() has returned `running` */
byte wanted = 0;            /* the deadline that was promised last */
bool running = false;
bool driver_is_at_it = false;
bool executor_submits = false;  /* it has re-armed, and its entry is on the way: as good as a schedule() not returned */
byte number_now = 0;        /* of the newest fired_timer */
bool waits = false;

#define none skip
#define end_of(w) assert(!ended[GENERATION(w)]); ended[GENERATION(w)] = true
#define promise(time) wanted = time
#define start(w) assert(!running && !ended[GENERATION(w)] && !waited_for[GENERATION(w)]); assert(wanted <= now && deadline == wanted)

/* exchange_word(): on failure `known` is what is there. */
#define exchange(known, desired, bookkeeping) \
  d_step { if :: word == known -> bookkeeping; word = desired; won = true :: else -> known = word; won = false fi }
#define exchange_pair(known, known_deadline, desired, desired_deadline, bookkeeping) \
  d_step { if :: word == known && deadline == known_deadline -> \
                 bookkeeping; word = desired; deadline = desired_deadline; won = true \
              :: else -> won = false fi }
#define observe(w) w = word
#define submit(kind, generation) kind[generation]++

inline give_to_pool() { d_step { assert(STATE(word) == FREE && !in_pool && !callable && location == NOWHERE); in_pool = true } }
inline release() {  /* with free_node() */
  d_step { assert(STATE(word) == CANCELLED || STATE(word) == DROPPED); assert(!callable); word = NEXT_LIFE(word) };
  give_to_pool()
}

#include "state_word_handles.pml"

inline wake_waiters() {
  runs_ended++;
  futex_sleeps = false
}

/* run.cpp: run() with run_again() and end_timer(). `w` is firing and the calling thread's. `rearmed_state` is what this
   thread may make of it. */
inline run_it(rearmed_state, files) {
  d_step { assert(callable && !running); running = true };
#ifdef PERIODIC
  if
  :: runs_left == 1 -> do :: exchange(w, w | LAST, none); if :: won -> w = w | LAST; break :: else fi od  /* set_last() */
  :: else
  fi;
  runs_left--;
#endif
  running = false;
  won = false;
#ifdef PERIODIC
  if
  :: runs_left != 0 ->
     to = deadline + 1;
     deadline = to;
     observe(w);
#ifdef BROKEN_rearm_ignores_last  /* whoever saw the run and marked it as the last is told that there is none after it */
     do :: true ->
#else
     do :: (w & LAST) != 0 -> won = false; break
        :: (w & LAST) == 0 ->
#endif
           assert(STATE(w) == FIRING);
           exchange(w, MAKE(GENERATION(w), next_order, rearmed_state, 0), promise(to); executor_submits = !files);
           if :: won -> break :: else fi od;
     next_order++
  :: else
  fi;
  if
  :: won && files -> d_step { assert(location == NOWHERE); location = IN_WHEEL; slot = to }
  :: won && !files -> d_step { submit(arm_entries, GENERATION(w)); executor_submits = false }
  :: else
  fi;
  to = 0;
#endif
  if
  :: !won ->
     callable = false;
     observe(w);
     was = w;
     do :: exchange(w, NEXT_LIFE(w), end_of(w)); if :: won -> break :: else fi od;
     give_to_pool()
  :: else -> was = w
  fi;
#ifdef BROKEN_marks_of_before  /* a waiter that came while the callable was being destroyed sleeps for ever */
  w = was;
#endif
  if :: (w & WAITER) != 0 -> wake_waiters() :: else fi;
  atomic { w = 0; was = 0; won = false }
}

#ifdef PERIODIC
byte runs_left = 2;
#endif

/* run.cpp: drop_handed_over() */
inline let_go() {
  exchange(w, WITH(w, DROPPED), assert(number == number_now); end_of(w));
  if :: won -> callable = false; release() :: else fi;
  atomic { w = 0; number = 0; won = false }
}

#ifdef EXECUTOR
/* run.cpp: run_handed_over(), and ~fired_timer() of one that was not called. */
active proctype executor() {
  short w = 0; short was = 0;
  byte number = 0; byte to = 0; byte next_order = 0;
  bool won = false;
end_idle:
  do
  :: handed_over ? w, number ->
     if
     :: exchange(w, WITH(w, FIRING), assert(number == number_now); start(w));
        if :: won -> w = WITH(w, FIRING); number = 0;
#ifdef BROKEN_executor_rearms_armed  /* its entry finds it armed, which says that it is filed; nobody files it */
              run_it(ARMED, false)
#else
              run_it(QUEUED, false)
#endif
           :: else -> d_step { w = 0; number = 0 } fi
#ifdef LETS_GO
     :: let_go()
#endif
     fi
  od
}
#endif

#include "state_word_driver.pml"

#ifdef PROGRESS
/* Whatever was armed ends: fired, cancelled or dropped; and who waits for a run is let go. */
ltl progress { [] ((published[0] -> <> ended[0]) && (published[1] -> <> ended[1]) && (waits -> <> !waits)) }
#else
/* What is left when nobody can go on. */
active proctype judge() {
  timeout;
  assert(waits || (ended[0] && in_pool && location == NOWHERE && !callable && STATE(word) == FREE));
  assert(arm_entries[0] == 0 && reap_entries[0] == 0 && empty(handed_over) && empty(retries));
#ifdef REUSE
  assert(waits || (ended[1] && GENERATION(word) == 2));
#endif
}
#endif
