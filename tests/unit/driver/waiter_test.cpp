// SPDX-License-Identifier: MIT
#include "driver/waiter.hpp"

#include "support/random_source.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <thread>
#include <vector>

namespace detent::detail {
namespace {

constexpr nanoseconds_t millisecond = 1'000'000;

TEST(OversleepMargin, StartsAtNoMoreThanItsLimit) {
  EXPECT_EQ(oversleep_margin(0).get(), 0);
  EXPECT_EQ(oversleep_margin(500).get(), 500);
  EXPECT_GT(oversleep_margin(200'000).get(), 0);
  EXPECT_LE(oversleep_margin(200'000).get(), 200'000);
}

TEST(OversleepMargin, StaysWithinItsBoundsWhateverItLearns) {
  for (nanoseconds_t limit : {nanoseconds_t{0}, nanoseconds_t{500}, nanoseconds_t{200'000}, nanoseconds_t{INT64_MAX}}) {
    oversleep_margin margin(limit);
    test::random_source random(31);
    for (int i = 0; i < 10'000; ++i) {
      margin.learn(random.between(0, 1) == 0 ? 0 : random.any_magnitude(i < 5'000 ? 40 : 12));
      ASSERT_LE(margin.get(), limit);
      ASSERT_GE(margin.get(), std::min<nanoseconds_t>(limit, 1'000));
    }
    for (int i = 0; i < 100'000; ++i) margin.learn(0);
    EXPECT_EQ(margin.get(), std::min<nanoseconds_t>(limit, 1'000)) << "falls to its least where nothing is late";
  }
}

// Long-tailed, as the oversleep of a kernel is: the share of sleeps that are longer than the margin, and the
// margin's mean as a multiple of the quantile that leaves `share`.
struct settled {
  double beyond, margin;
};
settled settle(nanoseconds_t at_most, double median, double share) {
  constexpr int settling = 20'000, rounds = 100'000;
  test::random_source random(32);
  std::lognormal_distribution<double> oversleep(std::log(median), 0.5);
  oversleep_margin margin(at_most);
  std::vector<nanoseconds_t> seen;
  double beyond = 0, sum = 0;
  for (int i = 0; i < settling + rounds; ++i) {
    auto each = static_cast<nanoseconds_t>(oversleep(random.engine()));
    if (i >= settling) {
      seen.push_back(each);
      sum += static_cast<double>(margin.get());
      if (each > margin.get()) ++beyond;
    }
    margin.learn(each);
  }
  const auto rank = static_cast<std::ptrdiff_t>(rounds * (1 - share));
  std::nth_element(seen.begin(), seen.begin() + rank, seen.end());
  return {beyond / rounds, sum / rounds / static_cast<double>(seen[static_cast<std::size_t>(rank)])};
}

TEST(OversleepMargin, SettlesWhereOneInTwentySleepsIsLonger) {
  for (double median : {5'000.0, 60'000.0}) {  // to be approached from above and from below
    SCOPED_TRACE(median);
    const settled at = settle(wait_options::hybrid().max_spin.count(), median, 0.05);
    EXPECT_NEAR(at.beyond, 0.05, 0.015);
    EXPECT_NEAR(at.margin, 1, 0.1);
  }
}

TEST(OversleepMargin, SettlesWhereOneIn200IsLongerIfMoreSpinningIsAllowed) {
  for (double median : {5'000.0, 400'000.0}) {
    SCOPED_TRACE(median);
    const settled at = settle(100 * millisecond, median, 0.005);
    EXPECT_NEAR(at.beyond, 0.005, 0.0015);
    EXPECT_NEAR(at.margin, 1, 0.2);
  }
}

struct bench {
  explicit bench(wait_options options) : waits(options, 1, time, bell) {}
  void wait(nanoseconds_t deadline) {
    if (waits.sleep(deadline)) waits.spin(deadline);
  }
  clock_reader time{nullptr, nullptr};
  doorbell bell;
  waiter waits;
};

TEST(Waiter, SpinsNoLongerThanA64thOfACoarseTick) {
  const clock_reader time(nullptr, nullptr);
  doorbell bell;
  auto first_margin = [&](wait_options options, nanoseconds_t tick) {
    return waiter(options, tick, time, bell).margin();
  };
  const wait_options long_spins = wait_options::hybrid(std::chrono::hours(1));
  const nanoseconds_t free = first_margin(long_spins, 1);
  ASSERT_GT(free, 2 * millisecond / 64);
  EXPECT_EQ(first_margin(long_spins, millisecond - 1), free);
  EXPECT_EQ(first_margin(long_spins, millisecond), millisecond / 64);
  EXPECT_EQ(first_margin(long_spins, 2 * millisecond), 2 * millisecond / 64);
  EXPECT_EQ(first_margin(long_spins, 1000 * millisecond), free);
  EXPECT_EQ(first_margin(wait_options::hybrid(duration(500)), millisecond), 500);
}

wait_options lightly(wait_options mode) {
  mode.light_spin = true;
  return mode;
}

const std::vector<wait_options>& all_modes() {
  static const std::vector<wait_options> modes{wait_options::busy(),
                                               wait_options::hybrid(),
                                               wait_options::sleep(),
                                               wait_options::hybrid(duration(0)),
                                               wait_options::hybrid(duration::max()),
                                               lightly(wait_options::busy()),
                                               lightly(wait_options::hybrid(duration::max()))};
  return modes;
}

// Whatever the pauses are, they end before the last stretch, which is the bare spin of every other wait.
TEST(Waiter, LeavesTheEndOfALightSpinToTheBareOne) {
  for (const wait_options& mode : {lightly(wait_options::busy()), lightly(wait_options::hybrid(duration::max()))}) {
    bench each(mode);
    int left_over = 0;
    constexpr int rounds = 50;
    for (int i = 0; i < rounds; ++i) {
      const nanoseconds_t deadline = each.time.certain() + millisecond / 5;
      ASSERT_TRUE(each.waits.sleep(deadline));
      if (each.time.certain() < deadline) ++left_over;
      each.waits.spin(deadline);
      EXPECT_GE(each.time.certain(), deadline);
    }
    EXPECT_GT(left_over, 0) << "of " << rounds;  // an interrupt may take all of one
  }
}

TEST(Waiter, NeverReturnsBeforeItsDeadlineWithoutARing) {
  for (const wait_options& mode : all_modes()) {
    bench each(mode);
    for (nanoseconds_t delay : {nanoseconds_t{0}, nanoseconds_t{50'000}, millisecond, 3 * millisecond}) {
      nanoseconds_t deadline = each.time.certain() + delay;
      each.wait(deadline);
      EXPECT_GE(each.time.certain(), deadline);
      EXPECT_FALSE(each.bell.has_rung());
    }
  }
}

TEST(Waiter, ReturnsAtOnceWhenItHasRung) {
  for (const wait_options& mode : all_modes()) {
    bench each(mode);
    each.bell.ring();
    each.wait(forever);  // or never
    EXPECT_TRUE(each.bell.has_rung());
    EXPECT_EQ(each.waits.wakeups(), 0U);
  }
}

TEST(Waiter, ReturnsAtOnceWhenItsDeadlineIsPast) {
  for (const wait_options& mode : all_modes()) {
    bench each(mode);
    each.wait(each.time.certain() - 1);
    each.wait(0);
    each.wait(-1);
    EXPECT_EQ(each.waits.wakeups(), 0U);
  }
}

TEST(Waiter, IsWokenByARing) {
  for (const wait_options& mode : all_modes()) {
    for (nanoseconds_t until : {forever, to_ns(clock::now()) + 3'600'000 * millisecond}) {
      bench each(mode);
      std::atomic<bool> returned{false};
      std::thread waiting([&] {
        each.wait(until);
        returned.store(true);
      });
      std::this_thread::sleep_for(std::chrono::milliseconds(2));  // in which it must not return
      EXPECT_FALSE(returned.load());
      each.bell.ring();
      waiting.join();
    }
  }
}

}  // namespace
}  // namespace detent::detail
