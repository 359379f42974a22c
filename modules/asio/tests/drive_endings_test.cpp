// SPDX-License-Identifier: MIT
// The walk of docs/endings.md on an engine that an io_context drives, and what an io_context adds to its events: plain
// timers, sleeps and limited operations each end once; compiled for each Asio.
#include <detent/detent.hpp>

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "drive_library.hpp"
#include "support/drive_problem.hpp"
#include "support/engine_endings.hpp"
#include "support/joined_thread.hpp"

namespace detent::testing {
namespace {

using namespace std::chrono_literals;
using net::io_context;

// A callback or handler that notes its end: its call, or its destruction without one.
class noted_end {
 public:
  explicit noted_end(ending_note& note) noexcept : note_(&note) {}
  noted_end(noted_end&& other) noexcept : note_(std::exchange(other.note_, nullptr)) {}
  noted_end& operator=(noted_end&&) = delete;
  ~noted_end() {
    if (note_ != nullptr) note_->set("destroyed");
  }

  void operator()() { std::exchange(note_, nullptr)->set("called"); }
  void operator()(error_code ec) {
    std::exchange(note_, nullptr)
        ->set(!ec                                   ? "elapsed"
              : ec == net::error::operation_aborted ? "operation_aborted"
              : ec == net::error::no_buffer_space   ? "no_buffer_space"
              : ec == net::error::no_memory         ? "no_memory"
                                                    : ec.message());
  }

 private:
  ending_note* note_;
};

enum class operation { plain, sleep, limited };

// One operation, and the context that drives its engine.
template <operation Kind>
class driven_operation {
 public:
  explicit driven_operation(ending_note& note) : note_(note) {}

  void start(engine& on, duration delay) {
    if (!on.stopped()) drive_.emplace(*context_, on);
    const auto handler = [this] {
      return net::bind_cancellation_slot(signal_.slot(), net::bind_executor(*context_, noted_end(note_)));
    };
    if constexpr (Kind == operation::plain) {
      timer_ = on.try_schedule_after(delay, noted_end(note_));
    } else if constexpr (Kind == operation::sleep) {
      async_sleep_for(on, delay, handler());
    } else {
      slow_->async_wait(cancel_after(on, delay, handler()));
    }
  }
  void cancel() {
    timer_.cancel();
    signal_.emit(net::cancellation_type::terminal);
  }
  void pump() {
    if (!context_) return;
    context_->restart();
    context_->poll();
  }

  io_context& context() { return *context_; }
  void drive_again(engine& on) { drive_.emplace(*context_, on); }
  void end_drive() { drive_.reset(); }
  void end_context() {
    slow_.reset();
    work_.reset();
    context_.reset();
  }

 private:
  ending_note& note_;
  net::cancellation_signal signal_;
  std::optional<io_context> context_{std::in_place};
  std::optional<net::executor_work_guard<io_context::executor_type>> work_{
      context_->get_executor()};  // so that it polls
  std::optional<net::steady_timer> slow_{std::in_place, *context_, 1h};
  std::optional<asio_drive> drive_;
  timer timer_;
};

// --- the events of each engine

using e = ending_event;
const ending_table plain_ends{{e::elapses, "called"},
                              {e::cancelled, "destroyed"},
                              {e::cancelled_while_held, "destroyed"},
                              {e::unfired_thrown_away, "destroyed"},
                              {e::refused_drop, "destroyed"},
                              {e::dropped, "destroyed"},
                              {e::over_capacity, "destroyed"},
                              {e::out_of_memory, "destroyed"},
                              {e::stopped_before, "destroyed"},
                              {e::moved_cancelled, "destroyed"},
                              {e::destroyed, "destroyed"},
                              {e::destroyed_when_held, "destroyed"}};
const ending_table sleep_ends{{e::elapses, "elapsed"},
                              {e::cancelled, "operation_aborted"},
                              {e::unfired_run, "operation_aborted"},
                              {e::unfired_thrown_away, "operation_aborted"},
                              {e::over_capacity, "no_buffer_space"},
                              {e::out_of_memory, "no_memory"},
                              {e::stopped_before, "operation_aborted"},
                              {e::moved_cancelled, "operation_aborted"},
                              {e::destroyed, "operation_aborted"}};
const ending_table limited_ends{{e::elapses, "operation_aborted"}};

auto cases(std::vector<ending_event> events) {
  return ::testing::Combine(::testing::ValuesIn(events), ::testing::Values(ending_engine::caller));
}
// No executor of the engine ever holds the run of a sleep or a limit, so those events are left out.
auto cases_without_executor() {
  return cases({e::elapses, e::cancelled, e::unfired_run, e::unfired_thrown_away, e::refused_run_inline,
                e::refused_retry, e::refused_drop, e::over_capacity, e::out_of_memory, e::stopped_before, e::moved,
                e::moved_cancelled, e::destroyed});
}

class AsioDrivenTimerEndings : public ::testing::TestWithParam<ending_case> {};
TEST_P(AsioDrivenTimerEndings, EndOnceByTheirWord) {
  expect_ending<driven_operation<operation::plain>>(GetParam(), plain_ends);
}
INSTANTIATE_TEST_SUITE_P(Walk, AsioDrivenTimerEndings,
                         cases({e::elapses, e::cancelled, e::cancelled_while_held, e::unfired_run,
                                e::unfired_thrown_away, e::refused_run_inline, e::refused_retry, e::refused_drop,
                                e::dropped, e::over_capacity, e::out_of_memory, e::stopped_before, e::moved,
                                e::moved_cancelled, e::destroyed, e::destroyed_when_held}),
                         ending_name);

class AsioDrivenSleepEndings : public ::testing::TestWithParam<ending_case> {};
TEST_P(AsioDrivenSleepEndings, EndOnceByTheirWord) {
  expect_ending<driven_operation<operation::sleep>>(GetParam(), sleep_ends);
}
INSTANTIATE_TEST_SUITE_P(Walk, AsioDrivenSleepEndings, cases_without_executor(), ending_name);

class AsioDrivenLimitEndings : public ::testing::TestWithParam<ending_case> {};
TEST_P(AsioDrivenLimitEndings, EndOnceByTheirWord) {
  expect_ending<driven_operation<operation::limited>>(GetParam(), limited_ends);
}
INSTANTIATE_TEST_SUITE_P(Walk, AsioDrivenLimitEndings, cases_without_executor(), ending_name);

// --- the events of an io_context

enum class drive_event {
  stopped_by_handler,  // the engine is stopped
  stopped_by_another_thread,
  stop_in_callback,  // it is refused; then the operation elapses
  destroyed_by_callback,
  destroyed_by_handler,
  drive_ends,  // then the operation elapses with another drive
  drive_ends_and_engine_stops,
  context_stops,  // the context is restarted; then the operation elapses
  context_destroyed,
  context_destroyed_when_due,  // after the turn in which the operation is due, and before any handler has run
};

template <operation Kind>
class drive_walk {
 public:
  // Returns how the operation ended, once everything has ended.
  std::string word_after(drive_event event) {
    const bool is_short = event == drive_event::stop_in_callback || event == drive_event::drive_ends ||
                          event == drive_event::context_stops || event == drive_event::context_destroyed_when_due;
    operation_.start(*engine_, is_short ? duration(1ms) : duration(1h));
    happen(event);
    operation_.end_drive();
    engine_.reset();
    operation_.pump();
    EXPECT_EQ(note_.count(), 1);
    return note_.word();
  }

 private:
  void happen(drive_event event) {
    const auto in_callback = [this](auto what) { engine_->schedule_after(0ns, std::move(what)); };
    const auto in_handler = [this](auto what) { net::post(operation_.context(), std::move(what)); };
    switch (event) {
      case drive_event::stopped_by_handler: in_handler([this] { engine_->stop(); }); break;
      case drive_event::stopped_by_another_thread: {
        const joined_thread other([this] { engine_->stop(); });
        break;
      }
      case drive_event::stop_in_callback:
        in_callback(
            [this] { EXPECT_EQ(drive::problem_of([this] { engine_->stop(); }).code, errc::called_from_callback); });
        break;
      case drive_event::destroyed_by_callback: in_callback([this] { engine_.reset(); }); break;
      case drive_event::destroyed_by_handler: in_handler([this] { engine_.reset(); }); break;
      case drive_event::drive_ends:
        operation_.end_drive();
        operation_.pump();
        EXPECT_EQ(note_.count(), 0);
        operation_.drive_again(*engine_);
        break;
      case drive_event::drive_ends_and_engine_stops:
        operation_.end_drive();
        engine_->stop();
        break;
      case drive_event::context_stops:
        in_callback([this] { operation_.context().stop(); });
        operation_.context().run();
        break;
      case drive_event::context_destroyed: return operation_.end_context();
      case drive_event::context_destroyed_when_due:
        std::this_thread::sleep_for(2ms);
        in_callback([this] { operation_.context().stop(); });  // in the turn of the operation, and after that turn
        operation_.context().run();
        return operation_.end_context();
    }
    EXPECT_TRUE(eventually([this] {
      operation_.pump();
      return note_.count() != 0;
    }));
  }

  ending_note note_;
  driven_operation<Kind> operation_{note_};
  std::optional<engine> engine_{std::in_place, engine_options{.drive = drive_kind::caller}};
};

struct drive_row {
  drive_event event;
  const char *plain, *sleep, *limited;
};

std::string drive_event_name(const ::testing::TestParamInfo<drive_row>& info) {
  static constexpr const char* names[] = {"StoppedByAHandler",
                                          "StoppedByAnotherThread",
                                          "StopInACallback",
                                          "DestroyedByACallback",
                                          "DestroyedByAHandler",
                                          "TheDriveEnds",
                                          "TheDriveEndsAndTheEngineStops",
                                          "TheContextStops",
                                          "TheContextIsDestroyed",
                                          "TheContextIsDestroyedWhenItIsDue"};
  return names[static_cast<int>(info.param.event)];
}

class AsioDriveEndings : public ::testing::TestWithParam<drive_row> {};
TEST_P(AsioDriveEndings, EndEachOperationOnceByItsWord) {
  const drive_row& row = GetParam();
  EXPECT_EQ(drive_walk<operation::plain>().word_after(row.event), row.plain);
  EXPECT_EQ(drive_walk<operation::sleep>().word_after(row.event), row.sleep);
  EXPECT_EQ(drive_walk<operation::limited>().word_after(row.event), row.limited);
}

INSTANTIATE_TEST_SUITE_P(
    Walk, AsioDriveEndings,
    ::testing::Values(
        drive_row{drive_event::stopped_by_handler, "destroyed", "operation_aborted", "operation_aborted"},
        drive_row{drive_event::stopped_by_another_thread, "destroyed", "operation_aborted", "operation_aborted"},
        drive_row{drive_event::stop_in_callback, "called", "elapsed", "operation_aborted"},
        drive_row{drive_event::destroyed_by_callback, "destroyed", "operation_aborted", "operation_aborted"},
        drive_row{drive_event::destroyed_by_handler, "destroyed", "operation_aborted", "operation_aborted"},
        drive_row{drive_event::drive_ends, "called", "elapsed", "operation_aborted"},
        drive_row{drive_event::drive_ends_and_engine_stops, "destroyed", "operation_aborted", "operation_aborted"},
        drive_row{drive_event::context_stops, "called", "elapsed", "operation_aborted"},
        drive_row{drive_event::context_destroyed, "destroyed", "destroyed", "destroyed"},
        drive_row{drive_event::context_destroyed_when_due, "called", "destroyed", "destroyed"}),
    drive_event_name);

}  // namespace
}  // namespace detent::testing
