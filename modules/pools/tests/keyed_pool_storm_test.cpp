// SPDX-License-Identifier: MIT
// A keyed pool under many threads that schedule, restart and cancel, with a queue that is soon full: no two callbacks
// of one key overlap, those of one deadline order keep it, and each timer is accounted for, also when the engine stops
// in the middle.
#include <detent/detent.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "support/drive_eventually.hpp"
#include "support/random_source.hpp"

namespace detent {
namespace {

using namespace std::chrono_literals;
using drive::eventually;

class key_watch {
 public:
  void enter() {
    if (running_.fetch_add(1) != 0) ++overlaps;
  }
  void leave() { running_.fetch_sub(1); }

  std::atomic<int> overlaps{0};

 private:
  std::atomic<int> running_{0};
};

struct storm {
  storm(std::uint64_t seed_of_all, refusal_policy policy)
      : seed(seed_of_all),
        e({.executor =
               std::make_shared<keyed_pool>(keyed_pool_options{.threads = 3, .queue_capacity = 128, .strands = 64}),
           .on_refusal = policy,
           .reserve = 4096}) {}

  void callback(std::uint64_t key) {
    watches[key].enter();
    if (key % 16 == 0) std::this_thread::yield();
    ++runs;
    watches[key].leave();
  }
  void user(unsigned number) {
    test::random_source random(seed + number);
    std::vector<timer> mine;
    for (int step = 0; step < 3000; ++step) {
      const auto key = random.between<std::uint64_t>(0, keys - 1);
      const auto delay = std::chrono::nanoseconds(random.between(0, 200'000));
      switch (mine.empty() ? 0 : random.between(0, 3)) {
        case 0:
        case 1: mine.push_back(e.try_schedule_after(delay, [this, key] { callback(key); }, {.tag = key})); break;
        case 2: mine[random.between<std::size_t>(0, mine.size() - 1)].cancel(); break;
        case 3: mine[random.between<std::size_t>(0, mine.size() - 1)].restart_after(delay); break;
      }
    }
  }
  void rage() {
    std::vector<std::thread> users;
    for (unsigned i = 0; i < 4; ++i) users.emplace_back([this, i] { user(i); });
    for (std::thread& each : users) each.join();
  }
  // After the end.
  void expect_accounts() {
    const engine_metrics found = e.metrics();
    EXPECT_EQ(found.scheduled, found.expired + found.cancelled + found.returned + found.dropped);
    EXPECT_EQ(found.fired, runs.load());
    for (const key_watch& each : watches) EXPECT_EQ(each.overlaps, 0);
  }

  static constexpr std::uint64_t keys = 200;
  const std::uint64_t seed;
  std::vector<key_watch> watches{keys};
  std::atomic<std::uint64_t> runs{0};
  engine e;
};

class KeyedPoolStorm : public ::testing::TestWithParam<refusal_policy> {};

TEST_P(KeyedPoolStorm, KeepsAKeyApartAndAccountsForEachTimer) {
  storm s(test::new_seed(), GetParam());
  s.rage();
  ASSERT_TRUE(eventually([&] { return s.e.pending() == 0; }));
  EXPECT_TRUE(s.e.stop().empty());
  s.expect_accounts();
}

TEST_P(KeyedPoolStorm, KeepsThemWhileTheEngineStops) {
  storm s(test::new_seed(), GetParam());
  std::thread stopper([&] {
    eventually([&] { return s.e.metrics().scheduled > 3000; });
    s.e.stop();
  });
  s.rage();
  stopper.join();
  s.expect_accounts();
}

INSTANTIATE_TEST_SUITE_P(Policies, KeyedPoolStorm,
                         ::testing::Values(refusal_policy::run_inline, refusal_policy::retry, refusal_policy::drop));

// One thread schedules each key's timers a microsecond apart, so that no later one can be handed over first.
TEST(KeyedPool, KeepsEachKeysDeadlinesInOrderThroughRefusalAndRetry) {
  constexpr std::uint64_t keys = 40, each = 100;
  const auto pool = std::make_shared<keyed_pool>(keyed_pool_options{.threads = 3, .queue_capacity = 16});
  engine e({.executor = pool});
  std::vector<std::vector<std::uint64_t>> ran(keys);
  const time_point start = clock::now() + 50ms;
  for (std::uint64_t i = 0; i < keys * each; ++i) {
    const std::uint64_t key = i % keys, turn = i / keys;
    e.schedule_at(start + std::chrono::microseconds(turn), [&ran, key, turn] { ran[key].push_back(turn); },
                  {.tag = key});
  }
  ASSERT_TRUE(eventually([&] { return e.pending() == 0; }));
  e.stop();
  EXPECT_GT(e.metrics().refused, 0u);
  for (const auto& turns : ran) {
    ASSERT_EQ(turns.size(), each);
    for (std::uint64_t i = 0; i < each; ++i) ASSERT_EQ(turns[i], i);
  }
}

}  // namespace
}  // namespace detent
