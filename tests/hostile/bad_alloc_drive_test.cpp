// SPDX-License-Identifier: MIT
// Memory runs out around the driver: for what it collects beside what is left over, for the word of what was cancelled,
// and for a thread that is refused as others are.
#include <detent/detail/timer_access.hpp>
#include <detent/detent.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <memory>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "hostile/fault_walk.hpp"
#include "threads/thread_registry.hpp"

namespace detent {
namespace {

using namespace std::chrono_literals;
using hostile::bare_engine;
using hostile::expect_in_child;
using hostile::fault_scope;
using hostile::walk;

TEST(BadAllocDrive, ABoundedPollLosesNothingBesideWhatTheLastOneLeft) {
  walk([](fault_scope& scope) {
    bare_engine bare;
    int fired = 0;
    auto schedule = [&] {
      for (int i = 0; i < 1'000; ++i) bare.engine.schedule_after(duration(i % 700), [&] { ++fired; });
      bare.clock.advance(1us);
    };
    schedule();
    EXPECT_EQ(bare.engine.poll(1), 1u);
    schedule();
    scope.during([&] { bare.engine.poll(1); });
    while (bare.engine.poll() != 0) {
    }
    EXPECT_EQ(fired, 2'000);
    bare.expect_works();
  });
}

// Fills the calling thread's blocks of the queue, and asks for more: it pushes an entry with each restart.
void use_up_blocks(timer& armed, time_point below) {
  for (duration sooner = 1ns; sooner < 10us; sooner += 1ns) armed.restart_at(below - sooner);
}

// The calling thread has a place in the queue, but no block of its own; nor has a poll() anything else to accept.
TEST(BadAllocDrive, APollScansForWhatAnEmptyQueueHadNoMemoryFor) {
  expect_in_child([] {
    bare_engine bare;
    EXPECT_EQ(bare.engine.poll(), 0u);
    timer armed;
    std::thread([&] { armed = bare.engine.schedule_after(1h, [] {}); }).join();
    EXPECT_EQ(bare.engine.poll(), 0u);
    hostile::arm_faults(hostile::faults::from_then, 1);
    EXPECT_TRUE(armed.restart_at(time_point(1us)));
    EXPECT_GT(hostile::disarm_faults(), 0u) << "there was memory for the entry";
    bare.clock.advance(1us);
    EXPECT_EQ(bare.engine.poll(), 1u);
    bare.expect_works();
  });
}

// Cancelled while the driver takes them out of the wheel: only an entry in the queue would have it free them,
// and there is no memory for one.
class cancelled_as_they_come_due {
 public:
  explicit cancelled_as_they_come_due(bare_engine& of) : of_(of) {
    armed_ = of.engine.schedule_after(1h, [] {});
    for (timer& each : timers_) each = of.engine.schedule_after(1us, callback(*this));
    of.engine.poll();
    of.clock.advance(1us);
  }
  // Each is cancelled in the middle of the one before, and the driver comes by in the middle of the last: once for the
  // time that has come, and once to scan every node.
  void cancel_all() {
    cancels_ = true;
    cancel_next();
    cancels_ = false;
  }
  static std::uint32_t most_of(const std::vector<timer>& timers) {
    std::uint32_t most = 0;
    for (const timer& each : timers) most = std::max(most, detail::timer_access::index(each));
    return most;
  }
  const std::vector<timer>& timers() const { return timers_; }
  // Returns whether a timer that was scheduled in the middle got a node that belongs to none of them.
  bool gave_another() const { return gave_another_; }

 private:
  struct callback {
    cancelled_as_they_come_due* all;
    std::unique_ptr<int> owned;  // so that it is moved out of its node
    explicit callback(cancelled_as_they_come_due& of) : all(&of) {}
    callback(callback&& other) noexcept : all(other.all), owned(std::move(other.owned)) { all->cancel_next(); }
    void operator()() const { ADD_FAILURE() << "it was cancelled"; }
  };
  void cancel_next() {
    if (!cancels_) return;
    if (next_ != timers_.size()) {
      EXPECT_EQ(timers_[next_++].cancel(), cancel_result::cancelled);
      return;
    }
    cancels_ = false;
    EXPECT_EQ(of_.engine.poll(), 0u);
    hostile::arm_faults(hostile::faults::from_then, 1);
    use_up_blocks(armed_, time_point(1h));
    EXPECT_EQ(of_.engine.poll(), 0u);
    look_for_free_ones();
    use_up_blocks(armed_, time_point(1h) - 10us);
  }
  // Says nothing yet: there is no memory for a message.
  void look_for_free_ones() {
    timer other = of_.engine.try_schedule_after(2h, [] {});
    gave_another_ = other.cancel() == cancel_result::cancelled &&
                    std::none_of(timers_.begin(), timers_.end(), [&](const timer& each) {
                      return detail::timer_access::index(each) == detail::timer_access::index(other);
                    });
  }

  bare_engine& of_;
  timer armed_;
  std::vector<timer> timers_ = std::vector<timer>(500);
  std::size_t next_ = 0;
  bool cancels_ = false, gave_another_ = false;
};

TEST(BadAllocDrive, WhatIsCancelledAsItComesDueGivesItsNodeBack) {
  bare_engine bare;
  cancelled_as_they_come_due all(bare);
  all.cancel_all();
  EXPECT_GT(hostile::disarm_faults(), all.timers().size()) << "there was memory for entries";
  EXPECT_TRUE(all.gave_another()) << "a node was freed while its canceller was still emptying it";
  bare.engine.poll();
  std::vector<timer> again(all.timers().size());
  for (timer& each : again) each = bare.engine.schedule_after(1h, [] {});
  EXPECT_LE(all.most_of(again), all.most_of(all.timers()) + 1) << "new nodes, although so many were free";
  bare.expect_works();
}

// Without memory for a record of their own threads use one that stands in; a thread that is refused lets go of it.
TEST(BadAllocDrive, AThreadThatIsRefusedKeepsNobodyElseWaiting) {
  expect_in_child([] {
    bare_engine bare;
    std::atomic<int> turn{0};
    auto schedules_in_turn = [&](int mine) {
      while (turn != mine) std::this_thread::yield();
      EXPECT_FALSE(bare.engine.try_schedule_after(1h, [] {}));
      ++turn;
      while (turn != 3) std::this_thread::yield();  // holds what it has
    };
    std::thread first(schedules_in_turn, 1), second(schedules_in_turn, 2);
    hostile::arm_faults(hostile::faults::from_then, 1);
    turn = 1;
    first.join();
    second.join();
    hostile::disarm_faults();
    bare.expect_works();
  });
}

// An engine in the place of the one that has gone would take the record for its own.
TEST(BadAllocDrive, AThreadHasNoFastPathToAnEngineThatHasGoneThoughThereIsNoMemoryForTheNext) {
  expect_in_child([] {
    std::optional<bare_engine> gone(std::in_place);
    const detail::engine_core* const place = detail::timer_access::core(gone->engine.schedule_after(1h, [] {}));
    gone.reset();
    bare_engine next;
    hostile::arm_faults(hostile::faults::from_then, 1);
    EXPECT_FALSE(next.engine.try_schedule_after(1h, [] {}));
    hostile::disarm_faults();
    detail::thread_record* found = nullptr;
    EXPECT_FALSE(detail::thread_registry::fast_path(place, detail::fast_paths::some, found));
    next.expect_works();
  });
}

}  // namespace
}  // namespace detent
