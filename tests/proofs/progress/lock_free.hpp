// SPDX-License-Identifier: MIT
// The usual trials of a call: whichever thread is suspended in it, all others go on, and so does the driver; or they
// wait.
#pragma once

#include <gtest/gtest.h>
#include <proofs/progress/world.hpp>

#include <functional>

namespace progress {

// A victim that has called the engine before stops in `call`, at each operation that counts in turn; meanwhile the
// others restart the timer that they quarrel over, or cancel it, as `what` says.
inline void expect_lock_free_beside(const char* scenario, const world::kind& what,
                                    const std::function<void(world&)>& call, std::uint64_t least_operations = 1,
                                    hooks::among counted = {}) {
  const std::uint64_t operations = for_each_operation(scenario, [&](std::uint64_t n) {
    world& around = make_world(what);
    victim([&] {
      around.get_acquainted();
      hooks::park_at(n, counted);
      call(around);
      hooks::park_never();
    });
    around.probe_calls();
    around.probe_firing();
  });
  EXPECT_GE(operations, least_operations);
}

// Beside either.
inline void expect_lock_free(const char* scenario, world::kind what, const std::function<void(world&)>& call,
                             std::uint64_t least_operations = 1, hooks::among counted = {}) {
  for (bool cancelled : {false, true}) {
    what.cancelled = cancelled;
    expect_lock_free_beside(scenario, what, call, least_operations, counted);
  }
}

// `trial` goes on to its end, and comes to it with somebody suspended.
inline void expect_suspended(const std::function<void()>& trial) {
  outcome result = run_child(trial);
  EXPECT_EQ(result.what, outcome::suspended) << result.says;
}

// `trial` comes to no end while somebody is suspended for ever. That is what has not ended after a second in which
// nothing else happened: a slow machine cannot make it fail.
inline void expect_blocks(const std::function<void()>& trial) {
  outcome result = run_child(trial, 1);
  EXPECT_EQ(result.what, outcome::hangs) << result.says;
}

}  // namespace progress
