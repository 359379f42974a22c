// SPDX-License-Identifier: MIT
// One doorbell over two queues, of the bulk and of the higher lanes: no timer of either is slept through.
#include "scenario.hpp"
#include "wake_up.hpp"

namespace model {
namespace {

template <bool Asymmetric, bool Interrupts = false>
void drive(front<2>& shared) {
  deadlines wheel;
  driver(shared, wheel, soon, {.interrupts = Interrupts}).drive_until(earliest);
}

void submit_critical(front<2>& shared, std::uint32_t producer, nanoseconds_t deadline) {
  shared.submit_critical(producer, static_cast<std::uint64_t>(deadline), deadline);
}

// The driver raises its wake time while a thread arms a critical timer that is earlier than the new one.
template <bool Asymmetric>
void raise_against_critical(execution& run) {
  auto& shared = make_front<2, Asymmetric>(run);
  run.thread("driver", [&] { drive<Asymmetric>(shared); });
  run.thread("producer", [&] { submit_critical(shared, 0, earliest); });
  run.join();
}

// Another thread arms one of the bulk at the same time, which the driver may find first, or not at all.
template <bool Asymmetric, bool Interrupts>
void raise_against_both(execution& run) {
  auto& shared = make_front<2, Asymmetric>(run);
  run.thread("driver", [&] { drive<Asymmetric, Interrupts>(shared); });
  run.thread("critical", [&] { submit_critical(shared, 0, earliest); });
  run.thread("bulk", [&] { submit(shared, 1, early); });
  run.join();
}

// One thread, first the bulk: the ring for that may be answered before the critical one is there.
template <bool Asymmetric>
void one_after_the_other(execution& run) {
  auto& shared = make_front<2, Asymmetric>(run);
  run.thread("driver", [&] { drive<Asymmetric>(shared); });
  run.thread("producer", [&] {
    submit(shared, 0, early);
    submit_critical(shared, 0, earliest);
  });
  run.join();
}

// The wake time stays, and only the ring says that there is something, in the queue that is drained last.
void ring_for_critical(execution& run) {
  auto& shared = make_front<2, false>(run);
  shared.bell.raise(late);
  run.thread("driver", [&] { drive<false>(shared); });
  run.thread("producer", [&] { submit_critical(shared, 0, earliest); });
  run.thread("other", [&] { shared.ring(); });
  run.join();
}

const suite two_queues("TwoQueues",
                       {
                           {"ARaiseAgainstACriticalPush", raise_against_critical<false>, {.preemptions = 4}},
                           {"AHeavyRaiseAgainstACriticalPush", raise_against_critical<true>, {.preemptions = 4}},
                           {"ARaiseAgainstBoth", raise_against_both<false, false>, {.preemptions = 2}},
                           {"ARaiseAgainstBothWithInterludes", raise_against_both<false, true>, {.preemptions = 2}},
                           {"AHeavyRaiseAgainstBoth", raise_against_both<true, false>, {.preemptions = 2}},
                           {"ACriticalPushAfterAnother", one_after_the_other<false>, {.preemptions = 3}},
                           {"ACriticalPushAfterAnotherWithLightFences", one_after_the_other<true>, {.preemptions = 3}},
                           {"ARingForACriticalOne", ring_for_critical, {.preemptions = 2}},
                       });

}  // namespace
}  // namespace model
