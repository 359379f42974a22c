// SPDX-License-Identifier: MIT
#include <detent/detent.hpp>
#include <detent/interval.hpp>
#include <detent/when.hpp>
#include <detent/with_timeout.hpp>

#include <optional>
#include <stop_token>
#include <string>
#include <tuple>
#include <utility>

#include "support/coroutine_tasks.hpp"
#include "support/engine_endings.hpp"

namespace detent::testing {
namespace {

class sleep_walk {
 public:
  explicit sleep_walk(ending_note& note) noexcept : note_(note) {}
  void start(auto& on, duration delay) {
    [](ending_note& into, auto& place, duration length, std::stop_token stop) -> free_task {
      std::string word;
      try {
        const bool elapsed = co_await place.sleep_for(length, std::move(stop));
        word = elapsed ? "true" : "false";
      } catch (const error& problem) {
        word = "throws " + ending_word(problem.code());
      }
      into.set(word);
    }(note_, on, delay, source_.get_token());
  }
  void cancel() { source_.request_stop(); }

 private:
  ending_note& note_;
  std::stop_source source_;
};

// A limit on a sleep of another engine, which continues; only the limit meets the event.
class limit_walk {
 public:
  explicit limit_walk(ending_note& note) noexcept : note_(note) {}
  void start(auto& on, duration delay) {
    [](ending_note& into, auto& limits, duration limit, engine& sleeps, std::stop_token stop) -> free_task {
      std::string word;
      try {
        const std::optional<bool> in_time =
            co_await with_timeout(limits, limit, sleeps.sleep_for(std::chrono::hours(2), stop));
        word = in_time ? "ended in time" : "time is up";
      } catch (const error& problem) {
        word = "throws " + ending_word(problem.code());
      }
      into.set(word);
    }(note_, on, delay, other_, source_.get_token());
  }
  void cancel() {
    source_.request_stop();
    pump();
  }
  void pump() { other_.poll(); }

 private:
  ending_note& note_;
  std::stop_source source_;
  engine other_{engine_options{.drive = drive_kind::caller, .reserve = 256}};
};

class interval_walk {
 public:
  explicit interval_walk(ending_note& note) noexcept : note_(note) {}
  void start(auto& on, duration delay) {
    [](ending_note& into, auto& place, duration period, std::stop_token stop) -> free_task {
      std::string word;
      try {
        interval every(place, period);
        const bool came = co_await every.next(std::move(stop));
        word = came ? "true" : "false";
      } catch (const error& problem) {
        word = "throws " + ending_word(problem.code());
      }
      into.set(word);
    }(note_, on, delay, source_.get_token());
  }
  void cancel() { source_.request_stop(); }

 private:
  ending_note& note_;
  std::stop_source source_;
};

// Waits beside a sleep of another engine, which takes longer and is asked to end when this one has ended.
class any_walk {
 public:
  explicit any_walk(ending_note& note) noexcept : note_(note) {}
  void start(auto& on, duration delay) {
    [](ending_note& into, auto& place, duration length, engine& other, std::stop_token stop) -> free_task {
      std::string word;
      try {
        const auto first =
            co_await when_any(std::move(stop), place.sleep_for(length), other.sleep_for(std::chrono::hours(2)));
        word = std::get<0>(first.values).value() ? "true" : "false";
      } catch (const error& problem) {
        word = "throws " + ending_word(problem.code());
      }
      into.set(word);
    }(note_, on, delay, other_, source_.get_token());
  }
  void cancel() { source_.request_stop(); }
  void pump() { other_.poll(); }

 private:
  ending_note& note_;
  std::stop_source source_;
  engine other_{engine_options{.drive = drive_kind::caller, .reserve = 256}};
};

// Waits beside a sleep of another engine, which is over at once.
class all_walk {
 public:
  explicit all_walk(ending_note& note) noexcept : note_(note) {}
  void start(auto& on, duration delay) {
    [](ending_note& into, auto& place, duration length, engine& other, std::stop_token stop) -> free_task {
      std::string word;
      try {
        const auto both = co_await when_all(std::move(stop), place.sleep_for(length), other.sleep_for(duration(0)));
        word = std::get<0>(both) ? "true" : "false";
      } catch (const error& problem) {
        word = "throws " + ending_word(problem.code());
      }
      into.set(word);
    }(note_, on, delay, other_, source_.get_token());
  }
  void cancel() { source_.request_stop(); }
  void pump() { other_.poll(); }

 private:
  ending_note& note_;
  std::stop_source source_;
  engine other_{engine_options{.drive = drive_kind::caller, .reserve = 256}};
};

const ending_table sleep_endings{
    {ending_event::elapses, "true"},
    {ending_event::cancelled, "false"},
    {ending_event::cancelled_while_held, "false"},
    {ending_event::unfired_run, "throws stopped"},
    {ending_event::unfired_thrown_away, "throws stopped"},
    {ending_event::refused_drop, "throws dropped"},
    {ending_event::dropped, "throws dropped"},
    {ending_event::group_cancelled, "throws dropped"},
    {ending_event::over_capacity, "throws capacity_exceeded"},
    {ending_event::out_of_memory, "throws out_of_memory"},
    {ending_event::stopped_before, "throws stopped"},
    {ending_event::moved_cancelled, "false"},
    {ending_event::destroyed, "throws stopped"},
    {ending_event::destroyed_when_held, "throws stopped"},
};

class SleepEndings : public ::testing::TestWithParam<ending_case> {};
TEST_P(SleepEndings, EndsOnceByItsWord) { expect_ending<sleep_walk>(GetParam(), sleep_endings); }
INSTANTIATE_TEST_SUITE_P(Walk, SleepEndings, every_ending(), ending_name);

class IntervalEndings : public ::testing::TestWithParam<ending_case> {};
TEST_P(IntervalEndings, EndsOnceByItsWord) { expect_ending<interval_walk>(GetParam(), sleep_endings); }
INSTANTIATE_TEST_SUITE_P(Walk, IntervalEndings, every_ending(), ending_name);

class AnyEndings : public ::testing::TestWithParam<ending_case> {};
TEST_P(AnyEndings, EndsOnceByItsWord) { expect_ending<any_walk>(GetParam(), sleep_endings); }
INSTANTIATE_TEST_SUITE_P(Walk, AnyEndings, every_ending(), ending_name);

class AllEndings : public ::testing::TestWithParam<ending_case> {};
TEST_P(AllEndings, EndsOnceByItsWord) { expect_ending<all_walk>(GetParam(), sleep_endings); }
INSTANTIATE_TEST_SUITE_P(Walk, AllEndings, every_ending(), ending_name);

const ending_table limit_endings{
    {ending_event::elapses, "time is up"},
    {ending_event::cancelled, "ended in time"},
    {ending_event::cancelled_while_held, "ended in time"},
    {ending_event::unfired_run, "throws stopped"},
    {ending_event::unfired_thrown_away, "throws stopped"},
    {ending_event::refused_drop, "throws dropped"},
    {ending_event::dropped, "throws dropped"},
    {ending_event::group_cancelled, "throws dropped"},
    {ending_event::over_capacity, "throws capacity_exceeded"},
    {ending_event::out_of_memory, "throws out_of_memory"},
    {ending_event::stopped_before, "throws stopped"},
    {ending_event::moved_cancelled, "ended in time"},
    {ending_event::destroyed, "throws stopped"},
    {ending_event::destroyed_when_held, "throws stopped"},
};
class LimitEndings : public ::testing::TestWithParam<ending_case> {};
TEST_P(LimitEndings, EndsOnceByItsWord) { expect_ending<limit_walk>(GetParam(), limit_endings); }
INSTANTIATE_TEST_SUITE_P(Walk, LimitEndings, every_ending(), ending_name);

}  // namespace
}  // namespace detent::testing
