// SPDX-License-Identifier: MIT
// list_pending() while other threads schedule, cancel, restart and end groups: what it tells of a timer is all of one.
#include <detent/detent.hpp>

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "support/drive_eventually.hpp"

namespace detent {
namespace {

using namespace std::chrono_literals;
using drive::eventually;

constexpr std::size_t kinds = 4;

// The deadline, label and line of what is scheduled here belong together.
struct kind {
  label mine;
  std::uint32_t line = 0;
  time_point due;
};

class churn {
 public:
  explicit churn(engine_options options = {}) : e(with_origins(std::move(options))) {
    for (std::size_t k = 0; k < kinds; ++k) {
      of[k].mine = e.make_label("kind " + std::to_string(k));
      of[k].due = clock::now() + (1 + static_cast<int>(k)) * 1h;
    }
  }
  // Each kind has a line of its own.
  timer schedule(std::size_t k, bool note = false) {
    auto line = [&](std::uint32_t here) {
      if (note) of[k].line = here;
    };
    // clang-format off
    switch (k) {
      case 0: line(__LINE__); return e.schedule_at(of[0].due, [] {}, {.label = of[0].mine});
      case 1: line(__LINE__); return e.schedule_at(of[1].due, [] {}, {.label = of[1].mine});
      case 2: line(__LINE__); return e.schedule_at(of[2].due, [] {}, {.slack = 1ns, .label = of[2].mine});
      default: line(__LINE__); return e.schedule_at(of[3].due, [] {}, {.lane = 2, .label = of[3].mine});
    }
    // clang-format on
  }
  // Which of the kinds it is, by its label; `kinds`: none.
  std::size_t kind_of(const pending_timer& told) const {
    std::size_t k = 0;
    while (k < kinds && of[k].mine != told.label) ++k;
    return k;
  }

  std::array<kind, kinds> of;
  engine e;

 private:
  static engine_options with_origins(engine_options options) {
    options.capture_origin = true;
    options.reserve = 256;
    return options;
  }
};

// Lists for a while, and has each entry looked at.
template <class Check>
void list_for(engine& e, int times, Check&& check) {
  for (int i = 0; i < times; ++i) {
    for (const pending_timer& each : e.list_pending()) check(each);
  }
}

TEST(EngineListPendingRace, NothingIsTorn) {
  churn c;
  for (std::size_t k = 0; k < kinds; ++k) c.schedule(k, true);  // they stay, and each list has them
  std::atomic<bool> end{false};
  std::vector<std::thread> threads;
  for (std::size_t t = 0; t < 2; ++t) {
    threads.emplace_back([&, t] {
      std::array<timer, 16> mine;
      for (std::size_t i = t; !end; ++i) {
        timer& next = mine[i % mine.size()];
        next.cancel();
        next = c.schedule(i * 7 / 3 % kinds);
        if (i % 64 == 0) std::this_thread::yield();
      }
      for (timer& each : mine) each.cancel();
    });
  }
  std::size_t seen = 0, least = SIZE_MAX;
  for (int i = 0; i < 300; ++i) {
    const std::vector<pending_timer> told = c.e.list_pending();
    least = std::min(least, told.size());
    for (const pending_timer& each : told) {
      const std::size_t k = c.kind_of(each);
      ASSERT_LT(k, kinds) << "label \"" << each.label.name() << "\"";
      EXPECT_EQ(each.line, c.of[k].line);
      EXPECT_STREQ(each.file, __FILE__);
      EXPECT_EQ(each.deadline, c.of[k].due);
      EXPECT_GE(each.age, 0ns);
      const std::string_view state = each.state;
      EXPECT_TRUE(state == "queued" || state == "armed") << state;
      ++seen;
    }
  }
  end = true;
  for (std::thread& each : threads) each.join();
  EXPECT_GE(least, kinds);
  EXPECT_GT(seen, 300 * kinds);
  EXPECT_EQ(c.e.list_pending().size(), kinds);
}

// Two deadlines that take turns: no third one is told.
TEST(EngineListPendingRace, ADeadlineIsTheOldOneOrTheNewOne) {
  churn c;
  timer one = c.schedule(0, true);
  std::atomic<bool> end{false};
  const time_point early = c.of[0].due, late = early + 0x1'2345'6789ns;
  std::thread mover([&] {
    while (!end) {
      one.restart_at(late);
      one.restart_at(early);
    }
  });
  std::size_t seen = 0;
  list_for(c.e, 2'000, [&](const pending_timer& each) {
    EXPECT_TRUE(each.deadline == early || each.deadline == late);
    EXPECT_EQ(each.line, c.of[0].line);
    ++seen;
  });
  end = true;
  mover.join();
  EXPECT_EQ(seen, 2'000u);
}

TEST(EngineListPendingRace, GroupsComeAndGo) {
  churn c;
  std::atomic<bool> end{false};
  std::thread maker([&] {
    while (!end) {
      timer_group group(c.e);
      for (std::size_t i = 0; i < 20; ++i)
        group.schedule_at(c.of[i % kinds].due, [] {}, {.label = c.of[i % kinds].mine});
      group.pause();
      if (!end) std::this_thread::yield();
      group.resume();
    }
  });
  std::thread worker([&] {
    while (!end) c.e.schedule_after(1us, [] {}, {.label = c.of[0].mine});
  });
  list_for(c.e, 200, [&](const pending_timer& each) {
    EXPECT_LT(c.kind_of(each), kinds);
    EXPECT_STREQ(each.file, __FILE__);
    if (std::string_view(each.state) == "paused") EXPECT_EQ(each.deadline, time_point::max());
  });
  end = true;
  maker.join();
  worker.join();
}

TEST(EngineListPendingRace, WhileTheyRunOnAPool) {
  churn c({.executor = std::make_shared<thread_pool>(thread_pool_options{.threads = 2})});
  std::atomic<int> runs{0};
  for (std::size_t k = 0; k < kinds; ++k)
    c.e.schedule_at_fixed_rate(0ns, 20us, [&] { ++runs; }, {.label = c.of[k].mine});
  do {
    std::array<int, kinds> seen{};
    list_for(c.e, 50, [&](const pending_timer& each) {
      ASSERT_LT(c.kind_of(each), kinds);
      ++seen[c.kind_of(each)];
    });
    for (int each : seen) EXPECT_LE(each, 50);
  } while (runs < 100);
  // A pending timer may be on its way from state to state for a while, but is seen.
  for (const kind& each : c.of) {
    EXPECT_TRUE(eventually([&] {
      for (const pending_timer& told : c.e.list_pending())
        if (told.label == each.mine) return true;
      return false;
    }));
  }
}

TEST(EngineListPendingRace, WhileTheEngineIsStopped) {
  for (int i = 0; i < 20; ++i) {
    churn c;
    for (std::size_t k = 0; k < 100; ++k) c.schedule(k % kinds, true);
    std::thread stopper([&] { EXPECT_EQ(c.e.stop().size(), 100u); });
    list_for(c.e, 20, [&](const pending_timer& each) { EXPECT_LT(c.kind_of(each), kinds); });
    stopper.join();
    EXPECT_TRUE(c.e.list_pending().empty());
  }
}

}  // namespace
}  // namespace detent
