// SPDX-License-Identifier: MIT
// Sleeps and the contexts on which they complete: which executors they wait for, order, exceptions, and a context that
// ends before its engine; compiled for each Asio.
#include <detent/detent.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <latch>
#include <memory>
#include <optional>
#include <stdexcept>
#include <thread>
#include <vector>

#include "asio_library.hpp"
#include "support/drive_eventually.hpp"
#include "support/drive_virtual.hpp"
#include "support/engine_executors.hpp"

namespace detent {
namespace {

using namespace std::chrono_literals;
using drive::at;
using drive::eventually;
using net::io_context;

TEST(AsioSleepContext, WaitsForNoExecutorOfTheEngine) {
  auto busy = std::make_shared<testing::holding_executor>();
  drive::virtual_engine rig({.executor = busy});
  io_context context;
  int slept = 0;
  async_sleep_for(rig.engine, 10ns, net::bind_executor(context, [&](error_code ec) { slept += ec ? 0 : 1; }));
  rig.engine.schedule_at(at(10), [] {});
  rig.poll_at(at(10));
  EXPECT_EQ(busy->held.size(), 1u);
  context.run();
  EXPECT_EQ(slept, 1);
  busy->held.clear();
}

TEST(AsioSleepContext, RunsNoHandlerInsideTheEnginesCallbacks) {
  io_context context;
  auto strand = net::make_strand(context);
  std::optional<engine> worker(std::in_place, engine_options{.executor = asio_executor(strand)});
  failure refused;
  async_sleep_for(*worker, 1ms, net::bind_executor(strand, [&](error_code) { worker->try_stop(refused); }));
  context.run();
  EXPECT_TRUE(worker->stopped());
  EXPECT_FALSE(refused) << refused.message();
}

TEST(AsioSleepContext, LetsAHandlersExceptionLeaveRunAndGoesOn) {
  io_context context;
  drive::virtual_engine rig;
  int called = 0;
  auto throwing = [&](error_code) {
    ++called;
    throw std::runtime_error("a handler's");
  };
  async_sleep_for(rig.engine, 1ns, net::bind_executor(context, throwing));
  rig.poll_at(at(1));
  EXPECT_THROW(context.run(), std::runtime_error);
  for (int i = 0; i < 3; ++i) async_sleep_for(rig.engine, 1ns, net::bind_executor(context, throwing));
  rig.poll_at(at(2));
  context.restart();
  for (int i = 0; i < 3; ++i) EXPECT_THROW(context.run(), std::runtime_error);
  EXPECT_EQ(called, 4);
}

TEST(AsioSleepContext, CompletesInTheOrderOfDeadlines) {
  io_context context;
  net::any_io_executor any = context.get_executor();
  drive::virtual_engine rig;
  std::vector<int> order;
  for (int i = 0; i < 300; ++i) {
    auto note = [&order, i](error_code) { order.push_back(i); };
    i % 2 == 0 ? async_sleep_for(rig.engine, duration(1 + i), net::bind_executor(context, note))
               : async_sleep_for(rig.engine, duration(1 + i), net::bind_executor(any, note));
  }
  rig.poll_at(at(1000));
  context.run();
  ASSERT_EQ(order.size(), 300u);
  EXPECT_TRUE(std::is_sorted(order.begin(), order.end()));
}

TEST(AsioSleepContext, RunsOneHandlerForEachRunOne) {
  io_context context;
  drive::virtual_engine rig;
  int called = 0;
  for (int i = 0; i < 10; ++i)
    async_sleep_for(rig.engine, 1ns, net::bind_executor(context, [&](error_code) { ++called; }));
  rig.poll_at(at(1));
  for (int i = 0; i < 10; ++i) {
    while (called == i) context.run_one();
    EXPECT_EQ(called, i + 1);
  }
}

TEST(AsioSleepContext, LosesNothingWhenTheContextIsStopped) {
  io_context context;
  drive::virtual_engine rig;
  int called = 0;
  for (int i = 0; i < 10; ++i) {
    async_sleep_for(rig.engine, 1ns, net::bind_executor(context, [&](error_code) {
                      if (++called == 5) context.stop();
                    }));
  }
  rig.poll_at(at(1));
  context.run();
  EXPECT_EQ(called, 5);
  context.restart();
  context.run();
  EXPECT_EQ(called, 10);
}

TEST(AsioSleepContext, HoldsUpNoOtherThreadOfAPool) {
  net::thread_pool pool(2);
  engine worker;
  std::latch both(2);  // each handler waits for the other
  for (int i = 0; i < 2; ++i)
    async_sleep_until(worker, clock::now() + 1ms,
                      net::bind_executor(pool, [&](error_code) { both.arrive_and_wait(); }));
  pool.join();
  EXPECT_TRUE(both.try_wait());
}

TEST(AsioSleepContext, TakesEachUsualExecutor) {
  io_context context;
  net::thread_pool pool(1);
  drive::virtual_engine rig;
  std::atomic<int> inside{0};
  const auto sleep_on = [&](auto ex) {
    async_sleep_for(rig.engine, 1ns, net::bind_executor(ex, [&, ex](error_code ec) {
                      if constexpr (requires { ex.running_in_this_thread(); }) {
                        if (!ex.running_in_this_thread()) return;
                      }
                      inside += ec ? 0 : 1;
                    }));
  };
  sleep_on(context.get_executor());
  sleep_on(net::any_io_executor(context.get_executor()));
  sleep_on(net::make_strand(context));
  sleep_on(net::make_strand(net::any_io_executor(context.get_executor())));
  sleep_on(net::any_io_executor(net::make_strand(context)));
  sleep_on(net::any_io_executor(net::make_strand(net::any_io_executor(context.get_executor()))));
  sleep_on(net::prefer(context.get_executor(), net::execution::outstanding_work.tracked));
  sleep_on(pool.get_executor());
  sleep_on(net::any_io_executor(pool.get_executor()));
  sleep_on(net::make_strand(pool));
  sleep_on(net::any_io_executor(net::system_executor()));
  rig.poll_at(at(1));
  context.run();
  pool.join();
  EXPECT_TRUE(eventually([&] { return inside.load() == 11; }));
}

// --- the context ends first

// A handler that is not called, but counted when it is destroyed.
class counted_end {
 public:
  explicit counted_end(int& ends) : end_(&ends, [](int* counted) { ++*counted; }) {}
  void operator()(error_code) { ADD_FAILURE() << "called"; }

 private:
  std::shared_ptr<int> end_;
};

TEST(AsioSleepContext, ThatEndsFirstTakesItsSleepsAlong) {
  drive::virtual_engine rig;
  int ends = 0;
  {
    io_context context;
    auto strand = net::make_strand(context);
    async_sleep_for(rig.engine, 10ns, net::bind_executor(context, counted_end(ends)));
    async_sleep_for(rig.engine, 10ns, net::bind_executor(strand, counted_end(ends)));
    async_sleep_for(rig.engine, 1ns, net::bind_executor(context, counted_end(ends)));
    async_sleep_for(rig.engine, 1ns, net::bind_executor(strand, counted_end(ends)));
    rig.poll_at(at(1));
    EXPECT_EQ(ends, 0);
  }
  EXPECT_EQ(ends, 4);
  EXPECT_EQ(rig.engine.pending(), 0u);
  rig.poll_at(at(20));
}

TEST(AsioSleepContext, ThatEndsFirstTakesAlongWhatStopReturned) {
  drive::virtual_engine rig;
  std::vector<unfired_timer> rest;
  int ends = 0;
  {
    io_context context;
    for (int i = 0; i < 2; ++i) async_sleep_for(rig.engine, 1h, net::bind_executor(context, counted_end(ends)));
    rest = rig.engine.stop();
    ASSERT_EQ(rest.size(), 2u);
  }
  EXPECT_EQ(ends, 2);
  rest.front().run();
}

TEST(AsioSleepContext, ThatEndsFirstFindsTheEngineAtWork) {
  engine worker;
  for (int round = 0; round < 300; ++round) {
    int ends = 0, called = 0;
    {
      io_context context;
      for (int i = 0; i < 20; ++i) {
        async_sleep_for(worker, i * 2us,
                        net::bind_executor(context, [&, end = counted_end(ends)](error_code) { ++called; }));
      }
      context.poll();
    }
    EXPECT_EQ(ends, 20);
    EXPECT_LE(called, 20);
  }
}

TEST(AsioSleepContext, ThatEndsFirstOnAnotherThreadThanTheEngineEachEndsOnce) {
  for (int round = 0; round < 200; ++round) {
    std::optional<engine> worker(std::in_place, engine_options{.reserve = 1024});
    std::optional<io_context> context(std::in_place);
    int ends = 0;
    for (int i = 0; i < 20; ++i) async_sleep_for(*worker, 1h, net::bind_executor(*context, counted_end(ends)));
    std::thread ender([&] { worker.reset(); });
    context.reset();
    ender.join();
    EXPECT_EQ(ends, 20);
  }
}

}  // namespace
}  // namespace detent
