// SPDX-License-Identifier: MIT
// Walks an operation's allocations: each fails in turn, once alone and once with all that follow it.
#pragma once

#include <detent/detent.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <exception>
#include <functional>
#include <new>
#include <optional>
#include <string>
#include <thread>
#include <utility>

#include "hostile/allocation_faults.hpp"
#include "hostile/in_child.hpp"
#include "support/drive_eventually.hpp"

namespace detent::hostile {

using namespace std::chrono_literals;

// The result of an operation while allocations failed.
enum class outcome : std::uint8_t { done, refused };

// Done, or refused for want of memory; a thread that cannot be started is a limit, and what is denied anyway is not
// permitted.
template <class Operation>
outcome attempt(Operation&& operation) {
  try {
    operation();
    return outcome::done;
  } catch (const error& refused) {
    const auto codes = {errc::out_of_memory, errc::limit_reached, errc::not_permitted};
    EXPECT_TRUE(std::find(codes.begin(), codes.end(), refused.code()) != codes.end()) << refused.what();
  } catch (const std::bad_alloc&) {  // not even memory to say more
  }
  return outcome::refused;
}

// The faults of one step; they end when it says so or goes.
class fault_scope {
 public:
  fault_scope(faults kind, std::uint64_t nth) : kind_(kind), nth_(nth) {}
  template <class Operation>
  outcome during(Operation&& operation) {
    arm_faults(kind_, nth_);
    struct disarmer {
      std::uint64_t& refused;
      ~disarmer() { refused = disarm_faults(); }
    } at_end{refused_};
    return attempt(operation);
  }
  std::uint64_t refused() const { return refused_; }

 private:
  faults kind_;
  std::uint64_t nth_;
  std::uint64_t refused_ = 0;
};

// `step` runs an operation under its scope's faults and checks what is left; in a thread of its own, as what a thread
// keeps ends with it. The walk ends with the first step in which nothing was refused. Nothing may be held afterwards
// that was not held before.
inline void walk_kind(faults kind, const std::function<void(fault_scope&)>& step) {
  auto run = [&](std::uint64_t nth) {
    fault_scope scope(kind, nth);
    std::thread([&] {
      SCOPED_TRACE(testing::Message() << "allocation " << nth << (kind == faults::one ? "" : " and all that follow"));
      step(scope);
    }).join();
    return scope.refused();
  };
  run(UINT64_MAX);  // what is made once for all time is made here
  const holdings before = held_now();
  for (std::uint64_t nth = 1; nth < 5'000; ++nth) {
    const std::uint64_t refused = run(nth);
    // A worker that has just been detached may be giving its memory back.
    EXPECT_TRUE(drive::eventually([&] { return held_now() == before; }))
        << "allocation " << nth << ": " << held_now() << " instead of " << before;
    if (testing::Test::HasFailure()) return;
    if (refused == 0) {
      EXPECT_GT(nth, 1u) << "nothing was allocated: there was nothing to walk";
      return;
    }
  }
  ADD_FAILURE() << "the walk has no end";
}

// Both walks, each in a process of its own, which a fault may end.
inline void walk(const std::function<void(fault_scope&)>& step) {
  expect_in_child([&] { walk_kind(faults::one, step); });
  expect_in_child([&] { walk_kind(faults::from_then, step); });
}

// The engine does all that engines do, and its counts add up. `drive` turns one that its caller drives.
template <class Drive>
void expect_works(engine& e, Drive&& drive) {
  std::atomic<int> fired{0};
  EXPECT_TRUE(e.schedule_after(1h, [] {}).cancel() == cancel_result::cancelled);
  e.schedule_after(0ns, [&] { ++fired; });
  e.schedule_after(1us, [&, text = std::string(100, 'x')] { fired += text.size() == 100 ? 1 : 0; });
  e.schedule_at_fixed_rate(0ns, 1us, [&] { ++fired; }, {.runs = 1});
  EXPECT_TRUE(drive::eventually([&] {
    drive();
    return fired == 3;
  }));
  EXPECT_TRUE(drive::eventually([&] {
    const engine_metrics now = e.metrics();
    return now.scheduled == now.expired + now.cancelled + now.returned + now.dropped + now.pending;
  }));
}
inline void expect_works(engine& e) {
  expect_works(e, [] {});
}

// An engine of these options is made whole or not at all, and the next one works.
inline void walk_creation(const std::function<engine_options()>& options) {
  walk([&](fault_scope& scope) {
    engine_options wanted = options();
    auto works = [by_caller = wanted.drive == drive_kind::caller](engine& e) {
      expect_works(e, [&] { by_caller ? static_cast<void>(e.poll()) : std::this_thread::yield(); });
    };
    std::optional<engine> made;
    const outcome came = scope.during([&] { made.emplace(std::move(wanted)); });
    EXPECT_EQ(made.has_value(), came == outcome::done);
    if (made) works(*made);
    made.reset();
    engine next(options());
    works(next);
  });
}

// An engine without a reserve on virtual time: what is asked for is allocated then and there.
struct bare_engine {
  explicit bare_engine(engine_options options = {}) : engine(settled(std::move(options), clock)) {}
  static engine_options settled(engine_options options, manual_clock& clock) {
    options.manual = &clock;
    options.reserve = 0;
    return options;
  }
  void expect_works() {
    hostile::expect_works(engine, [this] {
      clock.advance(1us);
      engine.poll();
    });
  }
  manual_clock clock;
  detent::engine engine;
};

}  // namespace detent::hostile
