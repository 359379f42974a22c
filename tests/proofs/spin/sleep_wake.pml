/* SPDX-License-Identifier: MIT
   The wake time W, the doorbell and the lazy drain, on a machine with store buffers: producers, the driver, a stopper,
   time. README.md says which lines stand for which code. One step is one access to memory; a store of a push, of W or
   of `asymmetric` goes to its thread's buffer first, and the process `memory` moves it on. Configurations, by -D:
   FIRST and SECOND (pushes of either producer), WAKE (W at
   first), BATCH, BACKLOG (rings that stand for no deadline), CANCELS (of filed timers), FAR
   (rings for what is far away leave the queue alone), ASYMMETRIC (from the start), SWITCHES (the driver may change who
   pays, once each way), STOPS. With PROGRESS the claim is checked instead of what is left at the end. */

#define QUIET 0
#define RUNG 1
#define SLEEPING 2
#define FOREVER 9
#define AT_ONCE 0
#define LATEST 2  /* deadline, and when time ends */

#ifndef FIRST
#define FIRST 1
#endif
#ifndef SECOND
#define SECOND 1
#endif
#ifndef CANCELS
#define CANCELS 0
#endif
#ifndef WAKE
#define WAKE FOREVER
#endif
#ifndef BATCH
#define BATCH 2
#endif
#define ENTRIES (FIRST + SECOND)
#define MINIMUM(a, b) ((a) < (b) -> (a) : (b))

/* doorbell, submission queue, lifecycle */
byte wake_time = WAKE;
byte bell = QUIET;
byte earliest = FOREVER;  /* that was rung for */
bool asymmetric = false;
bool stopping = false;
chan submitted[2] = [ENTRIES] of { byte };
byte now = 0;
bool asleep = false;      /* in the futex */

/* Store buffers: pushes of the producers, {0: W, 1: asymmetric; value} of the driver. */
chan pushes[2] = [ENTRIES] of { byte };
chan stores = [4] of { byte, byte };

/* The timers: what has been pushed, seen by others, and has ended. */
byte deadline[ENTRIES];
bool pushed[ENTRIES];
bool visible[ENTRIES];
bool handed_out[ENTRIES];  /* schedule() has returned */
bool ended[ENTRIES];
bool driver_left = false;
bool stop_begun = false;
bool stop_done = false;

#define full_fence(buffer) empty(buffer)
#define heavy_fence() full_fence(stores); full_fence(pushes[0]); full_fence(pushes[1])

active proctype memory() {
  byte which = 0;
  byte value = 0;
end_idle:
  do
  :: d_step { nempty(pushes[0]) -> pushes[0] ? value; submitted[0] ! value; visible[value] = true; value = 0 }
  :: d_step { nempty(pushes[1]) -> pushes[1] ? value; submitted[1] ! value; visible[value] = true; value = 0 }
  :: d_step { nempty(stores) -> stores ? which, value; if :: which == 0 -> wake_time = value :: else -> asymmetric = value fi;
              which = 0; value = 0 }
  od
}

active proctype clock() { do :: now < LATEST -> now++ :: else -> break od }

/* doorbell::ring(). The exchange is a full fence of its own. */
inline ring(buffer) {
  full_fence(buffer);
  if
  :: bell == RUNG
  :: atomic { bell != RUNG -> skip };
     d_step { was = bell; bell = RUNG };
     if :: was == SLEEPING -> asleep = false :: else fi;
     was = QUIET
  fi
}

/* schedule.cpp: submit_one(), push_entry() */
proctype producer(byte self; byte id; byte count) {
  byte was = QUIET;
  byte w = 0;
  do
  :: count == 0 -> break
#ifdef STOPS
  :: count > 0 && stopping -> break  /* refusal() */
#endif
  :: else ->
     atomic { if :: deadline[id] = 1 :: deadline[id] = 2 fi; pushes[self] ! id; pushed[id] = true };
     /* fence_push() */
#ifndef BROKEN_no_fence_in_push  /* the look at W comes before the push, and the driver's drain between them */
     if :: asymmetric :: !asymmetric -> full_fence(pushes[self]) fi;
#endif
#ifdef BACKLOG
     if :: ring(pushes[self]) :: skip fi;
#endif
     w = wake_time;
     if
     :: deadline[id] < w ->
        atomic { empty(pushes[self]); earliest = MINIMUM(earliest, deadline[id]) };
        ring(pushes[self])
     :: else
     fi;
#if defined(STOPS) && !defined(BROKEN_no_second_look)  /* the stop has looked at the timers before this one could be seen */
     if
     :: stopping -> atomic { empty(pushes[self]); if :: !ended[id] -> ended[id] = true :: else fi }  /* take_back() */
     :: !stopping
     fi;
#endif
     atomic { handed_out[id] = true; id++; count--; w = 0 }
  od
}

#ifdef STOPS
chan empty_buffer = [1] of { byte };  /* all that the stopper stores, it exchanges */

/* stop.cpp: begin_stop(), end_drive(), collect_all() */
active proctype stopper() {
  byte was = QUIET;
  byte id = 0;
  atomic { stopping = true; stop_begun = true };
#ifndef BROKEN_stop_without_heavy_fence  /* a push under a light fence may be seen after the look, its look at `stopping` before */
#if defined(ASYMMETRIC) || defined(SWITCHES)
  heavy_fence();
#endif
#endif
  ring(empty_buffer);
  driver_left;
  do :: id < ENTRIES -> d_step { if :: visible[id] && !ended[id] -> ended[id] = true :: else fi; id++ } :: else -> break od;
  stop_done = true
}
#endif

#include "sleep_wake_driver.pml"

#ifdef PROGRESS
#define ENDS(i) (pushed[i] -> <> ended[i])
/* A sleeper with due work wakes: whatever is pushed ends. And a stop comes to its end. */
#if FIRST + SECOND == 1
ltl progress { [] (ENDS(0) && (stop_begun -> <> stop_done)) }
#elif FIRST + SECOND == 2
ltl progress { [] (ENDS(0) && ENDS(1) && (stop_begun -> <> stop_done)) }
#else
ltl progress { [] (ENDS(0) && ENDS(1) && ENDS(2) && (stop_begun -> <> stop_done)) }
#endif
#else
/* What is left when nobody can go on. */
active proctype judge() {
  byte i = 0;
  timeout;
  assert(stop_done == stop_begun);
  do :: i < ENTRIES -> assert(!pushed[i] || ended[i]); i++ :: else -> break od
}
#endif
