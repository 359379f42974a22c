// SPDX-License-Identifier: MIT
#include <detent/sender_timeout.hpp>
#include <detent/senders.hpp>

#include "noted_receiver.hpp"
#include "support/engine_endings.hpp"

#include <memory>
#include <optional>
#include <stop_token>

namespace detent::testing {
namespace {

// Completes into the walk's note.
template <class Token>
class walk_receiver {
 public:
  using receiver_concept = ex::receiver_tag;
  walk_receiver(ending_note& into, Token stop) noexcept : into_(&into), stop_(std::move(stop)) {}

  void set_value() && noexcept { into_->set("value"); }
  void set_stopped() && noexcept { into_->set("stopped"); }
  void set_error(std::error_code why) && noexcept {
    into_->set(why == std::errc::timed_out ? "time is up" : "error " + ending_word(why));
  }

  struct env {
    Token stop;
    Token query(ex::get_stop_token_t) const noexcept { return stop; }
  };
  env get_env() const noexcept { return {stop_}; }

 private:
  ending_note* into_;
  Token stop_;
};

template <class Token>
class timed_walk {
 public:
  explicit timed_walk(ending_note& note) noexcept : note_(note) {}

  void start(auto& on, duration delay) {
    operation_.reset(new operation(
        ex::connect(scheduler(on).schedule_after(delay), walk_receiver<Token>(note_, token_of(source_)))));
    ex::start(*operation_);
  }
  void cancel() { source_.request_stop(); }

 private:
  static auto token_of([[maybe_unused]] std::stop_source& source) noexcept {
    if constexpr (std::is_same_v<Token, ex::stoppable_token>) {
      return ex::stoppable_token(source.get_token());
    } else {
      return Token{};
    }
  }
  using operation =
      ex::connect_result_t<decltype(std::declval<scheduler>().schedule_after(duration(0))), walk_receiver<Token>>;

  ending_note& note_;
  std::stop_source source_;
  std::unique_ptr<operation> operation_;
};

// A limit on a sender of another engine, which goes on for longer; only the limit meets the event.
class limit_walk {
 public:
  explicit limit_walk(ending_note& note) noexcept : note_(note) {}

  void start(auto& on, duration delay) {
    operation_.reset(new operation(
        ex::connect(timeout(scheduler(other_).schedule_after(std::chrono::hours(2)), scheduler(on), delay),
                    walk_receiver(note_, ex::stoppable_token(source_.get_token())))));
    ex::start(*operation_);
  }
  void cancel() { source_.request_stop(); }

 private:
  using limited =
      decltype(timeout(scheduler(std::declval<engine&>()).schedule(), scheduler(std::declval<engine&>()), duration(0)));
  using operation = ex::connect_result_t<limited, walk_receiver<ex::stoppable_token>>;

  ending_note& note_;
  engine other_{engine_options{.drive = drive_kind::caller, .reserve = 256}};
  std::stop_source source_;
  std::unique_ptr<operation> operation_;
};

const ending_table sender_endings{
    {ending_event::elapses, "value"},
    {ending_event::cancelled, "stopped"},
    {ending_event::cancelled_while_held, "stopped"},
    {ending_event::unfired_run, "value"},
    {ending_event::unfired_thrown_away, "stopped"},
    {ending_event::refused_drop, "error dropped"},
    {ending_event::dropped, "error dropped"},
    {ending_event::group_cancelled, "error dropped"},
    {ending_event::over_capacity, "error capacity_exceeded"},
    {ending_event::out_of_memory, "error out_of_memory"},
    {ending_event::stopped_before, "stopped"},
    {ending_event::moved_cancelled, "stopped"},
    {ending_event::destroyed, "stopped"},
    {ending_event::destroyed_when_held, "stopped"},
};

class StoppableSenderEndings : public ::testing::TestWithParam<ending_case> {};
TEST_P(StoppableSenderEndings, EndsOnceByItsWord) {
  expect_ending<timed_walk<ex::stoppable_token>>(GetParam(), sender_endings);
}
INSTANTIATE_TEST_SUITE_P(Walk, StoppableSenderEndings, every_ending(), ending_name);

class SenderEndings : public ::testing::TestWithParam<ending_case> {};
TEST_P(SenderEndings, EndsOnceByItsWord) {
  expect_ending<timed_walk<ex::never_stop_token>>(GetParam(), sender_endings);
}
INSTANTIATE_TEST_SUITE_P(Walk, SenderEndings, every_ending(false), ending_name);

const ending_table limit_endings{
    {ending_event::elapses, "time is up"},
    {ending_event::cancelled, "stopped"},
    {ending_event::cancelled_while_held, "stopped"},
    {ending_event::unfired_run, "stopped"},
    {ending_event::unfired_thrown_away, "stopped"},
    {ending_event::refused_drop, "error dropped"},
    {ending_event::dropped, "error dropped"},
    {ending_event::group_cancelled, "error dropped"},
    {ending_event::over_capacity, "error capacity_exceeded"},
    {ending_event::out_of_memory, "error out_of_memory"},
    {ending_event::stopped_before, "stopped"},
    {ending_event::moved_cancelled, "stopped"},
    {ending_event::destroyed, "stopped"},
    {ending_event::destroyed_when_held, "stopped"},
};
class SenderLimitEndings : public ::testing::TestWithParam<ending_case> {};
TEST_P(SenderLimitEndings, EndsOnceByItsWord) { expect_ending<limit_walk>(GetParam(), limit_endings); }
INSTANTIATE_TEST_SUITE_P(Walk, SenderLimitEndings, every_ending(), ending_name);

}  // namespace
}  // namespace detent::testing
