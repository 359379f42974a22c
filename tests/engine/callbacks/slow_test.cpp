// SPDX-License-Identifier: MIT
// Callbacks that take engine_options::slow_threshold or longer are reported, with what they are.
#include <detent/detent.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "support/drive_eventually.hpp"
#include "support/drive_virtual.hpp"
#include "support/engine_executors.hpp"

namespace detent {
namespace {

using namespace std::chrono_literals;
using drive::at;
using drive::eventually;

class slow_log {
 public:
  engine_options options(duration threshold, bool origins = false) {
    engine_options made;
    made.slow_threshold = threshold;
    made.on_slow = [this](const slow_callback& one) {
      std::lock_guard lock(mutex_);
      reported_.emplace_back(one, std::this_thread::get_id());
    };
    made.capture_origin = origins;
    return made;
  }
  std::vector<std::pair<slow_callback, std::thread::id>> all() const {
    std::lock_guard lock(mutex_);
    return reported_;
  }
  slow_callback only() const {
    EXPECT_EQ(all().size(), 1u);
    return all().empty() ? slow_callback{} : all().front().first;
  }

 private:
  mutable std::mutex mutex_;
  std::vector<std::pair<slow_callback, std::thread::id>> reported_;
};

TEST(EngineSlowCallback, FromTheThresholdOn) {
  slow_log slow;
  drive::virtual_engine rig(slow.options(100ns));
  for (int took : {99, 100, 101}) {
    rig.engine.schedule_at(rig.clock.now(), [&rig, took] { rig.clock.advance(duration(took)); });
    rig.engine.poll();
  }
  ASSERT_EQ(slow.all().size(), 2u);
  EXPECT_EQ(slow.all()[0].first.took, 100ns);
  EXPECT_EQ(slow.all()[1].first.took, 101ns);
  EXPECT_EQ(slow.all()[1].first.label, label());
  EXPECT_EQ(slow.all()[1].first.file, nullptr);
  EXPECT_EQ(slow.all()[1].first.line, 0u);
  EXPECT_EQ(rig.engine.metrics().slow, 2u);
  EXPECT_EQ(rig.engine.metrics().callback.count(), 3u);
}

TEST(EngineSlowCallback, IsCountedWithoutAnOnSlow) {
  drive::virtual_engine rig({.slow_threshold = 100ns});
  rig.engine.schedule_at(at(10), [&] { rig.clock.advance(1us); });
  rig.poll_at(at(10));
  EXPECT_EQ(rig.engine.metrics().slow, 1u);
}

// So that it was reported before a wait for the end of the run returns.
TEST(EngineSlowCallback, IsReportedBeforeTheRunHasEnded) {
  std::vector<cancel_result> found;
  timer slow;
  drive::virtual_engine rig(
      {.slow_threshold = 100ns, .on_slow = [&](const slow_callback&) { found.push_back(slow.cancel()); }});
  slow = rig.engine.schedule_at(at(10), [&] { rig.clock.advance(1us); });
  rig.poll_at(at(10));
  slow = rig.engine.schedule_at_fixed_rate(1us, 1us, [&] { rig.clock.advance(1us); });
  rig.poll_at(at(5us));
  EXPECT_EQ(found, (std::vector<cancel_result>{cancel_result::running, cancel_result::running}));
}

TEST(EngineSlowCallback, IsNotTheDefault) {
  std::atomic<int> reported{0};
  drive::virtual_engine rig({.on_slow = [&](const slow_callback&) { ++reported; }});
  rig.engine.schedule_at(at(10), [&] { rig.clock.advance(24h * 365); });
  rig.poll_at(at(10));
  EXPECT_EQ(reported, 0);
  EXPECT_EQ(rig.engine.metrics().slow, 0u);
}

TEST(EngineSlowCallback, WhatIsThrownByTheReportGoesToOnError) {
  std::string failure;
  drive::virtual_engine rig({.on_error =
                                 [&](std::exception_ptr thrown) {
                                   try {
                                     std::rethrow_exception(thrown);
                                   } catch (const std::exception& one) {
                                     failure = one.what();
                                   }
                                 },
                             .slow_threshold = 1ns,
                             .on_slow = [](const slow_callback&) { throw std::runtime_error("reported too much"); }});
  rig.engine.schedule_at(at(10), [&] { rig.clock.advance(1us); });
  rig.engine.schedule_at(at(2us), [] {});
  rig.poll_at(at(10));
  rig.poll_at(at(2us));
  EXPECT_EQ(failure, "reported too much");
  EXPECT_EQ(rig.engine.metrics().fired, 2u);
  EXPECT_EQ(rig.engine.metrics().failed, 0u);
}

TEST(EngineSlowCallback, OnAnExecutorTheWaitForItDoesNotCount) {
  slow_log slow;
  auto held = std::make_shared<testing::holding_executor>();
  engine_options options = slow.options(100ns);
  options.executor = held;
  drive::virtual_engine rig(std::move(options));
  rig.engine.schedule_at(at(10), [] {});
  rig.engine.schedule_at(at(10), [&] { rig.clock.advance(100ns); });
  rig.poll_at(at(10));
  rig.clock.advance(1s);
  held->run_all();
  EXPECT_EQ(slow.only().took, 100ns);
  EXPECT_EQ(slow.only().deadline, at(10));
}

TEST(EngineSlowCallback, IsReportedOnTheThreadThatRanIt) {
  for (bool on_pool : {false, true}) {
    slow_log slow;
    engine_options options = slow.options(1ms, true);
    if (on_pool) options.executor = std::make_shared<thread_pool>(thread_pool_options{.threads = 2});
    engine e(std::move(options));
    const label mine = e.make_label("mine");
    constexpr std::size_t count = 6;
    std::mutex mutex;
    std::vector<std::thread::id> threads_ran, threads_reported;
    for (std::size_t i = 0; i < count; ++i) {
      e.schedule_after(0ns,
                       [&] {
                         const time_point began = clock::now();
                         while (clock::now() < began + 1ms) {
                         }
                         std::lock_guard lock(mutex);
                         threads_ran.push_back(std::this_thread::get_id());
                       },
                       {.label = mine});
    }
    ASSERT_TRUE(eventually([&] { return slow.all().size() >= count; }));
    EXPECT_GE(e.metrics().slow, count);
    for (const auto& [reported, thread] : slow.all()) {
      threads_reported.push_back(thread);
      EXPECT_GE(reported.took, 1ms);
      EXPECT_EQ(reported.label, mine);
      EXPECT_STREQ(reported.file, __FILE__);
    }
    std::sort(threads_ran.begin(), threads_ran.end());
    std::sort(threads_reported.begin(), threads_reported.end());
    EXPECT_EQ(threads_ran, threads_reported);
  }
}

}  // namespace
}  // namespace detent
