// SPDX-License-Identifier: MIT
// list_pending() while other threads schedule, cancel, restart and end groups: what it reports of a timer is all of
// one.
#include <detent/detent.hpp>

#include <gtest/gtest.h>

#include <algorithm>
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
  std::size_t kind_of(const pending_timer& reported) const {
    std::size_t k = 0;
    while (k < kinds && of[k].mine != reported.label) ++k;
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

// Lets other threads do so many steps for each list, so that the lists stay short.
class pace {
 public:
  // False: it is over.
  bool step(int mine) const {
    while (mine >= 100 * lists_ && !end_) std::this_thread::yield();
    return !end_;
  }
  void finish() { end_ = true; }

  // Lists for a while, and checks each entry.
  template <class Check>
  void list(engine& e, int times, Check&& check) {
    for (int i = 0; i < times; ++i, ++lists_) {
      for (const pending_timer& each : e.list_pending()) check(each);
    }
  }

 private:
  std::atomic<int> lists_{0};
  std::atomic<bool> end_{false};
};

TEST(EngineListPendingRace, NothingIsTorn) {
  churn c;
  for (std::size_t k = 0; k < kinds; ++k) c.schedule(k, true);  // they stay, and each list has them
  pace steps;
  std::vector<std::thread> threads;
  for (int t = 0; t < 2; ++t) {
    threads.emplace_back([&, t] {
      std::array<timer, 3> mine;
      for (int i = 0; steps.step(i); ++i) {
        timer& next = mine[static_cast<std::size_t>(i) % mine.size()];
        next.cancel();
        next = c.schedule(static_cast<std::size_t>(i * 7 / 3 + t) % kinds);
      }
      for (timer& each : mine) each.cancel();
    });
  }
  std::array<int, kinds> seen{};
  duration least_age = duration::max();
  constexpr int lists = 10'000;
  steps.list(c.e, lists, [&](const pending_timer& each) {
    const std::size_t k = c.kind_of(each);
    ASSERT_LT(k, kinds) << "label \"" << each.label.name() << "\"";
    EXPECT_EQ(each.line, c.of[k].line);
    EXPECT_STREQ(each.file, __FILE__);
    EXPECT_EQ(each.deadline, c.of[k].due);
    least_age = std::min(least_age, each.age);
    const std::string_view state = each.state;
    EXPECT_TRUE(state == "queued" || state == "armed") << state;
    ++seen[k];
  });
  steps.finish();
  for (std::thread& each : threads) each.join();
  for (int each : seen) EXPECT_GE(each, lists);
  EXPECT_GE(least_age, 0ns) << "scheduled while the list was made";
  EXPECT_EQ(c.e.list_pending().size(), kinds);
}

// Two deadlines that take turns: no third one is reported.
TEST(EngineListPendingRace, ADeadlineIsTheOldOneOrTheNewOne) {
  churn c;
  timer one = c.schedule(0, true);
  pace steps;
  const time_point early = c.of[0].due, late = early + 0x1'2345'6789ns;
  std::thread mover([&] {
    for (int i = 0; steps.step(i); ++i) one.restart_at(i % 2 == 0 ? late : early);
  });
  int seen = 0;
  steps.list(c.e, 1'000, [&](const pending_timer& each) {
    EXPECT_TRUE(each.deadline == early || each.deadline == late);
    EXPECT_EQ(each.line, c.of[0].line);
    ++seen;
  });
  steps.finish();
  mover.join();
  EXPECT_EQ(seen, 1'000);
}

TEST(EngineListPendingRace, GroupsComeAndGo) {
  churn c;
  pace steps;
  std::thread maker([&] {
    for (int i = 0; steps.step(i); i += 20) {
      timer_group group(c.e);
      for (std::size_t k = 0; k < 20; ++k)
        group.schedule_at(c.of[k % kinds].due, [] {}, {.label = c.of[k % kinds].mine});
      group.pause();
      std::this_thread::yield();
      group.resume();
    }
  });
  std::thread other([&] {
    for (int i = 0; steps.step(i); ++i) c.e.schedule_after(1us, [] {}, {.label = c.of[0].mine});
  });
  steps.list(c.e, 200, [&](const pending_timer& each) {
    EXPECT_LT(c.kind_of(each), kinds);
    EXPECT_STREQ(each.file, __FILE__);
  });
  steps.finish();
  maker.join();
  other.join();
}

TEST(EngineListPendingRace, WhileTheyRunOnAPool) {
  churn c({.executor = std::make_shared<thread_pool>(thread_pool_options{.threads = 2})});
  std::atomic<int> runs{0};
  for (std::size_t k = 0; k < kinds; ++k)
    c.e.schedule_at_fixed_rate(0ns, 20us, [&] { ++runs; }, {.label = c.of[k].mine});
  pace steps;
  do {
    std::array<int, kinds> seen{};
    steps.list(c.e, 50, [&](const pending_timer& each) {
      ASSERT_LT(c.kind_of(each), kinds);
      ++seen[c.kind_of(each)];
    });
    for (int each : seen) EXPECT_LE(each, 50);
  } while (runs < 100);
  // One that is on its way from state to state in every scan is left out, but not for ever.
  for (const kind& each : c.of) {
    EXPECT_TRUE(eventually([&] {
      for (const pending_timer& reported : c.e.list_pending())
        if (reported.label == each.mine) return true;
      return false;
    }));
  }
  c.e.stop();
}

TEST(EngineListPendingRace, WhileTheEngineIsStopped) {
  for (int i = 0; i < 20; ++i) {
    churn c;
    for (std::size_t k = 0; k < 100; ++k) c.schedule(k % kinds, true);
    std::thread stopper([&] { EXPECT_EQ(c.e.stop().size(), 100u); });
    pace().list(c.e, 20, [&](const pending_timer& each) { EXPECT_LT(c.kind_of(each), kinds); });
    stopper.join();
    EXPECT_TRUE(c.e.list_pending().empty());
  }
}

}  // namespace
}  // namespace detent
