// SPDX-License-Identifier: MIT
#pragma once

#include "common.hpp"

#include <detent/durable_options.hpp>
#include <detent/durable_store.hpp>

namespace detent::durable::detail {

// Finds out why stored timers wait for this node, reports the reason at once and then each minute, and shows it. Used
// by the thread that talks to the store.
class stall_watch {
 public:
  explicit stall_watch(const common& of) : with_(of) {}
  stall_watch(const stall_watch&) = delete;
  stall_watch& operator=(const stall_watch&) = delete;
  ~stall_watch() { show({}); }

  struct state {
    errc problem{};           // the last tick failed with this
    bool clock_off = false;   // the clock is off, so nothing is taken
    const roll& with;         // as of the last roll call
    std::size_t unarmed = 0;  // timers in hand that have no handler here
  };
  // To be called after each tick.
  void look(const state& now);

 private:
  struct finding {
    stall reason = stall::none;
    std::uint64_t waiting = 0;
    std::string line;
    bool is_trouble = true;  // to be reported each minute
  };
  finding find(const state& now);
  finding of_clock();
  finding of_unknown_handlers(const state& now) const;
  std::uint64_t count_unowned();
  void show(const finding& found) noexcept;
  void say_lease();

  const common& with_;
  stall last_ = stall::none;
  std::string shown_;  // the text in the engine's counters file
  std::uint64_t shown_waiting_ = 0;
  // Times by elapsed():
  std::chrono::nanoseconds since_{};     // when that reason was first found
  std::chrono::nanoseconds say_at_{};    // not to be reported again before
  std::chrono::nanoseconds count_at_{};  // not to be counted again before
  std::uint64_t unowned_ = 0;            // as of the last count
  bool said_lease_ = false;
};

}  // namespace detent::durable::detail
