// SPDX-License-Identifier: MIT
// The endings of operations with a time limit, by the table of docs/endings.md; compiled for each Asio.
#include <detent/detent.hpp>

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <new>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include "asio_library.hpp"
#include "support/drive_virtual.hpp"
#include "support/engine_endings.hpp"

namespace detent::testing {
namespace {

using namespace std::chrono_literals;
using net::bind_cancellation_slot;
using net::bind_executor;
using net::io_context;
using net::steady_timer;

// An operation that takes an hour, on its context or on a strand of it, which the walk runs.
template <bool OnStrand>
class limited_walk {
 public:
  explicit limited_walk(ending_note& note) : note_(note) {}

  void start(auto& on, duration delay) {
    const auto note = [this](error_code ec) { note_.set(ec == net::error::operation_aborted ? "aborted" : "none"); };
    if constexpr (OnStrand) {
      net::post(strand_, [this, note, &on, delay] {
        slow_.async_wait(cancel_after(on, delay, bind_cancellation_slot(outer_.slot(), bind_executor(strand_, note))));
      });
      pump();
    } else {
      slow_.async_wait(cancel_after(on, delay, bind_cancellation_slot(outer_.slot(), note)));
    }
  }
  void cancel() {
    net::post(strand_, [this] { outer_.emit(net::cancellation_type::terminal); });
  }
  void pump() {
    context_.restart();
    context_.poll();
  }

 private:
  ending_note& note_;
  io_context context_;
  net::strand<io_context::executor_type> strand_{context_.get_executor()};
  net::cancellation_signal outer_;
  steady_timer slow_{context_, 1h};
};

// Each way in which the limit ends makes the operation end like a cancelled one, because it might never end otherwise.
const ending_table limit_endings{{ending_event::elapses, "aborted"}};

// Leaves out events of a run on its way to an executor, because no executor has a limit's timer.
auto limit_cases() {
  std::vector<ending_event> events;
  for (int each = 0; each <= static_cast<int>(ending_event::destroyed_when_held); ++each) {
    const auto event = static_cast<ending_event>(each);
    if (event != ending_event::cancelled_while_held && event != ending_event::dropped &&
        event != ending_event::destroyed_when_held)
      events.push_back(event);
  }
  return ::testing::Combine(::testing::ValuesIn(events),
                            ::testing::Values(ending_engine::worker, ending_engine::pool, ending_engine::keyed_pool,
                                              ending_engine::virtual_time));
}

class AsioLimitEndings : public ::testing::TestWithParam<ending_case> {};
TEST_P(AsioLimitEndings, EndTheOperationOnceByItsCancellation) {
  expect_ending<limited_walk<false>>(GetParam(), limit_endings);
  expect_ending<limited_walk<true>>(GetParam(), limit_endings);
}
INSTANTIATE_TEST_SUITE_P(Walk, AsioLimitEndings, limit_cases(), ending_name);

// Unless its options name one.
TEST(AsioLimitEnds, CancelTheOperationWhereAnExecutorDropsTheTimer) {
  const auto gate = std::make_shared<gated_executor>(nullptr);
  gate->holds = true;
  drive::virtual_engine rig({.executors = {gate}});
  io_context context;
  steady_timer slow(context, 1h);
  int calls = 0;
  slow.async_wait(cancel_after(rig.engine, 10ns, {.executor = gate.get()}, [&](error_code ec) {
    EXPECT_EQ(ec, net::error::operation_aborted);
    ++calls;
  }));
  rig.poll_at(drive::at(10));
  context.poll();
  EXPECT_EQ(calls, 0);
  gate->take_held();
  context.run();
  EXPECT_EQ(calls, 1);
}

// A result whose second copy finds no memory.
struct costly_result {
  costly_result() = default;
  costly_result(const costly_result&) { throw std::bad_alloc(); }
};

TEST(AsioLimitEnds, DestroyTheHandlerWhereItsResultCannotBeKeptUntilAnEmissionHasGone) {
  drive::virtual_engine rig;
  io_context context;
  auto held = std::make_shared<int>();
  const std::weak_ptr<int> handler = held;
  int calls = 0;
  std::function<void()> complete;
  const auto start = [&complete](auto&& completed) {
    auto kept = std::make_shared<std::decay_t<decltype(completed)>>(std::move(completed));
    complete = [kept] { std::move (*kept)(error_code(), costly_result()); };
  };
  {
    auto note = [&calls, held = std::move(held)](error_code, const costly_result&) { ++calls; };
    auto token = cancel_after(rig.engine, 10ns, bind_executor(context, std::move(note)));
    net::async_initiate<decltype(token), void(error_code, costly_result)>(start, token);
  }
  rig.poll_at(drive::at(10));
  EXPECT_THROW(complete(), std::bad_alloc);
  EXPECT_FALSE(handler.expired()) << "the emission that is on its way uses its memory";
  context.run();
  EXPECT_TRUE(handler.expired());
  EXPECT_EQ(calls, 0);
}

TEST(AsioLimitEnds, LeaveAnOperationThatEndsInTimeAsItIs) {
  io_context context;
  steady_timer quick(context, 0ns);
  int calls = 0;
  const auto note = [&](error_code ec) {
    EXPECT_FALSE(ec);
    ++calls;
  };
  std::optional<engine> on(std::in_place);
  quick.async_wait(cancel_after(*on, 1h, note));
  context.run();
  EXPECT_EQ(calls, 1);

  // The operation ends after the engine has stopped, while the program still has the result of stop().
  quick.async_wait(cancel_after(*on, 1h, note));
  std::vector<unfired_timer> unfired = on->stop();
  on.reset();
  context.restart();
  context.run();
  EXPECT_EQ(calls, 2);
  ASSERT_EQ(unfired.size(), 1u);
  unfired[0].run();
  unfired.clear();
  context.restart();
  EXPECT_EQ(context.poll(), 0u);
}

}  // namespace
}  // namespace detent::testing
