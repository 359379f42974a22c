// SPDX-License-Identifier: MIT
// The driver accepts a bounded number of entries before it reads the clock, and before it fires. A flood of schedule
// calls delays other timers by no more than that.
#include <detent/detent.hpp>
#include <search/meetings/hooks.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <latch>
#include <optional>
#include <thread>
#include <utility>

#include "support/drive_eventually.hpp"
#include "support/joined_thread.hpp"
#include "support/platform/asleep.hpp"

namespace detent {
namespace {

using namespace std::chrono_literals;
using drive::eventually;

constexpr int slice = 64, most_before_firing = 4096;

// While the driver drains, it changes no other state word than that of what it accepts.
bool accepts(hooks::operation what, const hooks::site& where) {
  return what == hooks::operation::exchange && where.is_in("state_word.hpp");
}
bool reads_manual_clock(const hooks::site& where) { return where.is_in("manual_clock.hpp"); }

// A worker that sleeps until something known is due. A test that finds that passed too early tries again with a longer
// lead.
class sleeping_worker {
 public:
  sleeping_worker(duration lead, std::function<void()> known, const hooks::watcher* watched_by = nullptr)
      : due_(clock::now() + lead) {
    engine_.schedule_at(due_, std::move(known));
    std::atomic<bool> watched{false};
    engine_.schedule_after(0ns, [&] {
      hooks::watch(watched_by);
      watched = true;
    });
    EXPECT_TRUE(eventually([&] { return watched.load(); }));
    EXPECT_TRUE(drive::thread_sleeps("sleeps"));
  }
  engine* operator->() { return &engine_; }
  time_point due() const { return due_; }

 private:
  time_point due_;
  engine engine_{{.name = "sleeps", .wait = wait_options::sleep()}};
};

TEST(EngineDrainBound, AcceptsNothingBeforeWhatItWaitedForHasFired) {
  for (duration lead = 100ms;; lead *= 2) {
    std::atomic<bool> fired{false};
    std::uint64_t drained = 0;
    sleeping_worker worker(lead, [&] {
      drained = worker->metrics().drained;
      fired = true;
    });
    const std::uint64_t before = worker->metrics().drained;
    for (int i = 0; i < 1000; ++i) worker->schedule_after(1h, [] {});
    const bool in_time = clock::now() < worker.due();
    ASSERT_TRUE(eventually([&] { return fired.load(); }));
    if (!in_time) continue;
    EXPECT_EQ(drained, before);
    return;
  }
}

// A known timer comes due while the driver is in the second slice of a flood that does not begin before `begin`.
// Returns how many entries the driver accepts before it fires that timer, or none if the flood came too late.
std::optional<int> accepted_in_a_flood(duration lead, time_point begin) {
  constexpr int stays_in = slice + slice / 2;
  std::atomic<bool> counts{false}, fired{false}, in_time{false};
  int accepted = 0, before = 0;
  time_point due;
  const hooks::watcher stays = [&](hooks::operation what, const hooks::site& where) {
    if (!counts || !accepts(what, where) || ++accepted != stays_in || fired) return;
    in_time = clock::now() < due;
    while (clock::now() < due) std::this_thread::yield();
  };
  sleeping_worker worker(
      lead,
      [&] {
        before = accepted - 1;  // which has counted its own start
        fired = true;
      },
      &stays);
  due = worker.due();
  std::this_thread::sleep_until(begin);
  counts = true;
  for (int i = 0; i < 3000; ++i) worker->schedule_after(1h, [] {});
  worker->schedule_after(0ns, [] {});  // rings
  const bool has_fired = eventually([&] { return fired.load(); });
  EXPECT_TRUE(has_fired);
  if (has_fired && !in_time) return std::nullopt;
  EXPECT_GE(before, stays_in);
  return before;
}

// It does not wait for the third, nor for what is overdue and comes after that.
TEST(EngineDrainBound, FiresWhatComesDueAfterTheSliceThatItIsIn) {
  std::optional<int> before;
  for (duration lead = 100ms; !before; lead *= 2) before = accepted_in_a_flood(lead, {});
  EXPECT_LE(*before, 2 * slice);
}

// After such a boundary of time begins a slot of the wheel that holds all of the next second, and with it what is
// known, which is due later.
TEST(EngineDrainBound, FiresWhatComesDueInASlotThatHasBegunAfterTheSliceThatItIsIn) {
  constexpr duration slot(1 << 30);
  std::optional<int> before;
  for (duration lead = 100ms; !before; lead *= 2) {
    const time_point begin(((clock::now() + lead).time_since_epoch() / slot + 1) * slot);
    std::this_thread::sleep_until(begin - lead);
    before = accepted_in_a_flood(2 * lead, begin);
  }
  EXPECT_LE(*before, 2 * slice);
}

// After a callback that takes long the driver finds a flood, all of it overdue, and the earliest last. It fires the
// earliest of what it has accepted, not of all there is.
TEST(EngineDrainBound, AcceptsFourThousandEntriesBeforeItFires) {
  constexpr int submitted = 20'000;
  std::atomic<bool> begun{false}, may_end{false};
  std::atomic<int> first{-1};
  engine worker;
  worker.schedule_after(0ns, [&] {
    begun = true;
    while (!may_end) std::this_thread::yield();
  });
  ASSERT_TRUE(eventually([&] { return begun.load(); }));
  const time_point now = clock::now();
  for (int id = 0; id < submitted; ++id) {
    worker.schedule_at(now - id * 1us, [&first, id] {
      if (first == -1) first = id;
    });
  }
  may_end = true;
  ASSERT_TRUE(eventually([&] { return first != -1; }));
  EXPECT_GE(first, most_before_firing - 1);
  EXPECT_LT(first, most_before_firing + 2 * slice);  // a slice after the callback, and one as there is so much
  worker.stop();
}

class EngineDrainBoundBeforeAWait : public ::testing::Test {
 protected:
  static constexpr int submitted = 3000;

  // Has the driver accept that much, before it announces its wait, as it opens its descriptor.
  void submit_and_announce(time_point deadline, std::uint8_t lane = 0) {
    for (int i = 0; i < submitted; ++i) engine_.schedule_at(deadline, [] {}, {.lane = lane});
    const hooks::watcher counts = [this](hooks::operation what, const hooks::site& where) {
      if (reads_manual_clock(where)) since_a_reading_ = 0;
      if (!accepts(what, where)) return;
      ++accepted_;
      most_ = std::max(most_, ++since_a_reading_);
      if (accepted_ == 1 && meanwhile_) std::thread(meanwhile_).join();
    };
    hooks::watch(&counts);
    static_cast<void>(engine_.wake_fd());
    hooks::watch(nullptr);
  }

  int accepted_ = 0, since_a_reading_ = 0, most_ = 0;
  std::function<void()> meanwhile_;  // on another thread, when it accepts the first
  manual_clock clock_{time_point(1s)};
  engine engine_{{.drive = drive_kind::caller, .manual = &clock_, .reserve = 0}};
};

TEST_F(EngineDrainBoundBeforeAWait, ReadsTheClockAfterEachSlice) {
  submit_and_announce(time_point(1h));
  EXPECT_EQ(accepted_, submitted);
  EXPECT_EQ(most_, slice);
}

TEST_F(EngineDrainBoundBeforeAWait, EndsWithTheSliceInWhichSomethingIsDue) {
  submit_and_announce(time_point(1ms));
  EXPECT_EQ(accepted_, slice);
}

TEST_F(EngineDrainBoundBeforeAWait, EndsWithTheSliceInWhichSomethingOfAHigherLaneIsDue) {
  submit_and_announce(time_point(1ms), 3);
  EXPECT_EQ(accepted_, slice);
}

TEST_F(EngineDrainBoundBeforeAWait, EndsWithTheSliceInWhichAGroupIsCancelled) {
  timer_group group(engine_);
  meanwhile_ = [&] { group.cancel_all(); };
  submit_and_announce(time_point(1h));
  EXPECT_EQ(accepted_, slice);
}

// While a poll drains the queue of critical timers, several threads fill it. The drain ends before it has reached the
// last timers of the polling thread. A callback of the poll arms one for the same instant, which comes after those.
TEST(EngineDrainBoundOfAPoll, LeavesItsOwnCriticalTimersInTheirOrder) {
  constexpr int threads = 8, a_thread = 12'000;  // the drain goes through most of this, though not through all
  constexpr timer_options critical{.lane = 3};
  manual_clock clock{time_point(1s)};
  engine polled{{.drive = drive_kind::caller, .manual = &clock, .reserve = 0}};
  const time_point due(1h);
  int ran = 0, ran_before = -1;
  polled.schedule_at(
      clock.now(),
      [&, again = false](firing& run) mutable {
        if (std::exchange(again, true)) {
          ran_before = ran;
        } else {
          run.rearm_at(due);
        }
      },
      critical);
  const auto counts = [&ran] { ++ran; };
  for (int i = 0; i < a_thread; ++i) polled.schedule_at(due, counts, critical);
  bool flooded = false;
  const hooks::watcher floods = [&](hooks::operation what, const hooks::site& where) {
    if (!accepts(what, where) || std::exchange(flooded, true)) return;
    std::latch all(threads);  // one that began after another's end would go on with its queue
    testing::on_threads(threads, [&] {
      const auto nothing = [] {};
      for (int i = 0; i < a_thread; ++i) polled.schedule_at(time_point(2h), nothing, critical);
      all.arrive_and_wait();
    });
  };
  hooks::watch(&floods);
  EXPECT_EQ(polled.poll(), 1u);
  hooks::watch(nullptr);
  EXPECT_TRUE(flooded);
  clock.advance_to(due);
  while (polled.poll() != 0) {
  }
  EXPECT_EQ(ran, a_thread);
  EXPECT_EQ(ran_before, a_thread);
}

}  // namespace
}  // namespace detent
