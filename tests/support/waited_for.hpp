// SPDX-License-Identifier: MIT
// A callback that runs until the test's thread waits for it.
#pragma once

#include <detent/detent.hpp>

#include <gtest/gtest.h>

#include <atomic>

#include "support/engine_captures.hpp"
#include "support/engine_eventually.hpp"
#include "support/platform/asleep.hpp"

namespace detent::testing {

struct waited_for {
  // Returns when it has begun. The caller's next call is the one that waits.
  timer start(engine& on) {
    timer started = on.schedule_after(duration(0), [this, here = captures.join()] {
      inside = true;
      EXPECT_TRUE(waits.sleeps());
      ended = true;
    });
    EXPECT_TRUE(eventually([this] { return inside.load(); }));
    waits.lies_down();
    return started;
  }

  census captures;
  std::atomic<bool> inside{false};
  drive::sleeper waits;
  bool ended = false;  // plain: what the run did is visible after the wait for it
};

}  // namespace detent::testing
