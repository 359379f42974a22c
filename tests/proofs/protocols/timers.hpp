// SPDX-License-Identifier: MIT
// A timer as the scenarios have it: the real pair of word and deadline, and a callable that is plain memory, so that
// an access without right or order is found.
#pragma once

#include "timer/state_word.hpp"

#include <proofs/explorer/explore.hpp>

#include <cstdint>

namespace model {

using detent::detail::state_word;
using detent::detail::timer_pair;
using detent::detail::timer_state;
namespace states = detent::detail;

struct timer {
  timer_pair pair;
  int callable = 0;  // 0: none

  // free -> queued or armed, by its owner. `flags` besides `owning`, which is set: cancellers have something to
  // destroy.
  void publish(std::uint32_t order, timer_state state, std::int64_t deadline, std::uint64_t flags = 0) {
    require(callable == 0, "a node is used whose callable is still there");
    callable = 1;
    std::uint32_t generation = state_word::generation(pair.low.load(detent::base::relaxed));
    states::publish_as(pair, state_word::make(generation, order, state, flags | state_word::owning), deadline);
  }
  // By whom the table in state_word.hpp names.
  void run() {
    require(callable == 1, "a callable runs that is not there");
    callable = 2;
    callable = 1;
  }
  void destroy_callable() {
    require(callable == 1, "a callable is destroyed that is not there");
    callable = 0;
  }

  // For the end of a scenario, when nobody else is left.
  std::uint64_t word() const { return pair.low.load(detent::base::relaxed); }
  timer_state state() const { return state_word::state(word()); }
  std::int64_t deadline() const { return states::deadline_of(pair); }
};

// Returns whether the driver starts a timer that came due at `now`. `word` is its word at that time.
inline bool start_if_due(timer& due, std::int64_t now, std::uint64_t& word, std::int64_t& deadline) {
  word = states::observe(due.pair);
  while (state_word::state(word) == timer_state::armed) {
    deadline = states::deadline_of(due.pair);
    if (deadline > now) return false;
    if (states::start_armed(due.pair, word, deadline) == states::transition::done) return true;
  }
  return false;
}

// The end of a run, and of the timer: destroys the callable. `word` as it was when the run started; true if somebody
// asked for a wake.
inline bool end_firing(timer& running, std::uint64_t word) {
  running.destroy_callable();
  word = states::observe(running.pair);
  while (states::end_firing(running.pair, word) == states::transition::lost) {
  }
  return (word & state_word::waiter) != 0;
}

}  // namespace model
