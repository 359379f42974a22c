// SPDX-License-Identifier: MIT
// A forked child may have engines of its own. Not for sanitized builds: a thread sanitizer forbids threads in
// such a child.
#include <detent/detent.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <memory>

#include "hostile/in_child.hpp"

namespace detent {
namespace {

using namespace std::chrono_literals;
using drive::eventually;
using hostile::expect_in_child;

TEST(ForkOwnEngine, ChildMayHaveAnEngineOfItsOwn) {
  engine parents;
  expect_in_child([&] {
    engine own({.executor = std::make_shared<thread_pool>()});
    std::atomic<int> fired{0};
    own.schedule_after(1us, [&] { ++fired; });
    own.schedule_at_fixed_rate(0ns, 1us, [&] { ++fired; }, {.runs = 2});
    EXPECT_TRUE(eventually([&] { return fired == 3; }));
    EXPECT_FALSE(parents.try_schedule_after(0ns, [] {}));
    expect_in_child([&] { EXPECT_FALSE(own.try_schedule_after(0ns, [] {})); });
    EXPECT_TRUE(own.stop().empty());
  });
}

}  // namespace
}  // namespace detent
