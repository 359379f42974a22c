// SPDX-License-Identifier: MIT
// manual_clock::run_until() and run_for(): several engines of one clock, driven together.
#pragma once

#include "spec/engine.hpp"

#include <vector>

namespace detent::spec {

// "Moves time to `end`, and polls each engine at each of its deadlines on the way." "Deadlines fire in order over all
// engines, equal ones in the order in which the engines are given." (manual_clock::run_until) So there are rounds, at
// one time each, in which the engines are polled in turn, and after each round time goes to the earliest deadline.
//
// The polls themselves are not reported. A poll in which nothing happened is inferred from the next event.
class run {
 public:
  // From outside callbacks. `by` is the thread that calls.
  run(std::vector<engine*> given, nanoseconds_t end, thread_id by);

  bool drives(const engine& of) const;
  // Whether that engine's poll is under way. Callbacks that it runs are inside that poll.
  bool polls(const engine& of) const { return at_ < given_.size() && given_[at_] == &of; }
  // To be called for each event, which happens at `now`, before it is reported to its engine.
  void reach(nanoseconds_t now);
  // A callback has moved the clock.
  void moved_to(nanoseconds_t now) { now_ = now; }
  // A timer of that engine is about to have its turn, in a poll of the run.
  void turn(engine& of, timer_id id);
  void returned(std::size_t ran, nanoseconds_t now);

  rules broke;

 private:
  void begin_poll();
  void begin_round();
  void end_poll();
  void end_round();

  const std::vector<engine*> given_;
  const nanoseconds_t end_;
  const thread_id by_;
  nanoseconds_t now_;
  std::size_t at_ = 0;  // whose poll is under way; past the last one after a round
  std::size_t ran_ = 0;
};

}  // namespace detent::spec
