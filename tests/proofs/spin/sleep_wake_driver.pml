/* SPDX-License-Identifier: MIT
   Of the model sleep_wake.pml: the driver. */

inline store_wake_time(value) { atomic { stores ! 0, value; wake = value } }
#ifdef BROKEN_old_batch_counts  /* that batch was taken before the ring, or the raise, that now asks for a drain */
inline owe_drain() { unanswered = true }
#else
inline owe_drain() { atomic { unanswered = true; taken_short = false } }
#endif
inline next_exact(result) {
  d_step { result = FOREVER; i = 0;
           do :: i < ENTRIES -> if :: filed[i] -> result = MINIMUM(result, deadline[i]) :: else fi; i++ :: else -> break od; i = 0 }
}

/* doorbell::answer(), answer_bell() */
inline answer_bell() {
  if
  :: bell == RUNG ->
#ifndef BROKEN_bell_cleared_late
     atomic { empty(stores); bell = QUIET };
#endif
     if :: earliest != FOREVER -> atomic { empty(stores); rung = earliest; earliest = FOREVER } :: earliest == FOREVER fi;
     if
     :: rung == FOREVER
     :: rung != FOREVER ->
#ifdef FAR
        if :: rung > now + 1 -> rung_for = MINIMUM(rung_for, rung - 1) :: rung_for = MINIMUM(rung_for, rung); owe_drain() fi;
#else
        rung_for = MINIMUM(rung_for, rung); owe_drain();
#endif
        rung = FOREVER
     fi
  :: bell != RUNG
  fi
}

/* intake.hpp: take_batch(). Either producer's part is taken at once, one after the other. */
inline take_from(p) {
  d_step { do :: nempty(submitted[p]) && batch_end < BATCH -> submitted[p] ? i; batch[batch_end] = i; batch_end++
              :: empty(submitted[p]) || batch_end == BATCH -> break od; i = 0 }
}
inline drain_slice() {
  if
  :: batch_next == batch_end ->
     atomic { batch_next = 0; batch_end = 0; drained = false };
     if :: take_from(0); take_from(1) :: take_from(1); take_from(0) fi;
     taken_short = batch_end < BATCH
  :: else
  fi;
  atomic {
    if
    :: batch_end == 0 -> drained = true
    :: batch_end != 0 ->
       look_for_earlier = true;
       if :: !ended[batch[batch_next]] -> filed[batch[batch_next]] = true :: else fi;
       batch_next++;
       drained = batch_next == batch_end && taken_short
    fi;
    if :: batch_next == batch_end -> batch_next = 0; batch_end = 0; batch[0] = 0; batch[1] = 0 :: else fi;
    if :: drained -> unanswered = false :: else fi
  }
}

inline fire_pass() {
  d_step {
    i = 0; fired = false;
    do
    :: i < ENTRIES && filed[i] && deadline[i] <= now ->
       filed[i] = false; fired = true; if :: !ended[i] -> ended[i] = true :: else fi; i++
    :: i < ENTRIES && !(filed[i] && deadline[i] <= now) -> i++
    :: else -> break
    od;
    i = 0 };
  if :: fired && bell == RUNG -> answer_bell(); drain_slice() :: else fi
}

/* worker.cpp: announce_until(); drain_debt.hpp: announce(). AT_ONCE: there is something to look at. */
inline announce_until() {
#ifdef SWITCHES
  if
  :: atomic { switches_left == 2 -> stores ! 1, true; switches_left-- }   /* begin_asymmetric() */
  :: atomic { switches_left == 1 -> stores ! 1, false; switches_left-- };  /* begin_symmetric() */
#ifndef BROKEN_symmetric_without_heavy_fence  /* what was pushed under a light fence may come up after the next raise's drain */
     heavy_fence()
#endif
  :: skip
  fi;
#endif
  atomic { low = MINIMUM(wake, rung_for);
#ifndef BROKEN_near_ring_forgotten
           near = rung_for != FOREVER;
#endif
           rung_for = FOREVER };
  if
  :: until > low && low > now -> near = false; until = low; store_wake_time(until)
  :: until > wake ->
     store_wake_time(until);
#ifndef BROKEN_raise_without_fence  /* the drain comes before the raise, and a push between them is compared with the old W */
#if defined(BROKEN_raise_with_light_fence)  /* it orders this thread only; the producers pass none */
     full_fence(stores);
#elif defined(ASYMMETRIC)
     heavy_fence();
#elif defined(SWITCHES)
     if :: switches_left == 1 -> heavy_fence() :: else -> full_fence(stores) fi;
#else
     full_fence(stores);
#endif
#endif
#ifndef BROKEN_raise_without_drain  /* who pushed between the last drain and the raise was compared with the old W */
     owe_drain()
#endif
  :: until <= wake -> store_wake_time(until)
  fi;
  if :: near -> owe_drain() :: else fi;  /* rung for, left alone, and nearly there */
  atomic { near = false; low = 0 };
  answer_bell();
  look_for_earlier = false;
  do
  :: !unanswered -> break
  :: unanswered ->
     drain_slice();
#ifdef BROKEN_bounded_drain_before_sleep  /* what is earlier may be behind the batch */
     unanswered = false;
#endif
     if
     :: unanswered -> next_exact(low); if :: now >= until || now >= low -> until = AT_ONCE; break :: else fi
     :: else
     fi
  od;
  low = 0;
#if defined(STOPS) && !defined(BROKEN_stop_not_read_after_clearing)  /* the bell that was cleared may have been the stopper's, who saw it rung already */
  if :: stopping -> until = AT_ONCE :: !stopping fi;
#endif
  if
  :: until != AT_ONCE && look_for_earlier ->
     next_exact(low);
     if :: low < until -> store_wake_time(low); until = low :: else fi;
     low = 0
  :: else
  fi;
#ifndef BROKEN_far_ring_not_looked_at  /* answered just now, left alone, and nobody looks at that time */
  if :: until != AT_ONCE && rung_for < until -> store_wake_time(rung_for); until = rung_for :: else fi;
#endif
#ifdef BROKEN_bell_cleared_late  /* a ring since the drain is lost */
  atomic { empty(stores); bell = QUIET };
#endif
}

active proctype driver() {
  bool filed[ENTRIES];
  byte batch[BATCH];
  byte batch_next = 0; byte batch_end = 0;
  byte wake = WAKE;  /* W as it knows it */
  bool unanswered = false;
  bool taken_short = false;
  bool look_for_earlier = false;
  byte rung_for = FOREVER;
  byte cancels_left = CANCELS;
  byte until = FOREVER;
  byte i = 0; byte low = 0; byte rung = FOREVER;
  bool drained = false; bool fired = false; bool near = false;
#ifdef SWITCHES
  byte switches_left = 2;
#endif
#ifdef ASYMMETRIC
  asymmetric = true;
#endif
  atomic { run producer(0, 0, FIRST); run producer(1, FIRST, SECOND) };
again:
#ifdef STOPS
  if :: stopping -> driver_left = true; goto out :: !stopping fi;
#endif
  answer_bell();
  if :: unanswered || now >= wake -> drain_slice() :: else fi;  /* bounded: what is left stays owed */
  fire_pass();
  next_exact(until);
#if CANCELS > 0
  if
  :: cancels_left > 0 && until != FOREVER ->
     d_step { cancels_left--; i = 0;
              do :: i < ENTRIES && !(filed[i] && deadline[i] == until) -> i++ :: else -> break od;
              filed[i] = false; ended[i] = true; i = 0 };
     next_exact(until)
  :: skip
  fi;
#endif
  if :: until <= now -> goto again :: else fi;
  announce_until();
  if :: until == AT_ONCE -> goto again :: else fi;

  /* doorbell::sleep() */
  if
#ifdef BROKEN_sleeps_without_looking  /* a ring between the drain and the sleep is overwritten */
  :: atomic { empty(stores); bell = SLEEPING }
#else
  :: atomic { empty(stores) && bell == QUIET -> bell = SLEEPING }
  :: atomic { empty(stores) && bell == RUNG -> goto again }
#endif
  fi;
  d_step { if :: bell == SLEEPING -> asleep = true :: else fi };  /* the kernel compares */
end_asleep:
  if
  :: !asleep
  :: asleep && until != FOREVER && now >= until -> asleep = false
  fi;
  /* Nobody's timer is slept through: who has it already in hand has rung, unless it is not before `until`. */
  d_step {
    if
    :: bell == RUNG
    :: else ->
       i = 0;
       do :: i < ENTRIES -> assert(!handed_out[i] || ended[i] || deadline[i] >= until); i++ :: else -> break od;
       i = 0; bell = QUIET
    fi };
  until = FOREVER;
  goto again;
out: skip
}
