/* SPDX-License-Identifier: MIT
   Of the model state_word.pml: who schedules, cancels and restarts, and time. */

/* schedule.cpp: claim_node(), submit_one() */
inline schedule(generation, order, time) {
  d_step { in_pool && GENERATION(word) == generation -> in_pool = false; assert(!callable && location == NOWHERE); callable = true };
  deadline = time;
  d_step { assert(STATE(word) == FREE && GENERATION(word) == generation);
           word = MAKE(generation, order, QUEUED, 0); published[generation] = true; promise(time) };
  submit(arm_entries, generation)
}

active proctype scheduler() {
  if :: schedule(0, 0, 1) :: schedule(0, 0, 2) fi;
  handed_out = true
#ifdef REUSE
  ; schedule(1, 1, 3)
#endif
}

active proctype clock() { do :: now < LATEST -> now++ :: else -> break od }

/* run_waiters.hpp: wait() */
inline wait_for_run() {
  do
  :: known_ends = runs_ended;
     observe(w);
     if :: GENERATION(w) != 0 -> break :: else fi;
     do  /* mark_waiter() */
     :: STATE(w) != FIRING -> won = false; break
     :: STATE(w) == FIRING && (w & WAITER) != 0 -> won = true; break
     :: STATE(w) == FIRING && (w & WAITER) == 0 -> exchange(w, w | WAITER, none); if :: won -> break :: else fi
     od;
     if :: !won || GENERATION(w) != 0 -> break :: else fi;
     d_step { if :: runs_ended == known_ends -> futex_sleeps = true :: else fi };
     !futex_sleeps
  od
}

#ifndef NO_CANCEL
#ifdef WAITS
#define MARKS (LAST | WAITER)
#else
#define MARKS LAST
#endif
active proctype canceller() {
  short w = 0;
  byte known_ends = 0;
  byte from = FREE;  /* of what it won */
  bool won = false;
  handed_out;
#ifndef OWNING
  d_step {  /* cancel_plain() */
    if :: word == MAKE(0, ORDER(word), QUEUED, 0) -> end_of(word); word = MAKE(1, ORDER(word), FREE, 0); callable = false; won = true
       :: else fi };
  if :: won -> give_to_pool(); goto out :: else fi;
#endif
  observe(w);
  do
  :: GENERATION(w) != 0 || !(PENDING(w) || STATE(w) == FIRING) -> goto out  /* gone */
  :: GENERATION(w) == 0 && STATE(w) == FIRING ->
     if :: (w & MARKS) == MARKS -> break
        :: else -> exchange(w, w | MARKS, none); if :: won -> break :: else fi fi
  :: GENERATION(w) == 0 && PENDING(w) ->
     from = STATE(w);
#ifdef OWNING
     exchange(w, WITH(w, CANCELLED), end_of(w));
#else
     if :: from == ARMED -> exchange(w, WITH(w, CANCELLED) | EMPTIED, end_of(w); callable = false)
        :: else -> exchange(w, WITH(w, CANCELLED), end_of(w)) fi;
#endif
     if :: won -> goto won_it :: else from = FREE fi
  od;
  /* it is running: marked_last */
#ifdef WAITS
  waits = true;
  wait_for_run();
  atomic { assert(!(running && GENERATION(word) == 0)); waited_for[0] = true; waits = false };
#endif
  goto out;
won_it:
#ifdef OWNING
  atomic { assert(callable); callable = false };
#endif
#ifdef BROKEN_canceller_frees_armed  /* the wheel's list still runs through the node, which may be used again */
  release(); goto out;
#endif
  if
  :: from == ARMED ->
#ifdef OWNING
     d_step { assert(word == WITH(w, CANCELLED)); word = word | EMPTIED };  /* mark_emptied() */
#endif
     submit(reap_entries, 0)
  :: else -> callable = false; release()
  fi;
out: skip
}
#endif

/* cancel.cpp: timer::restart_at(), restart(). To 1, earlier than all, or to 3. */
active [RESTARTERS] proctype restarter() {
  short w = 0;
  byte old = 0;
  byte to = 0;
  bool won = false;
  bool tells = false;
  handed_out;
  if :: to = 1 :: to = 3 fi;
  observe(w);  /* restart_later() */
  old = deadline;
  if
  :: GENERATION(w) == 0 && (STATE(w) == QUEUED || STATE(w) == ARMED) && (w & UNFILED) == 0 && to > old ->
     exchange_pair(w, old, MAKE(0, 0, STATE(w), w & (LAST | WAITER)), to, promise(to)); if :: won -> goto told :: else fi
  :: else
  fi;
  observe(w);
  do
  :: GENERATION(w) != 0 || !PENDING(w) -> goto out  /* gone */
  :: GENERATION(w) == 0 && PENDING(w) ->
     old = deadline;
#ifdef BROKEN_unfiled_not_looked_at  /* the restart that it overtakes may not have told the driver yet, and now nobody does in time */
     tells = to < old || STATE(w) == DISPATCHED;
#else
     tells = to < old || (w & UNFILED) != 0 || STATE(w) == DISPATCHED;
#endif
#ifdef BROKEN_deadline_stored_plainly  /* before the exchange it belongs to another arming, or to a stranger */
     deadline = to;
     exchange(w, MAKE(0, 0, (STATE(w) == DISPATCHED -> QUEUED : STATE(w)), (tells -> UNFILED : 0)), promise(to));
#elif defined(BROKEN_restart_keeps_dispatched)  /* the fired_timer is stale then, and nothing else names the timer */
     exchange_pair(w, old, MAKE(0, 0, STATE(w), (tells -> UNFILED : 0)), to, promise(to));
     if :: STATE(w) == DISPATCHED -> tells = false :: else fi;
#else
     exchange_pair(w, old, MAKE(0, 0, (STATE(w) == DISPATCHED -> QUEUED : STATE(w)), (tells -> UNFILED : 0)), to, promise(to));
#endif
     if :: won -> break :: else -> observe(w) fi
  od;
  if :: tells -> submit(arm_entries, 0) :: else fi;
told:
  /* Whoever has restarted has seen to it that the driver looks by the time promised, or by one
     that was promised since, or is told. */
  assert(GENERATION(word) != 0 || !(STATE(word) == QUEUED || STATE(word) == ARMED) || driver_is_at_it ||
         executor_submits || arm_entries[0] > 0 || (location == IN_WHEEL && (slot <= to || slot <= deadline)) || location == IN_DUE_QUEUE);
out: skip
}
