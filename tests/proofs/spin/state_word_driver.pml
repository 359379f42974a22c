/* SPDX-License-Identifier: MIT
   Of the model state_word.pml: the driver. */

/* agenda.cpp: insert(), drop_if_cancelled() */
inline drop_if_cancelled() {
  location = NOWHERE;
#ifdef BROKEN_freed_before_emptied  /* the canceller is still moving the callable out of a node that another thread gets */
  release()
#else
  if :: (w & EMPTIED) != 0 -> release() :: else fi
#endif
}

active proctype driver() {
  short w = 0; short was = 0;
  byte d = 0; byte pass_now = 0; byte generation = 0; byte number = 0; byte to = 0; byte next_order = 0; byte hand_overs = 0;
  bool won = false;
end_idle:
  do
  :: atomic { arm_entries[0] > 0 -> arm_entries[0]--; generation = 0; driver_is_at_it = true }; goto take_up
  :: atomic { arm_entries[1] > 0 -> arm_entries[1]--; generation = 1; driver_is_at_it = true }; goto take_up
  :: atomic { reap_entries[0] > 0 -> reap_entries[0]--; driver_is_at_it = true };
     observe(w);
     if
     :: GENERATION(w) == 0 && STATE(w) == CANCELLED && location != IN_DUE_QUEUE -> location = NOWHERE; release()
     :: else
     fi;
     goto done
  :: atomic { location == IN_WHEEL && slot <= now -> pass_now = now; driver_is_at_it = true };  /* take_due() */
     observe(w);
     if
     :: STATE(w) == CANCELLED -> drop_if_cancelled()
     :: else ->
        d = deadline;
        d_step { if :: d <= pass_now -> location = IN_DUE_QUEUE; slot = 0; due_order = ORDER(w); due_deadline = d
                    :: else -> slot = d fi }
     fi;
     goto done
  :: atomic { location == IN_DUE_QUEUE -> location = NOWHERE; driver_is_at_it = true }; goto fire_next
#if REFUSALS > 0
  :: atomic { retries ? w, number -> driver_is_at_it = true };  /* retry_refused() */
     if
     :: word != w -> let_go(); goto done
     :: else -> goto execute
     fi
#endif
  od;

take_up:
  observe(w);
  do
  :: GENERATION(w) != generation || !(STATE(w) == QUEUED || STATE(w) == ARMED) -> break  /* stale */
  :: GENERATION(w) == generation && STATE(w) == ARMED && (w & UNFILED) == 0 -> break     /* current */
  :: GENERATION(w) == generation && STATE(w) == QUEUED ->
     exchange(w, WITH(w, ARMED) & ~UNFILED, none);
     if :: won -> d = deadline; d_step { assert(location == NOWHERE); location = IN_WHEEL; slot = d }; break :: else fi
  :: GENERATION(w) == generation && STATE(w) == ARMED && (w & UNFILED) != 0 ->
     exchange(w, w & ~UNFILED, none);
     if
     :: won ->
        d = deadline;
        if
        :: location != IN_DUE_QUEUE -> d_step { assert(location == IN_WHEEL); slot = d }
        :: location == IN_DUE_QUEUE && d <= pass_now ->
           observe(w);
#ifdef BROKEN_deadline_read_twice  /* between the reads a restart moves it to later, and the place in this pass is for that */
           d = deadline;
#endif
           d_step { due_order = ORDER(w); due_deadline = d }
        :: else
        fi;
        break
     :: else
     fi
  od;
  goto done;

fire_next:
  observe(w);
  do
  :: STATE(w) == CANCELLED -> drop_if_cancelled(); goto done
  :: STATE(w) != CANCELLED ->
     assert(STATE(w) == ARMED);
     d = deadline;
     if
     :: ORDER(w) != due_order || d != due_deadline ->
        d_step { if :: d <= pass_now -> location = IN_DUE_QUEUE; due_order = ORDER(w); due_deadline = d
                    :: else -> location = IN_WHEEL; slot = d; due_order = 0; due_deadline = 0 fi };
        goto done
     :: else
     fi;
#ifdef EXECUTOR
     hand_overs++;
#ifdef BROKEN_order_kept_at_hand_over  /* an arming of another thread makes a stale fired_timer look like the newest */
     exchange_pair(w, d, MAKE(GENERATION(w), ORDER(w), DISPATCHED, 0), d, number_now = hand_overs);
     if :: won -> d_step { w = MAKE(GENERATION(w), ORDER(w), DISPATCHED, 0); number = hand_overs }; break :: else -> observe(w) fi
#else
     exchange_pair(w, d, MAKE(GENERATION(w), hand_overs, DISPATCHED, 0), d, number_now = hand_overs);
     if :: won -> d_step { w = MAKE(GENERATION(w), hand_overs, DISPATCHED, 0); number = hand_overs }; break :: else -> observe(w) fi
#endif
#else
#ifdef BROKEN_deadline_not_compared  /* orders of two threads coincide: the very same word may stand for another deadline */
     exchange(w, WITH(w, FIRING) & ~UNFILED, start(w));
     if :: won -> w = WITH(w, FIRING) & ~UNFILED; break :: else fi
#else
     exchange_pair(w, d, WITH(w, FIRING) & ~UNFILED, d, start(w));
     if :: won -> w = WITH(w, FIRING) & ~UNFILED; break :: else -> observe(w) fi
#endif
#endif
  od;
  atomic { due_order = 0; due_deadline = 0; d = 0 };
#ifndef EXECUTOR
  run_it(ARMED, true);
#else
#if REFUSALS > 0
  if :: nempty(retries) -> retries ! w, number; goto done :: empty(retries) fi;
#endif
execute:
  if
  :: atomic { handed_over ! w, number; w = 0; number = 0 }
#if REFUSALS > 0
  :: atomic { refusals_left > 0 -> refusals_left--; retries ! w, number; w = 0; number = 0 }
  :: refusals_left > 0 -> refusals_left--; let_go()
  :: refusals_left > 0 -> refusals_left--;  /* run_inline */
     exchange(w, WITH(w, FIRING), assert(number == number_now); start(w));
     if :: won -> w = WITH(w, FIRING); number = 0; run_it(ARMED, true) :: else fi
#endif
  fi;
#endif

done:
  atomic { w = 0; was = 0; d = 0; generation = 0; number = 0; to = 0; won = false; driver_is_at_it = false;
           if :: location == IN_DUE_QUEUE -> skip :: else -> pass_now = 0 fi };
  goto end_idle
}
