// SPDX-License-Identifier: MIT
// The interface that a timer system must offer to the works. Each has an adapter in systems/.
#pragma once

#include <concepts>
#include <cstddef>
#include <vector>

#include "../common/tally.hpp"

namespace peers {

// Fires on a thread of its own, from construction to stop().
template <class T>
concept backend = requires(T& system, typename T::producer& producer, typename T::slot& slot, const argument& work) {
  // Whether a slot is the timer itself, or only a handle to one that the system keeps.
  { T::slot_holds_timer } -> std::convertible_to<bool>;
  // Room for timers, used by one producer.
  { system.slots(std::size_t{}) } -> std::same_as<std::vector<typename T::slot>>;
  // Returns when the system has drained everything that its producers have handed over.
  system.settle();
  // Nothing fires afterwards, and the slots may be destroyed. Before it, a slot that was scheduled must stay.
  system.stop();
  // One thread's access to the system, made on that thread.
  requires std::constructible_from<typename T::producer, T&>;
  producer.schedule_after(slot, nanoseconds{}, work);
  // For a slot that this producer has scheduled, even if it has fired in the meantime.
  producer.cancel(slot);
  // Hands over the commands that the producer holds back to save wake-ups.
  producer.flush();
};

// A system that takes absolute deadlines on the steady clock.
template <class T>
concept takes_deadlines = requires(typename T::producer& producer, typename T::slot& slot, const argument& work) {
  producer.schedule_at(slot, std::int64_t{}, work);
};

// A system that gives a live timer another deadline in one call, which returns false if it has fired.
template <class T>
concept restarts_timers = requires(typename T::producer& producer, typename T::slot& slot) {
  { producer.restart_at(slot, std::int64_t{}) } -> std::same_as<bool>;
};

}  // namespace peers
