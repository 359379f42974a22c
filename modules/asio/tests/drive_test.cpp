// SPDX-License-Identifier: MIT
// An io_context that drives an engine: what fires, where, and what keeps run() going; compiled for each Asio.
#include <detent/detent.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "drive_library.hpp"
#include "support/drive_problem.hpp"
#include "support/joined_thread.hpp"

namespace detent {
namespace {

using namespace std::chrono_literals;
using drive::problem_of;
using net::io_context;

class AsioDrive : public ::testing::Test {
 protected:
  io_context context_;
  engine engine_{{.drive = drive_kind::caller}};
};

TEST_F(AsioDrive, RunsCallbacksOnTheThreadThatRunsTheContextAndNotBeforeTheirDeadlines) {
  asio_drive drive(context_, engine_, {.keeps_running = true});
  std::vector<int> order;
  const time_point start = clock::now();
  for (int ms : {3, 1, 2}) {
    engine_.schedule_at(start + ms * 1ms, [&, ms, me = std::this_thread::get_id()] {
      EXPECT_EQ(std::this_thread::get_id(), me);
      EXPECT_GE(clock::now(), start + ms * 1ms);
      order.push_back(ms);
      if (order.size() == 3) drive.end();
    });
  }
  context_.run();
  EXPECT_EQ(order, (std::vector{1, 2, 3}));
}

TEST_F(AsioDrive, IsKeptRunningBySleepsAndNotByPlainTimers) {
  asio_drive drive(context_, engine_);
  int plain = 0, slept = 0;
  engine_.schedule_after(1h, [&] { ++plain; });
  engine_.schedule_after(1ms, [&] { ++plain; });
  async_sleep_for(engine_, 5ms, net::bind_executor(context_, [&](error_code ec) { slept += ec ? 0 : 1; }));
  context_.run();
  EXPECT_EQ(slept, 1);
  EXPECT_EQ(plain, 1);
  context_.restart();
  engine_.schedule_after(1ms, [&] { ++plain; });
  context_.run();  // nothing keeps it running
  EXPECT_EQ(plain, 1);
}

TEST_F(AsioDrive, CountsNoWorkWhenItHasEnded) {
  std::optional<asio_drive> drive(std::in_place, context_, engine_);
  int fired = 0;
  for (int ms = 1; ms <= 20; ++ms) engine_.schedule_after(ms * 1ms, [&] { ++fired; });
  async_sleep_for(engine_, 25ms, net::bind_executor(context_, [](error_code) {}));
  context_.run();
  EXPECT_EQ(fired, 20);
  drive.reset();
  context_.restart();
  context_.run();  // must return
  context_.restart();
  auto work = net::make_work_guard(context_);
  int ran = 0;
  for (int i = 0; i < 3; ++i) net::post(context_, [&] { ++ran; });
  net::post(context_, [&] { work.reset(); });
  net::post(context_, [&] { ++ran; });
  context_.run();
  EXPECT_EQ(ran, 4);
}

TEST_F(AsioDrive, WakesUpForWhatAnotherThreadSchedules) {
  asio_drive drive(context_, engine_, {.keeps_running = true});
  engine_.schedule_after(1h, [] {});
  int fired = 0;
  testing::joined_thread other([&] {
    for (int i = 0; i < 3; ++i) {
      std::this_thread::sleep_for(2ms);
      engine_.schedule_after(1ms, [&] {
        if (++fired == 3) drive.end();
      });
    }
  });
  context_.run();
  EXPECT_EQ(fired, 3);
}

// There would be a race if two turns overlapped or one did not see what another wrote.
TEST_F(AsioDrive, TakesTurnsOnSeveralThreads) {
  asio_drive drive(context_, engine_, {.keeps_running = true, .apart = 0ns});
  int runs = 0;
  std::optional<std::thread::id> inside;
  for (int i = 0; i < 50; ++i) {
    engine_.schedule_after(1ms, [&](firing& run) {
      EXPECT_FALSE(inside.has_value());
      inside = std::this_thread::get_id();
      if (++runs == 2000) drive.end();
      run.rearm_after(std::chrono::microseconds(runs % 97));
      inside.reset();
    });
  }
  testing::on_threads(3, [&] { context_.run(); });
  EXPECT_GE(runs, 2000);
}

TEST_F(AsioDrive, LetsOtherHandlersIntoATurnThatIsLimited) {
  asio_drive drive(context_, engine_, {.keeps_running = true, .at_once = 1});
  std::vector<std::string> order;
  const time_point due = clock::now();
  engine_.schedule_at(due, [&] {
    order.emplace_back("timer");
    net::post(context_, [&] { order.emplace_back("handler"); });
  });
  engine_.schedule_at(due, [&] {
    order.emplace_back("timer");
    drive.end();
  });
  context_.run();
  EXPECT_EQ(order, (std::vector<std::string>{"timer", "handler", "timer"}));
}

// If the second timer misses the turn of the first, its own turn begins that much later.
TEST_F(AsioDrive, KeepsItsTurnsApart) {
  asio_drive drive(context_, engine_, {.keeps_running = true, .apart = 50ms});
  bool other_turn = false;
  const time_point due = clock::now() + 1ms;
  engine_.schedule_at(due, [&] { net::post(context_, [&] { other_turn = true; }); });
  engine_.schedule_at(due + 1ms, [&] {
    EXPECT_GE(clock::now(), other_turn ? due + 50ms : due);
    drive.end();
  });
  context_.run();
}

TEST_F(AsioDrive, GivesWhatACallbackThrowsToTheEngine) {
  int errors = 0;
  engine strict({.drive = drive_kind::caller, .on_error = [&](std::exception_ptr) { ++errors; }});
  asio_drive drive(context_, strict, {.keeps_running = true});
  strict.schedule_after(1ms, [] { throw std::runtime_error("thrown by a callback"); });
  strict.schedule_after(2ms, [&] { drive.end(); });
  EXPECT_NO_THROW(context_.run());
  EXPECT_EQ(errors, 1);
}

TEST_F(AsioDrive, LetsOutOfRunWhatAHandlerOfASleepThrowsAndLosesNoOther) {
  asio_drive drive(context_, engine_);
  int completed = 0;
  for (int i = 0; i < 3; ++i) {
    async_sleep_for(engine_, 1ms, net::bind_executor(context_, [&](error_code) {
                      ++completed;
                      throw std::runtime_error("thrown by a handler");
                    }));
  }
  for (int i = 0; i < 3; ++i) EXPECT_THROW(context_.run(), std::runtime_error);
  EXPECT_EQ(completed, 3);
  EXPECT_EQ(engine_.metrics().failed, 0u);
}

TEST_F(AsioDrive, RunsHandlersOfSleepsOutsideOfTheEngine) {
  asio_drive drive(context_, engine_);
  error_code reported;
  std::size_t left = 0;
  async_sleep_for(engine_, 1h, net::bind_executor(context_, [&](error_code ec) { reported = ec; }));
  async_sleep_for(engine_, 1ms, net::bind_executor(context_, [&](error_code) { left = engine_.stop().size(); }));
  context_.run();
  EXPECT_EQ(left, 1u);
  EXPECT_EQ(reported, net::error::operation_aborted);
}

TEST_F(AsioDrive, LosesNothingWhenTheContextStopsAndRestarts) {
  asio_drive drive(context_, engine_, {.keeps_running = true});
  int fired = 0;
  const auto stopping = [&](firing& run) {
    context_.stop();
    if (++fired < 100) run.rearm_after(100us);
  };
  engine_.schedule_after(1ms, stopping);
  int rounds = 0;
  for (; fired < 100; ++rounds) {
    context_.run();
    context_.restart();
  }
  EXPECT_EQ(rounds, 100);
}

TEST_F(AsioDrive, RefusesWhatItCannotDrive) {
  engine worker;
  EXPECT_EQ(problem_of([&] { asio_drive(context_, worker); }).code, errc::wrong_drive);
  const auto limit = problem_of([&] { asio_drive(context_, engine_, {.at_once = 0}); });
  EXPECT_EQ(limit.code, errc::invalid_option);
  EXPECT_TRUE(limit.names("at_once = 0")) << limit.what;
  const auto apart = problem_of([&] { asio_drive(context_, engine_, {.apart = -5ns}); });
  EXPECT_EQ(apart.code, errc::invalid_option);
  EXPECT_TRUE(apart.names("apart = -5 ns")) << apart.what;
  engine_.stop();
  const auto stopped = problem_of([&] { asio_drive(context_, engine_); });
  EXPECT_EQ(stopped.code, errc::stopped);
  EXPECT_EQ(context_.run(), 0u);  // no handler is left
}

TEST_F(AsioDrive, ReportsThatAnotherThreadDrivesAndGoesOn) {
  asio_drive drive(context_, engine_, {.keeps_running = true});
  std::atomic<bool> inside{false}, reported{false};
  engine_.schedule_at(clock::now(), [&] {
    inside = true;
    while (!reported) std::this_thread::yield();
  });
  testing::joined_thread other([&] { engine_.poll(); });
  while (!inside) std::this_thread::yield();
  EXPECT_EQ(problem_of([&] { context_.run(); }).code, errc::not_permitted);
  reported = true;
  other.join();
  engine_.schedule_after(1ms, [&] { drive.end(); });
  context_.run();
}

}  // namespace
}  // namespace detent
