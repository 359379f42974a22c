// SPDX-License-Identifier: MIT
// Callbacks that end their thread by pthread_exit(), and threads that are cancelled inside of calls of an engine.
#include <detent/detent.h>
#include <detent/detent.hpp>

#include <gtest/gtest.h>
#include <poll.h>
#include <pthread.h>
#include <unistd.h>
#include <csignal>

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <utility>

#include "support/engine_executors.hpp"

namespace detent {
namespace {

using namespace std::chrono_literals;

// Runs `body` on a thread of its own, which it may end. False: it has returned.
bool is_ended_by(std::function<void()> body) {
  const auto run = [](void* of) -> void* {
    (*static_cast<std::function<void()>*>(of))();
    return of;
  };
  pthread_t thread;
  void* result = nullptr;
  EXPECT_EQ(pthread_create(&thread, nullptr, run, &body), 0);
  pthread_join(thread, &result);
  return result != &body;
}

class EndedInACallback : public ::testing::Test {
 protected:
  manual_clock clock_;
  engine e_{{.manual = &clock_}};
};

TEST_F(EndedInACallback, PollPassesItOnAndTheTimerIsDone) {
  const auto held = std::make_shared<int>();
  timer ends = e_.schedule_after(0ns, [held] { pthread_exit(nullptr); });
  int others = 0;
  e_.schedule_after(0ns, [&] { ++others; });
  EXPECT_TRUE(is_ended_by([&] { e_.poll(); }));
  EXPECT_EQ(held.use_count(), 1);
  EXPECT_FALSE(ends.pending());
  EXPECT_EQ(ends.cancel_and_wait(), cancel_result::gone);  // and it does not wait
  EXPECT_EQ(e_.metrics().expired, 1u);
  EXPECT_EQ(e_.metrics().lateness.count(), 1u);
  EXPECT_EQ(e_.metrics().failed, 0u);
  EXPECT_EQ(e_.poll(), 1u);  // by this thread: the rest of that pass
  EXPECT_EQ(others, 1);
  EXPECT_TRUE(e_.stop().empty());
}

TEST_F(EndedInACallback, APeriodicTimerAndAGroupGoOn) {
  timer_group group(e_);
  int runs = 0, members = 0;
  e_.schedule_at_fixed_rate(1s, 1s, [&] {
    if (++runs == 1) pthread_exit(nullptr);
  });
  group.schedule_at_fixed_rate(1s, 1s, [&] {
    if (++members == 1) pthread_exit(nullptr);
  });
  clock_.advance(1s);
  EXPECT_TRUE(is_ended_by([&] { e_.poll(); }));
  EXPECT_TRUE(is_ended_by([&] { e_.poll(); }));
  clock_.advance(1s);
  EXPECT_EQ(e_.poll(), 2u);
  EXPECT_EQ(runs, 2);
  EXPECT_EQ(members, 2);
  group.cancel_all_and_wait();  // no member counts as running
  e_.poll();
  EXPECT_EQ(e_.pending(), 1u);
}

TEST_F(EndedInACallback, WhatItReArmedComesAgain) {
  int runs = 0;
  e_.schedule_after(1s, [&](firing& now) {
    if (++runs != 1) return;
    now.rearm_after(1s);
    pthread_exit(nullptr);
  });
  clock_.advance(1s);
  EXPECT_TRUE(is_ended_by([&] { e_.poll(); }));
  clock_.advance(1s);
  EXPECT_EQ(e_.poll(), 1u);
  EXPECT_EQ(runs, 2);
}

TEST_F(EndedInACallback, WithCountsOfRunsLabelsAndThresholds) {
  engine counted({.manual = &clock_, .slow_threshold = 1h});
  const label name = counted.make_label("ends");
  counted.schedule_after(0ns, [] { pthread_exit(nullptr); }, {.label = name});
  EXPECT_TRUE(is_ended_by([&] { counted.poll(); }));
  EXPECT_EQ(counted.metrics(name).expired, 1u);
  EXPECT_EQ(counted.metrics(name).fired, 1u);
  EXPECT_EQ(counted.pending(), 0u);
}

TEST_F(EndedInACallback, RunUntilPassesItOn) {
  e_.schedule_after(1s, [] { pthread_exit(nullptr); });
  int later = 0;
  e_.schedule_after(2s, [&] { ++later; });
  engine* const all[] = {&e_};
  EXPECT_TRUE(is_ended_by([&] { clock_.run_for(3s, all); }));
  clock_.run_for(3s, all);
  EXPECT_EQ(later, 1);
}

TEST_F(EndedInACallback, ItMayHaveDestroyedItsEngine) {
  auto own = std::make_unique<engine>(engine_options{.manual = &clock_});
  own->schedule_after(0ns, [&] {
    own.reset();
    pthread_exit(nullptr);
  });
  EXPECT_TRUE(is_ended_by([&] { own->poll(); }));
}

TEST_F(EndedInACallback, TheWakeDescriptorBringsTheNextThread) {
  engine real({.drive = drive_kind::caller});
  const int fd = real.wake_fd();
  int ran = 0;
  const time_point due = real.now();
  real.schedule_at(due, [] { pthread_exit(nullptr); });
  real.schedule_at(due, [&] { ++ran; });
  EXPECT_TRUE(is_ended_by([&] { real.poll(); }));
  pollfd asked{.fd = fd, .events = POLLIN, .revents = 0};
  EXPECT_EQ(::poll(&asked, 1, 0), 1);
  EXPECT_EQ(real.poll(), 1u);
}

TEST_F(EndedInACallback, DetentPollPassesItOn) {
  detent_options options;
  detent_options_init(&options);
  options.drive = DETENT_DRIVE_CALLER;
  detent_engine* const c = detent_engine_create(&options, nullptr, 0);
  ASSERT_NE(c, nullptr);
  detent_schedule_after(
      c, 0, [](void*) { pthread_exit(nullptr); }, nullptr);
  EXPECT_TRUE(is_ended_by([&] { detent_poll(c, SIZE_MAX); }));
  EXPECT_EQ(detent_pending(c), 0u);
  EXPECT_EQ(detent_poll(c, SIZE_MAX), 0u);
  detent_engine_destroy(c);
}

// Cancels the calling thread. It has its effect in the next call that the C library calls a cancellation point.
void cancel_me() { pthread_cancel(pthread_self()); }
void cancellation_point() { pthread_testcancel(); }

TEST_F(EndedInACallback, ACancelInsidePollTakesEffectInTheCallback) {
  e_.schedule_after(0ns, [] {
    cancel_me();
    cancellation_point();
  });
  EXPECT_TRUE(is_ended_by([&] { e_.poll(); }));
  EXPECT_EQ(e_.pending(), 0u);
  EXPECT_EQ(e_.poll(), 0u);
}

// A cancel that is pending finds no cancellation point in `call`: the thread ends after it.
void expect_done_before_the_end(std::function<void()> call) {
  bool done = false;
  EXPECT_TRUE(is_ended_by([&] {
    cancel_me();
    call();
    done = true;
    cancellation_point();
  }));
  EXPECT_TRUE(done);
}

TEST_F(EndedInACallback, ACancelWaitsForTheEndOfCreationStopAndDestruction) {
  std::optional<engine> own;
  expect_done_before_the_end([&] { own.emplace(); });
  timer far = own->schedule_after(1h, [] {});
  expect_done_before_the_end([&] { own->schedule_after(0ns, [] {}); });
  expect_done_before_the_end([&] { far.cancel_and_wait(); });
  expect_done_before_the_end([&] { own->drain_for(1ms); });
  expect_done_before_the_end([&] { own.reset(); });
}

TEST_F(EndedInACallback, ACancelWaitsForTheEndOfPools) {
  std::shared_ptr<thread_pool> pool;
  std::shared_ptr<keyed_pool> keyed;
  expect_done_before_the_end([&] { pool = std::make_shared<thread_pool>(thread_pool_options{}); });
  expect_done_before_the_end([&] { keyed = std::make_shared<keyed_pool>(keyed_pool_options{}); });
  expect_done_before_the_end([&] { pool.reset(); });
  expect_done_before_the_end([&] { keyed.reset(); });
}

// In poll(), whose thread may not end inside an executor: execute() is noexcept.
TEST_F(EndedInACallback, ACancelWaitsWhereExecutorsRun) {
  engine handing({.manual = &clock_, .executor = std::make_shared<testing::moody_executor>()});
  handing.schedule_after(0ns, [] {
    cancel_me();
    cancellation_point();
  });
  bool done = false;
  EXPECT_TRUE(is_ended_by([&] {
    EXPECT_EQ(handing.poll(), 1u);
    done = true;
    cancellation_point();
  }));
  EXPECT_TRUE(done);
}

TEST_F(EndedInACallback, ACancelWaitsForTheEndOfHandlers) {
  engine reports({.manual = &clock_, .on_error = [](const std::exception_ptr&) {
                    cancel_me();
                    cancellation_point();
                  }});
  reports.schedule_after(0ns, [] { throw std::runtime_error("wrong"); });
  expect_done_before_the_end([&] { EXPECT_EQ(reports.poll(), 1u); });
  EXPECT_EQ(reports.pending(), 0u);
}

template <class MakeOptions>
void run_a_callback_that_ends_its_thread(MakeOptions&& make_options) {
  engine_options options = make_options();
  options.name = "orders";
  engine e(std::move(options));
  e.schedule_after(0ns, [] { pthread_exit(nullptr); });
  if (e.worker_thread_id() == 0) e.poll();
  sleep(10);  // it does not come to its end
}

// The options are made in the process that is to die, as a pool has threads.
template <class MakeOptions>
void expect_refused(MakeOptions&& make_options, const char* line) {
  EXPECT_EXIT(run_a_callback_that_ends_its_thread(make_options), ::testing::KilledBySignal(SIGABRT), line);
}

TEST(EndedInACallbackDeathTest, OfAWorkerEndsTheProcessAndSaysSo) {
  expect_refused([] { return engine_options(); },
                 "^detent: engine \"orders\": a callback ended its thread, .*no other worker; let the callback return");
}

TEST(EndedInACallbackDeathTest, OfAnExecutorEndsTheProcessAndSaysSo) {
  const char* const line = "^detent: engine \"orders\": a callback ended its thread, .*belongs to an executor; let";
  manual_clock clock;
  expect_refused([] { return engine_options{.executor = std::make_shared<thread_pool>(thread_pool_options{})}; }, line);
  expect_refused([] { return engine_options{.executor = std::make_shared<keyed_pool>(keyed_pool_options{})}; }, line);
  expect_refused(
      [&clock] { return engine_options{.manual = &clock, .executor = std::make_shared<testing::moody_executor>()}; },
      line);
}

void run_a_handler_that_ends_its_thread() {
  manual_clock clock;
  engine e({.manual = &clock, .on_error = [](const std::exception_ptr&) { pthread_exit(nullptr); }});
  e.schedule_after(0ns, [] { throw std::runtime_error("wrong"); });
  e.poll();
}

TEST(EndedInACallbackDeathTest, OfAHandlerEndsTheProcessAndSaysSo) {
  EXPECT_EXIT(run_a_handler_that_ends_its_thread(), ::testing::KilledBySignal(SIGABRT),
              "^detent: engine \"detent\": engine_options::on_error ended its thread, .*: let it return");
}

}  // namespace
}  // namespace detent
