/* SPDX-License-Identifier: MIT
   Of the model group.pml: the driver. */

/* doorbell::answer(), intake.hpp: answer_bell() */
inline answer_bell() {
  if
  :: bell == RUNG ->
     bell = QUIET;
     d_step { if :: earliest != FOREVER -> unanswered = true; earliest = FOREVER :: else fi }
  :: bell != RUNG
  fi
}

/* agenda.cpp: accept(), insert(); group_sweep.cpp: enrol() */
inline drain() {
  do
  :: empty(submitted) -> break
  :: nempty(submitted) ->
     submitted ? m;
     d_step { taken = state[m] == QUEUED; if :: taken -> state[m] = ARMED; enrolled[m] = true :: else fi };
     if
     :: taken ->
        if :: is_cancelled(m) -> request() :: else fi;
        d_step { filed[m] = true; slot[m] = engine_time(m) }
     :: else
     fi;
     d_step { m = 0; taken = false; was_requested = false }
  od;
  unanswered = false
}

/* groups.cpp: sweep_groups(), sweep(), sweep_one() */
inline sweep_groups() {
#ifndef BROKEN_asked_cleared_late
  asked = false;
#endif
  do
  :: !on_list -> break
  :: on_list ->
     on_list = false;
#ifndef BROKEN_answered_late
     requested = false;
#endif
#ifndef BROKEN_sweep_owes_nothing  /* what is submitted and has not rung waits for another time */
     unanswered = true;
#endif
     m = 0;
     do
     :: m == MEMBERS -> break
     :: m != MEMBERS && enrolled[m] && is_cancelled(m) -> reclaim(m); m++
     :: m != MEMBERS && enrolled[m] && !is_cancelled(m) ->
#ifndef BROKEN_resumed_not_filed  /* it lies where it never comes due */
        d_step { if :: state[m] == ARMED && filed[m] -> slot[m] = engine_time(m) :: else fi };
#endif
        m++
     :: m != MEMBERS && !enrolled[m] -> m++
     od;
     m = 0;
#ifdef BROKEN_answered_late  /* who asks during the sweep is told that he has been heard */
     requested = false;
#endif
#ifdef BROKEN_asked_cleared_late  /* who has asked since is on the list, and nobody looks there */
     asked = false;
     break
#endif
  od
}

/* expiry.cpp: fire_pass(), fire_next(), hand_over() */
inline fire_pass() {
  m = 0;
  do
  :: m == MEMBERS -> break
  :: m != MEMBERS && filed[m] && slot[m] <= now ->
     time = engine_time(m);
     if
     :: time > now -> slot[m] = time
     :: else ->
        filed[m] = false;
        slot[m] = 0;
#ifdef EXECUTOR
        if
        :: is_cancelled(m) -> reclaim(m)
        :: else -> state[m] = DISPATCHED; handed_over ! m
        fi
#else
        run_member(m, ARMED)
#endif
     fi;
     time = 0;
     m++
  :: m != MEMBERS && !(filed[m] && slot[m] <= now) -> m++
  od;
  m = 0
}

inline next_exact(result) {
  d_step { result = FOREVER; m = 0;
           do :: m < MEMBERS -> if :: filed[m] -> result = MINIMUM(result, slot[m]) :: else fi; m++ :: else -> break od; m = 0 }
}

/* worker.cpp: work(), wait_for_work(), announce_until() */
active proctype driver() {
  byte m = 0; byte time = 0; byte until = FOREVER; byte low = 0;
  bool unanswered = false; bool taken = false; bool was_requested = false; bool begun = false; bool waiter_came = false;
again:
  atomic { until = FOREVER; low = 0; was_requested = false };
  answer_bell();
  if :: unanswered || now >= wake_time -> drain() :: else fi;
  if :: asked -> sweep_groups() :: else fi;
  fire_pass();
  if :: asked -> goto again :: else fi;
  next_exact(until);
  if :: until <= now -> goto again :: else fi;
  if
  :: until > wake_time && wake_time > now -> until = wake_time  /* it stays low */
  :: until > wake_time && wake_time <= now -> wake_time = until; unanswered = true
  :: until <= wake_time -> wake_time = until
  fi;
  answer_bell();
  if :: unanswered -> drain() :: else fi;
#ifndef BROKEN_asked_not_looked_at  /* the bell's answer may have been for that */
  if :: asked -> goto again :: else fi;
#endif
  next_exact(low);
  if :: low < until -> until = low; wake_time = low :: else fi;
  /* doorbell::sleep() */
  if
  :: atomic { bell == QUIET -> bell = SLEEPING; asleep = true }
  :: bell == RUNG -> goto again
  fi;
end_asleep:
  if
  :: !asleep
  :: asleep && until != FOREVER && now >= until
  fi;
  d_step { asleep = false; if :: bell == SLEEPING -> bell = QUIET :: else fi };
  goto again
}
