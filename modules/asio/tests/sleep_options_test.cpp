// SPDX-License-Identifier: MIT
// Sleeps with timer_options, as members of a group, without a token, and of an I/O object; compiled for each Asio.
#include <detent/detent.hpp>

#include <gtest/gtest.h>

#include <functional>
#include <future>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "asio_library.hpp"
#include "support/drive_virtual.hpp"
#include "support/engine_executors.hpp"

namespace detent {
namespace {

using namespace std::chrono_literals;
using drive::at;
using net::io_context;

class AsioSleepOptions : public ::testing::Test {
 protected:
  auto handler() {
    return net::bind_executor(context_, [this](error_code ec) { results_.push_back(ec); });
  }
  void run() {
    context_.restart();
    context_.run();
  }
  // Returns the message of the error that the call throws.
  template <class Call>
  std::string refusal(Call&& call) {
    try {
      call();
    } catch (const detent::error& refused) {
      EXPECT_EQ(refused.code(), errc::invalid_option);
      return refused.what();
    }
    return "nothing";
  }

  io_context context_;
  drive::virtual_engine rig_;
  std::vector<error_code> results_;
};

TEST_F(AsioSleepOptions, ReachTheTimer) {
  const label sleeps = rig_.engine.make_label("sleeps");
  async_sleep_for(rig_.engine, 10ns, {.label = sleeps, .tag = 7}, handler());
  async_sleep_until(rig_.engine, at(10), {.label = sleeps, .tag = 7}, handler());
  std::vector<pending_timer> pending = rig_.engine.list_pending();
  ASSERT_EQ(pending.size(), 2u);
  for (const pending_timer& each : pending) {
    EXPECT_EQ(each.tag, 7u);
    EXPECT_EQ(each.deadline, at(10));
  }
  rig_.poll_at(at(10));
  EXPECT_EQ(rig_.engine.metrics(sleeps).fired, 2u);
  run();
  EXPECT_EQ(results_, std::vector<error_code>(2));
}

TEST_F(AsioSleepOptions, NameAnExecutorThatTheSleepDoesNotWaitFor) {
  auto busy = std::make_shared<testing::holding_executor>();
  drive::virtual_engine other({.executor = busy});
  async_sleep_for(other.engine, 10ns, {.executor = busy.get()}, handler());
  other.poll_at(at(10));
  run();
  EXPECT_EQ(results_, std::vector<error_code>(1));
}

TEST_F(AsioSleepOptions, AbortASleepThatTheyHaveDroppedAsStale) {
  async_sleep_for(rig_.engine, 10ns, {.max_lateness = 5ns}, handler());
  rig_.poll_at(at(20));
  run();
  ASSERT_EQ(results_.size(), 1u);
  EXPECT_EQ(results_[0], net::error::operation_aborted);
}

TEST_F(AsioSleepOptions, ThatAreImpossibleAreNamedAndNothingIsArmed) {
  drive::virtual_engine other;
  testing::holding_executor foreign;
  const label foreign_label = other.engine.make_label("foreign");
  engine& on = rig_.engine;
  EXPECT_NE(refusal([&] { async_sleep_for(on, 1ns, {.lane = 4}, handler()); }).find("lane = 4"), std::string::npos);
  EXPECT_NE(refusal([&] { async_sleep_until(on, at(1), {.slack = -1ns}, handler()); }).find("slack = -1"),
            std::string::npos);
  EXPECT_NE(refusal([&] { async_sleep_for(on, 1ns, {.label = foreign_label}, handler()); }).find("label = \"foreign\""),
            std::string::npos);
  EXPECT_NE(refusal([&] { async_sleep_for(on, 1ns, {.executor = &foreign}, handler()); }).find("executor"),
            std::string::npos);
  EXPECT_NE(refusal([&] { sleeper(on, context_).async_sleep_for(1ns, {.lane = 4}, handler()); }).find("lane = 4"),
            std::string::npos);
  EXPECT_NE(refusal([&] { async_sleep_for(on, 1ns, std::function<void(error_code)>()); }).find("null"),
            std::string::npos);
  EXPECT_EQ(on.pending(), 0u);
  EXPECT_EQ(context_.run(), 0u);
}

TEST_F(AsioSleepOptions, ANegativeDelayIsNoneAndAHugeOneNeverEnds) {
  async_sleep_for(rig_.engine, -1h, handler());
  async_sleep_for(rig_.engine, (duration::min)(), handler());
  async_sleep_for(rig_.engine, (std::chrono::hours::min)(), handler());
  async_sleep_for(rig_.engine, (duration::max)(), handler());
  async_sleep_for(rig_.engine, (std::chrono::hours::max)(), handler());
  sleeper(rig_.engine, context_).async_sleep_for((std::chrono::hours::max)(), handler());
  async_sleep_until(rig_.engine, (std::chrono::time_point<clock, std::chrono::hours>::max)(), handler());
  rig_.poll_at(at(0));
  context_.poll();
  EXPECT_EQ(results_, std::vector<error_code>(3));
  rig_.poll_at(at(24h * 365 * 100));
  context_.poll();
  EXPECT_EQ(results_.size(), 3u);
  EXPECT_EQ(rig_.engine.pending(), 4u);
}

TEST_F(AsioSleepOptions, AMemberOfAGroupIsPausedAndCancelledWithIt) {
  timer_group group(rig_.engine);
  async_sleep_for(group, 10ns, handler());
  async_sleep_until(group, at(30), {.tag = 1}, handler());
  EXPECT_EQ(group.pending(), 2u);
  group.pause();
  rig_.poll_at(at(20));
  context_.poll();
  EXPECT_TRUE(results_.empty());
  group.resume();
  rig_.poll_all_at(at(30));
  context_.poll();
  ASSERT_EQ(results_.size(), 1u);
  EXPECT_FALSE(results_[0]);
  group.cancel_all();
  rig_.poll_all_at(at(31));
  run();
  ASSERT_EQ(results_.size(), 2u);
  EXPECT_EQ(results_[1], net::error::operation_aborted);
}

TEST_F(AsioSleepOptions, AGroupThatHasEndedIsLikeAnEngineThatHas) {
  std::optional<timer_group> group(std::in_place, rig_.engine);
  sleeper of_the_group(*group, context_);
  group.reset();
  of_the_group.async_sleep_for(1ns, handler());
  run();
  ASSERT_EQ(results_.size(), 1u);
  EXPECT_EQ(results_[0], net::error::operation_aborted);
}

// A template, because names that an Asio without a default token lacks must depend on a parameter.
template <class Asio, class Engine>
void begin_later(io_context& context, std::vector<error_code>& results) {
  if constexpr (base::has_default_token<Asio>) {
    manual_clock clock;
    Engine first({.manual = &clock});
    auto operation = async_sleep_for(first, 10ns);
    EXPECT_EQ(first.pending(), 0u);
    Engine second(std::move(first));
    std::move(operation)(net::bind_executor(context, [&](error_code ec) { results.push_back(ec); }));
    clock.advance(10ns);
    second.poll();
    context.run();
  } else {
    results.emplace_back();
  }
}

TEST_F(AsioSleepOptions, WithoutATokenItBeginsLaterEvenIfTheEngineHasMoved) {
  begin_later<asio_library, engine>(context_, results_);
  EXPECT_EQ(results_, std::vector<error_code>(1));
}

TEST_F(AsioSleepOptions, ASleepersHandlersRunOnItsExecutorUnlessTheyHaveOne) {
  auto strand = net::make_strand(context_);
  net::thread_pool pool(1);
  sleeper in_strand(rig_.engine, strand);
  basic_sleeper<io_context::executor_type> in_context(rig_.engine, context_);
  std::vector<bool> there;
  in_strand.async_sleep_for(1ns, [&](error_code) { there.push_back(strand.running_in_this_thread()); });
  in_context.async_sleep_until(at(1),
                               [&](error_code) { there.push_back(context_.get_executor().running_in_this_thread()); });
  bool in_pool = false;
  in_strand.async_sleep_for(1ns, {.tag = 1}, net::bind_executor(pool, [&](error_code) {
                              in_pool = pool.get_executor().running_in_this_thread();
                            }));
  rig_.poll_at(at(1));
  run();
  pool.join();
  EXPECT_EQ(there, std::vector<bool>(2, true));
  EXPECT_TRUE(in_pool);
}

// Like use_awaitable_t<>::executor_with_default, which not every compiler has.
struct executor_with_futures : net::any_io_executor {
  using default_completion_token_type = net::use_future_t<>;
  explicit executor_with_futures(const net::any_io_executor& from) noexcept : net::any_io_executor(from) {}
};

TEST_F(AsioSleepOptions, ASleeperTakesItsExecutorsDefaultToken) {
  using with_futures = sleeper::rebind_executor<executor_with_futures>::other;
  with_futures first{sleeper(rig_.engine, context_)};
  std::future<void> a = first.async_sleep_for(1ns), b = first.async_sleep_until(at(1), {.tag = 1});
  rig_.poll_at(at(1));
  run();
  a.get();
  b.get();
}

struct counted_executor : io_context::executor_type {
  counted_executor(const io_context::executor_type& from, std::shared_ptr<int> counts)
      : io_context::executor_type(from), count(std::move(counts)) {}
  std::shared_ptr<int> count;
};

TEST_F(AsioSleepOptions, ASleepersExecutorIsLetGoOfHoweverItsSleepsEnd) {
  const auto count = std::make_shared<int>();
  std::optional<io_context> context(std::in_place);
  {
    basic_sleeper<counted_executor> nap(rig_.engine, counted_executor(context->get_executor(), count));
    for (const duration delay : {1ns, 2ns, 3ns}) nap.async_sleep_for(delay, [](error_code) {});
  }
  rig_.poll_at(at(1));
  context->poll();  // starts the first
  rig_.poll_at(at(2));
  context.reset();
  EXPECT_EQ(count.use_count(), 1);
}

}  // namespace
}  // namespace detent
