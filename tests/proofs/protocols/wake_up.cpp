// SPDX-License-Identifier: MIT
// The doorbell: nobody's timer is slept through.
#include "wake_up.hpp"
#include "scenario.hpp"

namespace model {
namespace {

template <std::uint32_t Producers>
void drive(front<Producers>& shared, nanoseconds_t now = soon) {
  deadlines wheel;
  driver(shared, wheel, now).drive_until(earliest);
}

// The driver raises its wake time while others push what is earlier than the new one, and later than the old.
template <std::uint32_t Producers, bool Asymmetric>
void raise_against_push(execution& run) {
  auto& shared = make_front<Producers, Asymmetric>(run);
  run.thread("driver", [&] { drive(shared); });
  for (std::uint32_t i = 0; i != Producers; ++i) {
    run.thread("producer", [&shared, i] { submit(shared, i, i == 0 ? earliest : early); });
  }
  run.join();
}

// One producer, two entries, the second under a bell that may have been rung for the first.
template <bool Asymmetric>
void two_pushes(execution& run) {
  auto& shared = make_front<1, Asymmetric>(run);
  run.thread("driver", [&] { drive(shared); });
  run.thread("producer", [&] {
    submit(shared, 0, early);
    submit(shared, 0, earliest);
  });
  run.join();
}

// The wake time was announced long ago and stays: only rings say that there is something to accept. One of two rings
// asks for nothing: it is for the backlog.
template <bool Asymmetric, bool Backlog>
void rings_alone(execution& run) {
  auto& shared = make_front<2, Asymmetric>(run);
  shared.bell.raise(late);
  run.thread("driver", [&] { drive(shared); });
  run.thread("producer", [&] { submit(shared, 0, earliest); });
  run.thread("other", [&] { Backlog ? shared.ring() : submit(shared, 1, early); });
  run.join();
}

// Two rings, and the mark of the earlier deadline stands for both: neither entry is left behind.
template <bool Asymmetric>
void one_mark_for_two(execution& run) {
  auto& shared = make_front<2, Asymmetric>(run);
  shared.bell.raise(late);
  run.thread("driver", [&] {
    all_entries wheel{2};
    driver self(shared, wheel, soon);
    self.drive_until(earliest);
    require(self.now() <= early, "looked at when its time had passed");
  });
  run.thread("producer", [&] { submit(shared, 0, earliest); });
  run.thread("other", [&] { submit(shared, 1, early); });
  run.join();
}

// Or the kernel has come to refuse the fence that the raise relies on.
void refused_raise(execution& run) {
  auto& shared = make_front<1, true>(run);
  refuse_heavy_fences();
  run.thread("driver", [&] {
    drive(shared);
    if (shared.bell.wake_time() == soon) return;  // it came before the raise
    require(!shared.bell.asymmetric(), "the producers still rely on a fence that is refused");
    reach("refused");
  });
  run.thread("producer", [&] {
    submit(shared, 0, early);
    submit(shared, 0, earliest);
  });
  run.join();
}

// The driver gives up paying for the producers' fences between two raises.
template <bool Refused>
void back_to_symmetric(execution& run) {
  auto& shared = make_front<1, true>(run);
  if (Refused) refuse_heavy_fences();
  run.thread("driver", [&] {
    shared.bell.begin_symmetric();
    drive(shared);
  });
  run.thread("producer", [&] { submit(shared, 0, earliest); });
  run.join();
}

// The other way round: producers may not know yet that they need no fence.
void on_to_asymmetric(execution& run) {
  auto& shared = make_front<1, false>(run);
  shared.bell.allow_asymmetric(true);
  run.thread("driver", [&] {
    shared.bell.begin_asymmetric();
    drive(shared);
  });
  run.thread("producer", [&] { submit(shared, 0, earliest); });
  run.join();
}

// The driver waits on its wake_fd, which a producer signals.
void outside(execution& run) {
  auto& shared = make_front<1, false>(run);
  run.thread("driver", [&] {
    deadlines wheel;
    driver self(shared, wheel, soon);
    self.announce_until(late);
    if (wheel.known == earliest) return;
    if (shared.bell.go_outside()) {
      while (shared.signalled.load(detent::base::acquire) == 0)
        detent::base::futex_wait(shared.signalled, 0, INT64_MAX);
    }
    require(shared.bell.has_rung(), "woken outside, but the bell does not tell");
    self.answer();
    self.drain(late);
    require(wheel.known == earliest, "rang before its push can be seen");
  });
  run.thread("producer", [&] { submit(shared, 0, earliest); });
  run.join();
}

// The stopping thread sets its mark and rings; the driver reads the mark after it has cleared the bell.
void stop(execution& run) {
  auto& shared = make_front<1, false>(run);
  auto& life = run.make<lifecycle>("life");
  run.thread("driver", [&] {
    deadlines wheel;
    driver self(shared, wheel, soon, {.life = &life});
    while (life.is_open()) {
      self.answer();
      const nanoseconds_t until = self.announce_until(late);
      if (until != INT64_MIN) self.wait(until);
    }
  });
  run.thread("producer", [&] { submit(shared, 0, early); });
  run.thread("stopper", [&] {
    require(life.begin_stop(), "stopped by nobody");
    shared.bell.fence_stop();
    shared.bell.ring();
  });
  run.join();
}

const suite wake_up(
    "WakeUp",
    {
        {"ARaiseAgainstAPush", raise_against_push<1, false>, {.preemptions = 4, .surprises = 1}},
        {"ARaiseAgainstTwoPushers", raise_against_push<2, false>, {.preemptions = 2}},
        {"ARaiseAgainstTwoPushes", two_pushes<false>, {.surprises = 1}},
        {"AHeavyRaiseAgainstAPush", raise_against_push<1, true>, {.preemptions = 4}},
        {"AHeavyRaiseAgainstTwoPushes", two_pushes<true>},
        {"TwoRings", rings_alone<false, false>, {.preemptions = 2, .weak = {.stale = 3}}},
        {"TwoRingsWithLightFences", rings_alone<true, false>, {.preemptions = 2, .weak = {.stale = 3}}},
        {"OneMarkForTwo", one_mark_for_two<false>, {.preemptions = 2, .weak = {.stale = 2}, .time_passes = true}},
        {"OneMarkForTwoWithLightFences",
         one_mark_for_two<true>,
         {.preemptions = 2, .weak = {.stale = 2}, .time_passes = true}},
        {"ARingForTheBacklog", rings_alone<false, true>, {.preemptions = 2}},
        {"ARingForTheBacklogWithLightFences", rings_alone<true, true>, {.preemptions = 2}},
        {"AHeavyRaiseThatIsRefused", refused_raise, {}, {"refused"}},
        {"BackToTwoFullFences", back_to_symmetric<false>, {.preemptions = 4}},
        {"BackToTwoFullFencesWithoutAHeavyOne", back_to_symmetric<true>, {.preemptions = 4}},
        {"OnToOneHeavyFence", on_to_asymmetric, {.preemptions = 4}},
        {"OnTheWakeFd", outside, {.preemptions = 4}},
        {"AStopIsHeard", stop, {.preemptions = 2}},
    });

}  // namespace
}  // namespace model
