// SPDX-License-Identifier: MIT
#include <detent/recipes/crew.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

namespace detent::recipes::testing {
namespace {

using namespace std::chrono_literals;

constexpr std::size_t shards = 8;

sharded_options driven(std::size_t count = shards) {
  return {.shards = count,
          .each = {.drive = drive_kind::caller, .reserve = 256, .memory = {.huge_pages = preference::off}}};
}

// Checks that callbacks of one shard neither overlap nor start out of order.
struct lane {
  std::atomic<int> inside{0};
  time_point latest{};  // the latest deadline; written by the callbacks, which must not overlap
  std::atomic<int> runs{0};

  void enter(time_point deadline) {
    EXPECT_EQ(inside.exchange(1), 0) << "two callbacks of a shard at once";
    EXPECT_GE(deadline, latest) << "out of the order of deadlines";
    latest = deadline;
  }
  void leave() {
    ++runs;
    inside = 0;
  }
};

// One callback at a time is stuck until all other shards that have timers left have gone on.
TEST(Crew, DrivesTheOtherShardsWhileACallbackIsStuck) {
  constexpr int timers = 60, further = 5;
  std::array<lane, shards> lanes;
  std::atomic<bool> somebody_stuck{false};
  int stuck = 0;
  sharded_engine set(driven());
  const auto get_stuck = [&](std::size_t self) {
    if (somebody_stuck.exchange(true)) return;
    for (std::size_t i = 0; i != shards; ++i) {
      const int wanted = std::min(lanes[i].runs + further, timers);
      while (i != self && lanes[i].runs < wanted) std::this_thread::yield();
    }
    ++stuck;
    somebody_stuck = false;
  };
  const time_point begin = clock::now();
  for (std::size_t i = 0; i != shards; ++i) {
    for (int at = timers; at != 0; --at) {
      set[i].schedule_at(begin + at * 1ms, [&, i](firing& now) {
        lanes[i].enter(now.deadline());
        get_stuck(i);
        lanes[i].leave();
      });
    }
  }
  {
    const crew drivers(set);
    while (set.metrics().pending != 0) std::this_thread::sleep_for(1ms);
  }
  for (lane& each : lanes) EXPECT_EQ(each.runs, timers);
  EXPECT_GT(stuck, 0);
  std::printf("%d of %zu callbacks were stuck\n", stuck, shards * timers);
}

TEST(Crew, LosesNoTimerWhenTheSetStopsWhileItDrives) {
  for (int round = 0; round != 10; ++round) {
    std::atomic<std::size_t> taken{0}, ran{0}, refused{0};
    std::atomic<bool> returned{false};
    sharded_engine set(driven());
    crew drivers(set, {.threads = 3});
    // Passes from shard to shard until one refuses.
    const auto pass_on = [&](const auto& self, std::size_t from) -> void {
      const timer next = set[(from + 1) % shards].try_schedule_after(from % 2 * 100us, [&, self, from] {
        EXPECT_FALSE(returned) << "a callback after stop() has returned";
        ++ran;
        self(self, from + 1);
      });
      ++(next ? taken : refused);
    };
    for (std::size_t i = 0; i != 2 * shards; ++i) pass_on(pass_on, i);
    while (ran < 300) std::this_thread::yield();
    const std::size_t left = set.stop().size();
    returned = true;
    EXPECT_EQ(taken, ran + left);
    EXPECT_EQ(refused + left, 2 * shards);
  }
}

TEST(Crew, MayBeFollowedByAnotherOneAndLeavesWhatIsPending) {
  std::atomic<int> ran{0};
  sharded_engine set(driven());
  { const crew first(set); }
  for (engine& each : set) each.schedule_after(0ms, [&] { ++ran; });
  const crew second(set);
  while (ran != static_cast<int>(shards)) std::this_thread::sleep_for(1ms);
  EXPECT_EQ(set.metrics().pending, 0u);
}

// Returns how often the threads of that name have been given a processor or have given one up.
std::uint64_t switches_of(const std::string& name) {
  std::uint64_t sum = 0;
  for (const auto& each : std::filesystem::directory_iterator("/proc/self/task")) {
    std::ifstream comm(each.path() / "comm"), status(each.path() / "status");
    std::string line;
    if (!std::getline(comm, line) || line != name) continue;
    while (std::getline(status, line)) {
      const std::size_t at = line.find("ctxt_switches:");
      if (at != std::string::npos) sum += std::stoull(line.substr(at + 14));
    }
  }
  return sum;
}

TEST(Crew, IsNotWokenWhileNothingIsDue) {
  sharded_engine set(driven(4));
  for (engine& each : set) each.schedule_after(1h, [] {});
  const crew drivers(set, {.threads = 3, .name = "idle-crew"});
  std::uint64_t before = 0, after = 0;
  for (int tries = 0; tries != 10 && (before == 0 || before != after); ++tries) {
    before = switches_of("idle-crew");
    std::this_thread::sleep_for(100ms);
    after = switches_of("idle-crew");
  }
  EXPECT_GT(before, 0u);
  EXPECT_EQ(before, after);
}

TEST(Crew, NamesWhatItCannotDo) {
  sharded_engine set(driven());
  for (const std::size_t threads : {std::size_t{0}, SIZE_MAX}) {
    try {
      const crew none(set, {.threads = threads});
      FAIL();
    } catch (const error& refused) {
      EXPECT_EQ(refused.code(), errc::invalid_option);
      EXPECT_NE(std::string(refused.what()).find("threads = " + std::to_string(threads)), std::string::npos)
          << refused.what();
    }
  }
  sharded_engine workers({.shards = 2});
  try {
    const crew wrong(workers);
    FAIL();
  } catch (const error& refused) {
    EXPECT_EQ(refused.code(), errc::wrong_drive);
  }
}

}  // namespace
}  // namespace detent::recipes::testing
