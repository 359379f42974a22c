// SPDX-License-Identifier: MIT
// No allocation in the steady state, counted at the C library and the kernel.
#include <detent/detent.hpp>

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <array>
#include <atomic>
#include <memory>
#include <random>
#include <thread>
#include <utility>
#include <vector>

#include "support/drive_allocations.hpp"
#include "support/drive_eventually.hpp"
#include "support/drive_virtual.hpp"

namespace detent {
namespace {

using namespace std::chrono_literals;
using drive::at;
using drive::eventually;
using EngineMemorySteady = drive::on_both_wheels;

INSTANTIATE_TEST_SUITE_P(Wheels, EngineMemorySteady, drive::both_wheels, drive::wheel_name);

// Lets its work run outside poll(), and unlike a queue allocates once only.
class roomy_executor final : public executor {
 public:
  explicit roomy_executor(std::size_t most) { held_.reserve(most); }
  bool execute(fired_timer&& work) noexcept override {
    held_.push_back(std::move(work));
    return true;
  }
  void run_all() {
    for (fired_timer& each : held_) each();
    held_.clear();
  }

 private:
  std::vector<fired_timer> held_;
};

// The first rounds may warm up, the later ones must not allocate.
template <class Round>
std::uint64_t allocations_of(Round&& round) {
  for (int i = 0; i < 3; ++i) round();
  const std::uint64_t before = drive::allocations();
  for (int i = 0; i < 5; ++i) round();
  return drive::allocations() - before;
}

TEST_P(EngineMemorySteady, CountsAllocationsAtAll) {
  const std::uint64_t before = drive::allocations();
  auto kept = std::make_unique<int>();
  asm volatile("" : : "g"(kept.get()) : "memory");  // or the compiler may leave the allocation out
  EXPECT_GT(drive::allocations(), before);
}

TEST_P(EngineMemorySteady, ScheduleAndCancelAllocateNothing) {
  std::vector<timer> timers(3000);
  EXPECT_EQ(allocations_of([&] {
              for (timer& each : timers) each = engine_.schedule_after(1h, [] {});
              for (timer& each : timers) each.cancel();
              engine_.poll();
            }),
            0u);
}

TEST_P(EngineMemorySteady, ScheduleAndFireAllocateNothing) {
  std::int64_t now = 0;
  EXPECT_EQ(allocations_of([&] {
              for (int i = 0; i < 3000; ++i) engine_.schedule_at(at(now + i * 977), [this] { fired_.clear(); });
              now += 3'000'000;
              rig_.poll_at(at(now));
            }),
            0u);
}

TEST_P(EngineMemorySteady, RestartAllocatesNothing) {
  std::vector<timer> timers;
  for (int i = 0; i < 3000; ++i) timers.push_back(engine_.schedule_after(1h, [] {}));
  EXPECT_EQ(allocations_of([&] {
              for (timer& each : timers) each.restart_after(2h);
              for (timer& each : timers) each.restart_after(1h);
              engine_.poll();
            }),
            0u);
}

TEST_P(EngineMemorySteady, PeriodicAndReArmedTimersAllocateNothing) {
  for (int i = 1; i <= 500; ++i) {
    engine_.schedule_at_fixed_rate(duration(i), 1000ns, [] {});
    engine_.schedule_after(duration(i), [](firing& f) { f.rearm_after(1000ns); });
  }
  EXPECT_EQ(allocations_of([&] {
              for (int i = 0; i < 10; ++i) rig_.poll_at(clock_.now() + 1000ns);
            }),
            0u);
}

TEST_P(EngineMemorySteady, ScheduleFromCallbacksAllocatesNothing) {
  EXPECT_EQ(allocations_of([&] {
              for (int i = 0; i < 1000; ++i) {
                engine_.schedule_after(10ns, [this] { engine_.schedule_after(0ns, [] {}); });
              }
              rig_.poll_at(clock_.now() + 10ns);
            }),
            0u);
}

TEST_P(EngineMemorySteady, GroupsThatComeAndGoAllocateNothing) {
  EXPECT_EQ(allocations_of([&] {
              for (int i = 0; i < 10; ++i) {
                timer_group group(engine_);
                group.schedule_after(1h, [] {});
                engine_.poll();
                if (i % 2 == 0) group.cancel_all();
                if (i % 3 == 0) engine_.poll();
              }
              engine_.poll();
            }),
            0u);
}

// A group forgets the members that have ended, and goes on doing so once all have been scanned.
TEST_P(EngineMemorySteady, MembersThatComeAndGoAllocateNothing) {
  timer_group group(engine_);
  group.cancel_all();
  EXPECT_EQ(allocations_of([&] {
              for (int i = 0; i < 1000; ++i) group.schedule_after(10ns, [] {});
              EXPECT_EQ(rig_.poll_at(clock_.now() + 10ns), 1000u);
            }),
            0u);
}

// A member that runs elsewhere comes back by the queue, and is not a new one to its group.
TEST_P(EngineMemorySteady, MembersThatGoOnElsewhereAllocateNothing) {
  constexpr std::size_t members = 10;
  auto elsewhere = std::make_shared<roomy_executor>(members);
  drive::virtual_engine rig(with_wheel({.executor = elsewhere}));
  timer_group group(rig.engine);
  for (std::size_t i = 0; i < members; ++i) group.schedule_at_fixed_rate(1us, 1us, [] {});
  EXPECT_EQ(allocations_of([&] {
              for (int i = 0; i < 1000; ++i) {
                rig.poll_at(rig.clock.now() + 1us);
                elsewhere->run_all();
              }
            }),
            0u);
  EXPECT_EQ(rig.engine.metrics().fired, 8u * 1000u * members);
}

TEST_P(EngineMemorySteady, TheReserveIsThereBeforeTheFirstTimer) {
  // One timer makes what a thread needs for itself; all others come out of the reserve of 4096.
  engine_.schedule_after(1h, [] {});
  engine_.poll();
  const std::uint64_t before = drive::allocations();
  for (int i = 0; i < 4000; ++i) engine_.schedule_after(1h, [] {});
  engine_.poll();
  EXPECT_EQ(drive::allocations() - before, 0u);
}

// However many another thread keeps for itself.
TEST_P(EngineMemorySteady, TheReserveIsThereBesideWhatAnotherThreadKeeps) {
  manual_clock clock;
  engine e(with_wheel({.manual = &clock, .reserve = 32'768}));
  std::atomic<bool> kept{false}, end{false};
  std::thread other([&] {
    for (int i = 0; i < 10; ++i) e.schedule_after(1h, [] {}).cancel();
    kept = true;
    while (!end) std::this_thread::yield();
  });
  while (!kept) std::this_thread::yield();
  e.schedule_after(1h, [] {}).cancel();
  e.poll();
  const std::uint64_t before = drive::allocations();
  for (int i = 0; i < 32'768; ++i) e.schedule_after(1h, [] {});
  EXPECT_EQ(drive::allocations() - before, 0u);
  end = true;
  other.join();
}

TEST_P(EngineMemorySteady, TheReserveIsThereBeforeTheFirstBurstComesDue) {
  engine_.schedule_after(1h, [] {});
  engine_.poll();
  const std::uint64_t before = drive::allocations();
  for (int i = 0; i < 4000; ++i) engine_.schedule_after(1us, [] {});
  EXPECT_EQ(rig_.poll_at(at(1us)), 4000u);
  EXPECT_EQ(drive::allocations() - before, 0u);
}

TEST_P(EngineMemorySteady, TheReserveIsThereBeforeTheFirstBurstOfEachHigherLane) {
  engine_.schedule_after(1h, [] {}, {.lane = 1});
  engine_.poll();
  const std::uint64_t before = drive::allocations();
  for (std::int64_t lane = 1; lane != lane_count; ++lane) {
    for (int i = 0; i < 4000; ++i) engine_.schedule_after(1us, [] {}, {.lane = static_cast<std::uint8_t>(lane)});
    EXPECT_EQ(rig_.poll_at(at(1us * lane)), 4000u);
  }
  EXPECT_EQ(drive::allocations() - before, 0u);
}

TEST_P(EngineMemorySteady, TheReserveIsThereBeforeTheFirstMembersOfAGroup) {
  timer_group group(engine_);
  engine_.schedule_after(1h, [] {});
  engine_.poll();
  const std::uint64_t before = drive::allocations();
  for (int i = 0; i < 4000; ++i) group.schedule_after(1h, [] {});
  engine_.poll();
  group.cancel_all();
  engine_.poll();
  EXPECT_EQ(drive::allocations() - before, 0u);
}

// One group after the other has all the members there are: together they take what the first has taken, in whatever way
// its members have ended.
TEST_P(EngineMemorySteady, GroupsThatWereLargeGiveBackWhatTheyTook) {
  constexpr std::size_t groups = 60, members = 3000;
  std::vector<std::unique_ptr<timer_group>> all;
  for (std::size_t i = 0; i < groups; ++i) all.push_back(std::make_unique<timer_group>(engine_));
  std::vector<timer> timers(members);
  std::uint64_t before = 0;
  for (std::size_t i = 0; i < groups; ++i) {
    if (i == 3) before = drive::allocations();
    for (timer& each : timers) each = all[i]->schedule_after(1us, [] {});
    engine_.poll();
    if (i % 3 == 0) {
      EXPECT_EQ(rig_.poll_at(clock_.now() + 1us), members);
    } else if (i % 3 == 1) {
      for (timer& each : timers) each.cancel();
    } else {
      all[i]->cancel_all();
    }
    engine_.poll();
  }
  EXPECT_EQ(drive::allocations() - before, 0u);
}

TEST_P(EngineMemorySteady, TheReserveIsThereBeforeTheFirstRefusals) {
  struct refuses : executor {
    bool execute(fired_timer&&) noexcept override { return false; }
  };
  drive::virtual_engine rig(with_wheel({.executor = std::make_shared<refuses>(), .on_refusal = refusal_policy::retry}));
  rig.engine.schedule_after(1h, [] {});
  rig.engine.poll();
  const std::uint64_t before = drive::allocations();
  for (int i = 0; i < 4000; ++i) rig.engine.schedule_after(1us, [] {});
  EXPECT_EQ(rig.poll_at(at(1us)), 0u);
  EXPECT_EQ(drive::allocations() - before, 0u);
}

TEST_P(EngineMemorySteady, AWorkerAndTwoProducersAllocateNothing) {
  std::atomic<int> warm{0}, done{0};
  std::atomic<bool> go{false}, end{false};
  std::atomic<std::uint64_t> fired{0};
  engine e(with_wheel({.reserve = 16'384}));
  auto producer = [&](std::uint64_t seed) {
    std::mt19937_64 random(seed);
    std::vector<timer> timers(1000);
    auto rounds = [&](int number) {
      for (int round = 0; round < number; ++round) {
        for (timer& each : timers) {
          each =
              e.schedule_after(duration(static_cast<std::int64_t>(random() % 3'000'000)), [&] { fired.fetch_add(1); });
        }
        for (timer& each : timers)
          random() % 2 == 0 ? static_cast<void>(each.cancel()) : static_cast<void>(each.restart_after(1ms));
        while (e.pending() > 2000) std::this_thread::yield();
      }
    };
    rounds(50);
    ++warm;
    while (!go) std::this_thread::yield();
    rounds(50);
    ++done;
    while (!end) std::this_thread::yield();
  };
  std::thread one(producer, 1), two(producer, 2);
  EXPECT_TRUE(eventually([&] { return warm == 2 && e.pending() == 0; }));
  const std::uint64_t before = drive::allocations();
  go = true;
  while (done != 2) std::this_thread::yield();
  const std::uint64_t after = drive::allocations();
  end = true;
  one.join();
  two.join();
  EXPECT_EQ(after - before, 0u);
  EXPECT_GT(fired.load(), 0u);
}

// Returns how often the kernel had to make or find a page for the calling thread.
long page_faults() {
  rusage used{};
  getrusage(RUSAGE_THREAD, &used);
  return used.ru_minflt;
}

// A run that is counted as microseconds by a loaded machine may be the first on its page; not all of so many are.
TEST(EngineMemoryMapped, TheFirstRunsFindThePagesThatTheyCountIn) {
  EXPECT_TRUE(eventually([] {
    engine e;
    std::array<long, 2> at_run{};
    for (long& each : at_run) {
      std::atomic<bool> ran{false};  // waking somebody would take its own microseconds
      e.schedule_after(500us, [&] {
        each = page_faults();
        ran = true;
      });
      while (!ran) std::this_thread::yield();
    }
    return at_run[0] == at_run[1];
  }));
}

}  // namespace
}  // namespace detent
