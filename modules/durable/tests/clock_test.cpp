// SPDX-License-Identifier: MIT
// A restart after the wall clock was set by a week: what a store has is neither lost nor early, and runs once.
#include "nodes.hpp"
#include "sqlite_bed.hpp"

#include <gtest/gtest.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <set>

namespace {
std::atomic<std::int64_t> seconds_off = 0;  // of this process's wall clock
}

// Replaces the C library's function, so that every reader of the wall clock in this process gets the one that was set.
extern "C" int clock_gettime(clockid_t which, timespec* out) noexcept {
  const auto failed = static_cast<int>(::syscall(SYS_clock_gettime, which, out));
  // Relaxed: it is set while no node runs.
  if (failed == 0 && which == CLOCK_REALTIME) out->tv_sec += seconds_off.load(std::memory_order_relaxed);
  return failed;
}

namespace durable_test {
namespace {

constexpr auto week = std::chrono::hours(24 * 7);

class AClockThatWasSet : public testing::Test {
 protected:
  void TearDown() override { set(0s); }
  static void set(std::chrono::seconds off) { seconds_off.store(off.count(), std::memory_order_relaxed); }

  std::unique_ptr<a_node> restarted() {
    auto node = std::make_unique<a_node>(sqlite_store(directory.file("timers")), book);
    node->on.declare("daily", detent::schedule::quartz("0 0 " + std::to_string(hour_of_day) + " * * ?"));
    return node;
  }
  static std::set<std::string> keys_in(a_node& node) {
    std::set<std::string> out;
    for (const listed& its : node.on.list({})) out.insert(its.key);
    return out;
  }
  std::size_t early() const {
    return static_cast<std::size_t>(
        std::ranges::count_if(book.lines(), [](const journal::line& its) { return its.started < its.due; }));
  }

  // An hour that does not come soon, at any time of day.
  const std::int64_t hour_of_day = (std::chrono::floor<std::chrono::hours>(now()).time_since_epoch().count() + 6) % 24;
  const temporary_directory directory;
  journal book;
};

TEST_F(AClockThatWasSet, ForwardRunsOnceWhatBecameDue) {
  {
    const auto node = restarted();
    for (int day = 0; day < 7; ++day)
      node->on.schedule_after(std::chrono::hours(24 * day + 1), "write", {}, {.key = "day " + std::to_string(day)});
    node->on.schedule_after(week + 1h, "write", {}, {.key = "beyond"});
    node->on.schedule_on("daily", "write", {}, {.key = "daily"});
    ASSERT_TRUE(node->on.flush(10s));
  }
  set(week);
  const auto node = restarted();
  node->on.start();
  ASSERT_TRUE(soon([&] { return keys_in(*node) == std::set<std::string>{"beyond", "daily"} && book.size() == 8; }));
  for (int day = 0; day < 7; ++day) EXPECT_EQ(book.runs_of("day " + std::to_string(day)), 1);
  EXPECT_EQ(book.runs_of("daily"), 1) << "one run stands for all that were missed";
  for (const listed& its : node->on.list({})) EXPECT_GT(its.due, now()) << its.key;
  EXPECT_EQ(early(), 0u);
}

TEST_F(AClockThatWasSet, BackRunsNothingEarlyAndLosesNothing) {
  {
    const auto node = restarted();
    node->on.start();
    node->on.schedule_after(0s, "write", {}, {.key = "before"});
    ASSERT_TRUE(soon([&] { return book.size() == 1 && keys_in(*node).empty(); }));
    for (int i = 0; i < 20; ++i) node->on.schedule_after(1h, "write", {});
    node->on.schedule_on("daily", "write", {}, {.key = "daily"});
    ASSERT_TRUE(node->on.flush(10s));
  }
  set(-week);
  {
    const auto node = restarted();
    node->on.start();
    node->on.schedule_after(0s, "write", {}, {.key = "meanwhile"});
    ASSERT_TRUE(soon([&] { return book.runs_of("meanwhile") == 1 && keys_in(*node).size() <= 21; }));
    EXPECT_EQ(keys_in(*node).size(), 21u);
    EXPECT_EQ(book.size(), 2u);
    const auto next_day = now() + 24h;
    EXPECT_TRUE(soon([&] {
      const auto all = node->on.list({});
      return std::ranges::any_of(all, [&](const listed& its) { return its.key == "daily" && its.due <= next_day; });
    })) << "a recurring timer follows the clock back";
  }
  set(2h);
  const auto node = restarted();
  node->on.start();
  ASSERT_TRUE(soon([&] { return keys_in(*node) == std::set<std::string>{"daily"}; }));
  std::set<std::string> ran;
  for (const journal::line& its : book.lines()) EXPECT_TRUE(ran.insert(its.key).second) << its.key << " ran twice";
  EXPECT_EQ(ran.size(), 23u);
  EXPECT_EQ(book.runs_of("daily"), 1) << "of the week that was skipped";
  EXPECT_EQ(early(), 0u);
}

}  // namespace
}  // namespace durable_test
