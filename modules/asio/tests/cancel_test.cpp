// SPDX-License-Identifier: MIT
// Per-operation cancellation of sleeps: before, at and after the deadline, and against the engine's end.
#include <detent/asio.hpp>
#include <detent/detent.hpp>

#include <gtest/gtest.h>
#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/bind_executor.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/strand.hpp>
#include <boost/asio/thread_pool.hpp>

#include <atomic>
#include <deque>
#include <optional>
#include <random>
#include <thread>

#include "support/drive_virtual.hpp"
#include "support/random_source.hpp"

namespace detent {
namespace {

using namespace std::chrono_literals;
using boost::asio::bind_cancellation_slot;
using boost::asio::bind_executor;
using boost::asio::cancellation_signal;
using boost::asio::cancellation_type;
using boost::asio::io_context;
using boost::system::error_code;
using drive::at;
namespace error = boost::asio::error;

class AsioCancel : public ::testing::Test {
 protected:
  auto handler() {
    return bind_cancellation_slot(signal_.slot(), bind_executor(context_, [this](error_code ec) {
                                    ++calls_;
                                    result_ = ec;
                                  }));
  }
  void run() {
    context_.restart();
    context_.run();
  }

  io_context context_;
  cancellation_signal signal_;
  int calls_ = 0;
  error_code result_;
  drive::virtual_engine rig_;
};

TEST_F(AsioCancel, BeforeTheDeadlineAbortsButNotInsideTheSignal) {
  async_sleep_for(rig_.engine, 10ns, handler());
  boost::asio::post(context_, [&] {  // where the handler might run at once
    signal_.emit(cancellation_type::terminal);
    EXPECT_EQ(calls_, 0);
    EXPECT_EQ(rig_.engine.pending(), 0u);
  });
  run();
  EXPECT_EQ(calls_, 1);
  EXPECT_EQ(result_, error::operation_aborted);
  EXPECT_EQ(rig_.poll_at(at(20)), 0u);
}

TEST_F(AsioCancel, TakesEachTypeOfCancellationAndNothingElse) {
  for (auto type : {cancellation_type::terminal, cancellation_type::partial, cancellation_type::total}) {
    async_sleep_for(rig_.engine, 10ns, handler());
    signal_.emit(cancellation_type::none);
    EXPECT_EQ(rig_.engine.pending(), 1u);
    signal_.emit(type);
    EXPECT_EQ(rig_.engine.pending(), 0u);
    run();
    EXPECT_EQ(result_, error::operation_aborted);
  }
  EXPECT_EQ(calls_, 3);
}

TEST_F(AsioCancel, AfterTheExpiryIsTooLateThoughTheHandlerStillWaits) {
  async_sleep_for(rig_.engine, 10ns, handler());
  rig_.poll_at(at(10));
  signal_.emit(cancellation_type::terminal);
  run();
  EXPECT_EQ(calls_, 1);
  EXPECT_FALSE(result_);
  signal_.emit(cancellation_type::terminal);
  EXPECT_EQ(calls_, 1);
}

TEST_F(AsioCancel, TwiceAbortsOnce) {
  async_sleep_for(rig_.engine, 10ns, handler());
  signal_.emit(cancellation_type::total);
  signal_.emit(cancellation_type::terminal);
  run();
  EXPECT_EQ(calls_, 1);
}

TEST_F(AsioCancel, FromAnEarlierOperationDoesNotReachALaterOneOfTheSlot) {
  async_sleep_for(rig_.engine, 10ns, handler());
  rig_.poll_at(at(10));
  run();
  async_sleep_until(rig_.engine, at(30), handler());
  rig_.poll_at(at(29));
  EXPECT_EQ(calls_, 1);
  rig_.poll_at(at(30));
  run();
  EXPECT_EQ(calls_, 2);
  EXPECT_FALSE(result_);
}

TEST_F(AsioCancel, OfARefusedSleepLeavesItsReason) {
  drive::virtual_engine full({.max_pending = 1});
  full.engine.schedule_at(at(1), [] {});
  async_sleep_for(full.engine, 10ns, handler());
  signal_.emit(cancellation_type::terminal);
  run();
  EXPECT_EQ(calls_, 1);
  EXPECT_EQ(result_, error::no_buffer_space);
}

// Emits on the strand on which the handler runs, at about the time when the sleep expires on the engine's thread.
TEST(AsioCancelRaces, EndEachSleepOnceByExpiryOrByCancellation) {
  test::random_source random(std::random_device{}());
  boost::asio::thread_pool pool(2);
  engine worker;
  std::atomic<int> expired{0}, aborted{0}, others{0};
  struct sleeper {
    explicit sleeper(boost::asio::thread_pool& on) : strand(boost::asio::make_strand(on)) {}
    boost::asio::strand<boost::asio::thread_pool::executor_type> strand;
    cancellation_signal signal;
    int calls = 0;
  };
  std::deque<sleeper> sleepers;
  for (int i = 0; i < 6000; ++i) {
    sleeper& mine = sleepers.emplace_back(pool);
    const duration nap(random.between(0, 40'000)), pause(random.between(0, 10'000));
    boost::asio::post(mine.strand, [&, nap] {
      async_sleep_for(worker, nap,
                      bind_cancellation_slot(mine.signal.slot(), bind_executor(mine.strand, [&](error_code ec) {
                                               ++mine.calls;
                                               ++(!ec ? expired : ec == error::operation_aborted ? aborted : others);
                                             })));
    });
    const time_point until = clock::now() + nap * 7 / 8 + pause;
    if (i % 2 == 0) {
      while (clock::now() < until) {
      }
    }
    boost::asio::post(mine.strand, [&] { mine.signal.emit(cancellation_type::total); });
  }
  pool.join();
  for (const sleeper& each : sleepers) EXPECT_EQ(each.calls, 1);
  EXPECT_EQ(expired + aborted, 6000);
  EXPECT_EQ(others, 0);
  RecordProperty("expired", expired);
  RecordProperty("aborted", aborted);
}

TEST(AsioCancelRaces, AgainstTheEnginesEndEndEachSleepOnce) {
  for (int round = 0; round < 300; ++round) {
    io_context context;
    std::optional<engine> worker(std::in_place, engine_options{.reserve = 1024});
    std::deque<cancellation_signal> signals(8);
    std::atomic<int> aborted{0};
    for (cancellation_signal& each : signals) {
      async_sleep_for(*worker, 1h, bind_cancellation_slot(each.slot(), bind_executor(context, [&](error_code ec) {
                                                            aborted += ec == error::operation_aborted ? 1 : 0;
                                                          })));
    }
    std::thread canceller([&] {
      for (cancellation_signal& each : signals) each.emit(cancellation_type::terminal);
    });
    worker.reset();
    canceller.join();
    context.run();
    EXPECT_EQ(aborted, 8);
  }
}

}  // namespace
}  // namespace detent
