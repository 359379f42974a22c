// SPDX-License-Identifier: MIT
// The tokens, handlers and options that a time limit accepts, and what it passes on; compiled for each Asio.
#include <detent/detent.hpp>

#include <gtest/gtest.h>

#include <functional>
#include <future>
#include <optional>
#include <string>
#include <utility>

#include "asio_library.hpp"
#include "support/drive_virtual.hpp"

namespace detent {
namespace {

using namespace std::chrono_literals;
using drive::at;
using net::bind_cancellation_slot;
using net::bind_executor;
using net::cancellation_signal;
using net::cancellation_type;
using net::io_context;
using net::steady_timer;
namespace error = net::error;

// Operations that wait for an hour on the real clock, with limits in virtual time.
class AsioLimitToken : public ::testing::Test {
 protected:
  auto note() {
    return bind_executor(context_, [this](error_code ec) {
      ++calls_;
      result_ = ec;
    });
  }
  void run() {
    context_.restart();
    context_.run();
  }
  void expect_cancelled_at(duration deadline) {
    const int before = calls_;
    rig_.poll_at(at(deadline - 1ns));
    context_.restart();
    context_.poll();
    EXPECT_EQ(calls_, before);
    rig_.poll_at(at(deadline));
    run();
    EXPECT_EQ(calls_, before + 1);
    EXPECT_EQ(result_, error::operation_aborted);
  }

  drive::virtual_engine rig_;
  engine& engine_ = rig_.engine;
  io_context context_;
  steady_timer slow_{context_, 1h};
  int calls_ = 0;
  error_code result_;
};

// make_strand(socket.get_executor()) gives such a strand, whose executor has no calls that count work.
TEST_F(AsioLimitToken, MayRunItsHandlerInAStrandOfAnyExecutor) {
  auto strand = net::make_strand(slow_.get_executor());
  int ended = 0;
  auto in_strand = bind_executor(strand, [&](error_code ec) {
    EXPECT_TRUE(strand.running_in_this_thread());
    EXPECT_EQ(ec, error::operation_aborted);
    ++ended;
  });
  async_sleep_for(engine_, 1h, cancel_after(engine_, 10ns, in_strand));
  EXPECT_EQ(context_.poll(), 0u);
  EXPECT_FALSE(context_.stopped()) << "the sleep is no work of the context";
  rig_.poll_at(at(10));
  run();
  EXPECT_EQ(ended, 1);
}

TEST_F(AsioLimitToken, IsMadeOfALimitWithoutOneByCallingIt) {
  const auto limit = cancel_after(engine_, 10ns);
  slow_.async_wait(limit(note()));
  expect_cancelled_at(10ns);
  slow_.async_wait(cancel_at(engine_, at(30))(note()));
  expect_cancelled_at(30ns);
}

TEST_F(AsioLimitToken, IsMadeBeforeItsEngineIsMoved) {
  manual_clock clock;
  engine first({.manual = &clock});
  const auto limit = cancel_after(first, 10ns);
  engine second(std::move(first));
  slow_.async_wait(limit(note()));
  EXPECT_EQ(second.pending(), 1u);
  clock.advance(10ns);
  second.poll();
  run();
  EXPECT_EQ(calls_, 1);
  EXPECT_EQ(result_, error::operation_aborted);
}

TEST_F(AsioLimitToken, CancelsAtOnceWhereItsEngineOrGroupHasEndedBefore) {
  std::optional<engine> gone(std::in_place);
  std::optional<timer_group> group(std::in_place, engine_);
  const auto limit = cancel_after(*gone, 1h), as_member = cancel_after(*group, 1h);
  gone.reset();
  group.reset();
  for (const auto& each : {limit, as_member}) {
    const int before = calls_;
    slow_.async_wait(each(note()));
    run();
    EXPECT_EQ(calls_, before + 1);
    EXPECT_EQ(result_, error::operation_aborted);
  }
}

// An executor as as_default_on() makes one; use_future has no such function.
struct future_executor : io_context::executor_type {
  using default_completion_token_type = net::use_future_t<>;
  future_executor(const io_context::executor_type& other) : io_context::executor_type(other) {}
};
using future_timer =
    net::basic_waitable_timer<std::chrono::steady_clock, net::wait_traits<std::chrono::steady_clock>, future_executor>;

TEST_F(AsioLimitToken, IsALimitWithoutOneForTheOperationsDefaultToken) {
  future_timer slow(future_executor(context_.get_executor()), 1h);
  const auto limit = cancel_after(engine_, 10ns);
  std::future<void> first = slow.async_wait(limit), second = slow.async_wait(cancel_at(engine_, at(10)));
  rig_.poll_at(at(10));
  run();
  EXPECT_THROW(first.get(), system_error);
  EXPECT_THROW(second.get(), system_error);
}

TEST_F(AsioLimitToken, MayHaveALimitItself) {
  slow_.async_wait(cancel_after(engine_, 20ns, cancel_after(engine_, 10ns, note())));
  expect_cancelled_at(10ns);
  slow_.async_wait(cancel_after(engine_, 10ns, cancel_after(engine_, 20ns, note())));
  expect_cancelled_at(20ns);
  EXPECT_EQ(engine_.pending(), 0u);
}

TEST_F(AsioLimitToken, TakesAllTypesOfCancellationInEachForm) {
  for (auto type : {cancellation_type::terminal, cancellation_type::partial, cancellation_type::total}) {
    slow_.async_wait(cancel_after(engine_, 10ns, note(), type));
    slow_.async_wait(cancel_after(engine_, 10ns, type)(note()));
    slow_.async_wait(cancel_after(engine_, 10ns, {.tag = 1}, note(), type));
    slow_.async_wait(cancel_at(engine_, engine_.now() + 10ns, {.tag = 1}, type)(note()));
    const int before = calls_;
    rig_.poll_at(engine_.now() + 10ns);
    run();
    EXPECT_EQ(calls_, before + 4);
  }
}

TEST_F(AsioLimitToken, PassesItsTimersOptionsOn) {
  const label tries = engine_.make_label("tries");
  slow_.async_wait(cancel_after(engine_, 10ns, {.label = tries, .tag = 7, .lane = 2, .slack = 5ns}, note()));
  const auto pending = engine_.list_pending();
  ASSERT_EQ(pending.size(), 1u);
  EXPECT_EQ(pending[0].tag, 7u);
  EXPECT_EQ(pending[0].label, tries);
  rig_.poll_at(at(15));
  run();
  EXPECT_EQ(calls_, 1);
  EXPECT_EQ(engine_.metrics(tries).fired, 1u);
}

TEST_F(AsioLimitToken, RefusesImpossibleOptionsBeforeTheOperationStarts) {
  engine other;
  const auto said = [&](timer_options options) -> std::string {
    try {
      static_cast<void>(cancel_after(engine_, 10ns, options));
    } catch (const detent::error& refused) {
      EXPECT_EQ(refused.code(), errc::invalid_option);
      return refused.what();
    }
    return "nothing";
  };
  EXPECT_NE(said({.lane = 4}).find("lane = 4"), std::string::npos);
  EXPECT_NE(said({.slack = -1ns}).find("slack = -1 ns"), std::string::npos);
  EXPECT_NE(said({.label = other.make_label("others")}).find("\"others\""), std::string::npos);
  thread_pool pool({.threads = 1});
  EXPECT_NE(said({.executor = &pool}).find("executor"), std::string::npos);
  timer_group group(engine_);
  EXPECT_THROW(static_cast<void>(cancel_at(group, at(10), {.lane = 4}, note())), detent::error);
  EXPECT_EQ(engine_.pending(), 0u);
}

TEST_F(AsioLimitToken, ThatIsNullIsRefusedByNameAndNothingIsArmed) {
  const auto said = [](auto&& call) -> std::string {
    try {
      call();
    } catch (const detent::error& refused) {
      EXPECT_EQ(refused.code(), errc::invalid_option);
      return refused.what();
    }
    return "nothing";
  };
  const std::function<void(error_code)> empty;
  void (*const null)(error_code) = nullptr;
  EXPECT_EQ(said([&] { slow_.async_wait(cancel_after(engine_, 1ns, empty)); }),
            "cancel_after: token = null: must be a function");
  EXPECT_EQ(said([&] { slow_.async_wait(cancel_after(engine_, 1ns, {.tag = 7}, null)); }),
            "cancel_after: token = null: must be a function");
  EXPECT_EQ(said([&] { slow_.async_wait(cancel_at(engine_, at(1), empty)); }),
            "cancel_at: token = null: must be a function");
  EXPECT_EQ(said([&] { slow_.async_wait(cancel_at(engine_, at(1))(null)); }),
            "cancel_at: token = null: must be a function");
  EXPECT_EQ(engine_.pending(), 0u);
}

TEST_F(AsioLimitToken, MayHaveASlotOfNoSignal) {
  slow_.async_wait(cancel_after(engine_, 10ns, bind_cancellation_slot(net::cancellation_slot(), note())));
  expect_cancelled_at(10ns);
}

TEST_F(AsioLimitToken, EndsADelayOfLessThanNothingAtOnceAndTheLongestNever) {
  slow_.async_wait(cancel_after(engine_, (duration::min)(), note()));
  engine_.poll();
  run();
  EXPECT_EQ(calls_, 1);
  slow_.async_wait(cancel_after(engine_, (duration::max)(), note()));
  slow_.async_wait(cancel_after(engine_, (std::chrono::hours::max)())(note()));
  slow_.async_wait(cancel_at(engine_, (time_point::max)(), note()));
  rig_.poll_at(at(24h * 365 * 200));
  context_.restart();
  context_.poll();
  EXPECT_EQ(calls_, 1);
}

TEST_F(AsioLimitToken, OfAGroupEndsWithItAndPausesWithIt) {
  timer_group group(engine_);
  slow_.async_wait(cancel_after(group, 10ns, note()));
  EXPECT_EQ(group.pending(), 1u);
  group.pause();
  rig_.poll_at(at(10));
  group.resume();
  expect_cancelled_at(20ns);
  slow_.async_wait(cancel_after(group, 10ns, note()));
  group.cancel_all();
  engine_.poll();
  run();
  EXPECT_EQ(calls_, 2) << "without its limit it might never end";
  EXPECT_EQ(result_, error::operation_aborted);
}

TEST_F(AsioLimitToken, GoesOnWhenItsEngineIsMoved) {
  slow_.async_wait(cancel_after(engine_, 10ns, note()));
  engine moved(std::move(engine_));
  rig_.clock.advance_to(at(10));
  moved.poll();
  run();
  EXPECT_EQ(calls_, 1);
  slow_.async_wait(cancel_after(moved, 10ns, note()));
  slow_.cancel();  // the operation ends first
  run();
  EXPECT_EQ(calls_, 2);
  EXPECT_EQ(moved.pending(), 0u);
}

// An engine whose plain timers go to a context that no thread runs any more.
TEST_F(AsioLimitToken, NeedsNoneOfTheEnginesExecutors) {
  io_context stopped;
  engine worker({.executor = asio_executor(stopped.get_executor())});
  slow_.async_wait(cancel_after(worker, 1us, note()));
  run();
  EXPECT_EQ(calls_, 1);
  EXPECT_EQ(result_, error::operation_aborted);
}

TEST_F(AsioLimitToken, KeepsToTheExecutorThatItsOptionsName) {
  io_context other;
  const auto to_other = asio_executor(other.get_executor());
  drive::virtual_engine rig({.executors = {to_other}});
  slow_.async_wait(cancel_after(rig.engine, 10ns, {.executor = to_other.get()}, note()));
  rig.poll_at(at(10));
  context_.poll();
  EXPECT_EQ(calls_, 0);
  other.run();
  run();
  EXPECT_EQ(calls_, 1);
}

// An associator that Asio does not have.
template <class T, class Default>
struct associated_name {
  using type = Default;
  static type get(const T&, const Default& otherwise) noexcept { return otherwise; }
};
struct named_handler {
  using executor_type = io_context::executor_type;
  executor_type get_executor() const noexcept { return on; }
  void operator()(error_code) const {}
  executor_type on;
};
template <class Default>
struct associated_name<named_handler, Default> {
  using type = std::string;
  static type get(const named_handler&, const Default&) noexcept { return "mine"; }
};

TEST_F(AsioLimitToken, HandsOnWhatIsAssociatedWithItsHandler) {
  const auto start = [&](auto handler) {
    using handed = decltype(handler);
    const std::string name =
        net::associator<associated_name, handed, std::string>::get(handler, std::string("nobody's"));
    EXPECT_EQ(name, "mine");
    EXPECT_EQ(net::get_associated_executor(handler), context_.get_executor());
    EXPECT_TRUE(net::get_associated_cancellation_slot(handler).is_connected());
    std::move(handler)(error_code());
  };
  auto token = cancel_after(engine_, 10ns, named_handler{context_.get_executor()});
  net::async_initiate<decltype(token), void(error_code)>(start, token);
  EXPECT_EQ(engine_.pending(), 0u);
}

}  // namespace
}  // namespace detent
