// SPDX-License-Identifier: MIT
// An io_context and engines in virtual time; compiled for each Asio.
#include <detent/detent.hpp>

#include <gtest/gtest.h>

#include <functional>
#include <stdexcept>
#include <vector>

#include "drive_library.hpp"
#include "support/drive_problem.hpp"

namespace detent {
namespace {

using namespace std::chrono_literals;
using drive::problem_of;

class AsioVirtual : public ::testing::Test {
 protected:
  auto handler(std::function<void()> then = {}) {
    return net::bind_executor(context_, [this, then](error_code ec) {
      EXPECT_FALSE(ec);
      at_.push_back(clock_.now().time_since_epoch());
      if (then) then();
    });
  }

  net::io_context context_;
  manual_clock clock_;
  engine engine_{{.manual = &clock_}};
  std::vector<duration> at_;
};

TEST_F(AsioVirtual, RunsHandlersAndCallbacksAtTheirDeadlines) {
  async_sleep_for(engine_, 3h, handler());
  async_sleep_for(engine_, 1h, handler([&] { net::post(context_, [&] { async_sleep_for(engine_, 1h, handler()); }); }));
  engine_.schedule_after(90min, [&] { at_.emplace_back(clock_.now().time_since_epoch()); });
  asio_run_until(context_, clock_, (time_point::max)(), engine_);
  EXPECT_EQ(at_, (std::vector<duration>{1h, 90min, 2h, 3h}));
  EXPECT_EQ(clock_.now().time_since_epoch(), 3h);
}

TEST_F(AsioVirtual, LeavesMembersOfPausedGroupsWithoutAnEnd) {
  timer_group paused(engine_);
  paused.schedule_after(1h, [] { ADD_FAILURE() << "runs in a paused group"; });
  paused.pause();
  async_sleep_for(engine_, 2h, handler());
  asio_run_until(context_, clock_, (time_point::max)(), engine_);
  EXPECT_EQ(at_, (std::vector<duration>{2h}));
  EXPECT_EQ(clock_.now().time_since_epoch(), 2h);
}

TEST_F(AsioVirtual, ComesToTheEndOfTimeForWhatIsDueThere) {
  timer_group paused(engine_);
  paused.schedule_after(1h, [] { ADD_FAILURE() << "runs in a paused group"; });
  paused.pause();
  async_sleep_for(engine_, (duration::max)(), handler());
  asio_run_until(context_, clock_, (time_point::max)(), engine_);
  EXPECT_EQ(at_, (std::vector<duration>{(duration::max)()}));
}

TEST_F(AsioVirtual, GoesToItsEndAndNoFurther) {
  async_sleep_for(engine_, 1h, handler());
  asio_run_for(context_, clock_, 59min, engine_);
  EXPECT_TRUE(at_.empty());
  EXPECT_EQ(clock_.now().time_since_epoch(), 59min);
  asio_run_for(context_, clock_, 1min, engine_);
  EXPECT_EQ(at_, (std::vector<duration>{1h}));
  asio_run_for(context_, clock_, 1min);  // only the context
  EXPECT_EQ(clock_.now().time_since_epoch(), 61min);
}

TEST_F(AsioVirtual, KeepsTheOrderOfSeveralEngines) {
  engine second({.manual = &clock_});
  async_sleep_for(engine_, 1s, handler());
  async_sleep_for(second, 2s, handler());
  async_sleep_for(engine_, 3s, handler());
  asio_run_for(context_, clock_, 5s, second, engine_);
  EXPECT_EQ(at_, (std::vector<duration>{1s, 2s, 3s}));
}

TEST_F(AsioVirtual, EndsWhereAHandlerStopsTheContext) {
  async_sleep_for(engine_, 1s, handler([&] { context_.stop(); }));
  async_sleep_for(engine_, 2s, handler());
  asio_run_for(context_, clock_, 5s, engine_);
  EXPECT_EQ(clock_.now().time_since_epoch(), 1s);
  asio_run_for(context_, clock_, 5s, engine_);
  EXPECT_EQ(at_, (std::vector<duration>{1s, 2s}));
}

TEST_F(AsioVirtual, LetsOutWhatAHandlerThrowsAndGoesOnAfterwards) {
  async_sleep_for(engine_, 1s, handler([] { throw std::runtime_error("thrown by a handler"); }));
  async_sleep_for(engine_, 2s, handler());
  EXPECT_THROW(asio_run_for(context_, clock_, 5s, engine_), std::runtime_error);
  asio_run_for(context_, clock_, 5s, engine_);
  EXPECT_EQ(at_, (std::vector<duration>{1s, 2s}));
}

TEST_F(AsioVirtual, RefusesAnEngineOfAnotherClock) {
  manual_clock other;
  EXPECT_EQ(problem_of([&] { asio_run_for(context_, other, 1s, engine_); }).code, errc::invalid_option);
}

}  // namespace
}  // namespace detent
