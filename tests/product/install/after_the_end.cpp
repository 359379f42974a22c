// SPDX-License-Identifier: MIT
// The mistakes with lifetimes that the release library survives, or names: a scoped_timer that outlives its engine, and
// an engine that has been moved from.
#include <detent/detent.hpp>

#include <utility>

#include "aborted.hpp"
#include "expect.hpp"

using namespace std::chrono_literals;

namespace {

struct wrong_order {
  detent::scoped_timer timer;
  detent::engine engine;  // destroyed first
};

void a_scoped_timer_may_outlive_its_engine() {
  wrong_order members;
  members.timer = detent::scoped_timer(members.engine.schedule_after(1h, [] {}));
}

void an_engine_that_was_moved_from_says_so() {
  detent::engine first;
  detent::engine second(std::move(first));
  const std::string said = said_and_aborted([&] { first.schedule_after(1s, [] {}); });
  EXPECT(said == "detent: schedule_after() was called on a detent::engine that has been moved from\n");
  first = std::move(second);
  EXPECT(!first.stopped());
}

}  // namespace

int main() {
  a_scoped_timer_may_outlive_its_engine();
  an_engine_that_was_moved_from_says_so();
}
