// SPDX-License-Identifier: MIT
// Callbacks on executors of Boost.Asio.
#include <detent/asio.hpp>
#include <detent/detent.hpp>

#include <gtest/gtest.h>
#include <boost/asio/io_context.hpp>
#include <boost/asio/strand.hpp>
#include <boost/asio/system_executor.hpp>
#include <boost/asio/thread_pool.hpp>

#include <algorithm>
#include <atomic>
#include <memory>
#include <new>
#include <numeric>
#include <thread>
#include <utility>
#include <vector>

#include "support/drive_eventually.hpp"
#include "support/drive_virtual.hpp"
#include "support/fired_timers.hpp"

namespace detent {

// An executor that has memory for only that many handlers.
struct limited_executor {
  std::size_t* left;
  boost::asio::io_context::executor_type to;

  boost::asio::io_context& query(boost::asio::execution::context_t) const noexcept { return to.context(); }
  static constexpr auto query(boost::asio::execution::blocking_t) noexcept {
    return boost::asio::execution::blocking.never;
  }
  limited_executor require(boost::asio::execution::blocking_t::never_t) const noexcept { return *this; }
  template <class F>
  void execute(F&& f) const {
    if (*left == 0) throw std::bad_alloc();
    --*left;
    boost::asio::post(to, std::forward<F>(f));
  }
  friend bool operator==(const limited_executor& a, const limited_executor& b) noexcept { return a.to == b.to; }
};

namespace {

using namespace std::chrono_literals;
using boost::asio::io_context;
using drive::at;
using drive::eventually;
using drive::ids;

class AsioExecutor : public ::testing::Test {
 protected:
  io_context context_;
  std::size_t run() {
    context_.restart();
    return context_.run();
  }
};

TEST_F(AsioExecutor, RunsCallbacksOnTheThreadThatRunsTheContextInDeadlineOrder) {
  drive::virtual_engine rig({.executor = asio_executor(context_.get_executor())});
  for (int id : {3, 1, 2}) {
    rig.engine.schedule_at(at(id), [&rig, id, me = std::this_thread::get_id()] {
      EXPECT_NE(std::this_thread::get_id(), me);
      rig.fired.push_back(id);
    });
  }
  rig.poll_at(at(10));
  EXPECT_EQ(rig.fired, ids{});
  std::thread([&] { EXPECT_EQ(run(), 3u); }).join();
  EXPECT_EQ(rig.fired, (ids{1, 2, 3}));
}

TEST_F(AsioExecutor, NeverRunsACallbackInsideTheHandOver) {
  drive::virtual_engine rig({.executor = asio_executor(context_.get_executor())});
  bool inside = true;
  rig.engine.schedule_at(at(1), [&] { EXPECT_FALSE(inside); });
  boost::asio::post(context_, [&] {  // on the context's own thread, where a dispatch would run it at once
    rig.poll_at(at(10));
    inside = false;
  });
  EXPECT_EQ(run(), 2u);
}

TEST_F(AsioExecutor, LeavesATimerCancellableUntilItsTurn) {
  drive::virtual_engine rig({.executor = asio_executor(context_.get_executor())});
  timer waiting = rig.engine.schedule_at(at(1), rig.note(1));
  rig.poll_at(at(1));
  EXPECT_EQ(waiting.cancel(), cancel_result::cancelled);
  run();
  EXPECT_EQ(rig.fired, ids{});
}

TEST_F(AsioExecutor, PostsABatchAsOneWhereAsked) {
  for (auto [at_once, handlers] : {std::pair{1, 100}, {100, 1}, {64, 2}, {0, 100}}) {
    ids ran, expected(100);
    std::iota(expected.begin(), expected.end(), 0);
    testing::fired_timers due(100, [&](int id) { ran.push_back(id); });
    auto posting = asio_executor(context_.get_executor(), static_cast<std::size_t>(at_once));
    EXPECT_EQ(posting->execute_many(due.work), 100u);
    EXPECT_EQ(run(), static_cast<std::size_t>(handlers)) << "up to " << at_once << " at once";
    EXPECT_EQ(ran, expected);
  }
}

TEST_F(AsioExecutor, DropsAndCountsWhatItsContextTakesAlongUnrun) {
  auto context = std::make_unique<io_context>();
  drive::virtual_engine rig({.executor = asio_executor(context->get_executor(), 8)});
  for (int id = 0; id < 20; ++id) rig.engine.schedule_at(at(1), rig.note(id));
  rig.poll_at(at(1));
  context.reset();
  EXPECT_EQ(rig.fired, ids{});
  EXPECT_EQ(rig.engine.metrics().dropped, 20u);
  EXPECT_EQ(rig.engine.pending(), 0u);
}

TEST_F(AsioExecutor, LeavesUntouchedWhatItCannotPost) {
  for (std::size_t at_once : {1u, 4u}) {
    ids ran;
    testing::fired_timers due(12, [&](int id) { ran.push_back(id); });
    std::size_t left = 0;
    auto posting = asio_executor(limited_executor{&left, context_.get_executor()}, at_once);
    EXPECT_EQ(posting->execute_many(due.work), 0u);
    EXPECT_EQ(run(), 0u);
    for (fired_timer& each : due.work) each();
    EXPECT_EQ(ran, (ids{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}));
  }
}

TEST_F(AsioExecutor, RunsTogetherWhatItCannotPostOneByOne) {
  ids ran;
  testing::fired_timers due(12, [&](int id) { ran.push_back(id); });
  std::size_t left = 3;
  auto posting = asio_executor(limited_executor{&left, context_.get_executor()});
  EXPECT_EQ(posting->execute_many(due.work), 12u);
  EXPECT_EQ(run(), 3u);
  EXPECT_EQ(ran, (ids{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}));
}

TEST_F(AsioExecutor, PostsAgainInOrderWhatItCouldNotPostAndRunsNothingOnTheEnginesThread) {
  std::size_t left = 0;
  drive::virtual_engine rig({.executor = asio_executor(limited_executor{&left, context_.get_executor()}),
                             .on_refusal = refusal_policy::run_inline});
  for (int id = 0; id < 2; ++id) rig.engine.schedule_at(at(1), rig.note(id));
  rig.poll_at(at(1));
  EXPECT_EQ(rig.fired, ids{});
  EXPECT_EQ(rig.engine.metrics().refused, 1u) << "the second waits behind the first";
  left = 3;
  rig.engine.schedule_at(at(2), rig.note(2));
  rig.poll_at(at(2'000'000));
  EXPECT_EQ(rig.fired, ids{});
  run();
  EXPECT_EQ(rig.fired, (ids{0, 1, 2}));
}

TEST_F(AsioExecutor, DropsWhatItCannotPostIfThePolicySaysSo) {
  std::size_t left = 0;
  drive::virtual_engine rig({.executor = asio_executor(limited_executor{&left, context_.get_executor()}),
                             .on_refusal = refusal_policy::drop});
  rig.engine.schedule_at(at(1), rig.note(0));
  rig.poll_at(at(1));
  EXPECT_EQ(rig.engine.metrics().dropped, 1u);
  EXPECT_EQ(rig.engine.pending(), 0u);
}

TEST_F(AsioExecutor, GoesOnAfterItsContextHasStoppedInBetween) {
  drive::virtual_engine rig({.executor = asio_executor(context_.get_executor())});
  for (int id = 0; id < 3; ++id) {
    rig.engine.schedule_at(at(1), [&, id] {
      rig.fired.push_back(id);
      context_.stop();
    });
  }
  rig.poll_at(at(1));
  for (std::size_t i = 1; i <= 3; ++i) {
    EXPECT_EQ(run(), 1u);  // each callback is a handler of its own
    EXPECT_EQ(rig.fired.size(), i);
  }
}

TEST(AsioExecutorThreads, OfAStrandRunsOneCallbackAtATimeAndInOrder) {
  boost::asio::thread_pool pool(3);
  engine worker({.executor = asio_executor(boost::asio::make_strand(pool))});
  std::vector<int> plain;  // a race, if two callbacks ran at once
  std::atomic<int> done{0};
  const time_point due = clock::now() + 5ms;
  for (int id = 0; id < 2000; ++id) {
    worker.schedule_at(due + id * 1us, [&, id] {
      plain.push_back(id);
      ++done;
    });
  }
  EXPECT_TRUE(eventually([&] { return done == 2000; }));
  worker.stop();
  EXPECT_TRUE(std::is_sorted(plain.begin(), plain.end()));
  pool.join();
}

TEST(AsioExecutorThreads, RunsCallbacksBesideEachOther) {
  boost::asio::thread_pool pool(2);
  engine worker({.executor = asio_executor(pool.get_executor())});
  std::atomic<int> met{0};
  const auto meet = [&] {
    ++met;
    EXPECT_TRUE(eventually([&] { return met == 2; }));
  };
  const time_point due = clock::now() + 1ms;
  for (int i = 0; i < 2; ++i) worker.schedule_at(due, meet);
  EXPECT_TRUE(eventually([&] { return met == 2; }));
  worker.stop();
  pool.join();
}

}  // namespace
}  // namespace detent
