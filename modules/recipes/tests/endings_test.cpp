// SPDX-License-Identifier: MIT
// The recipes' tables of docs/endings.md.
#include <detent/recipes/debounce.hpp>
#include <detent/recipes/hedge.hpp>
#include <detent/recipes/retry.hpp>
#include <detent/recipes/throttle.hpp>

#include "support/engine_endings.hpp"

#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace detent::recipes::testing {
namespace {

using detent::testing::ending_case;
using detent::testing::ending_event;
using detent::testing::ending_name;
using detent::testing::ending_note;
using detent::testing::ending_table;
using detent::testing::every_ending;
using detent::testing::expect_ending;

// Two attempts that fail, with a pause in between.
class retry_walk {
 public:
  explicit retry_walk(ending_note& note) noexcept : note_(note) {}

  void start(const detail::place& on, duration delay) {
    call_ = std::make_unique<call>(
        on, retry_policy{.attempts = 2, .pauses = {.first = delay, .longest = delay, .kind = jitter::none}},
        [](const retry_attempt& attempt) { attempt(false); },
        [this](retry_result result) {
          note_.set(result == retry_result::attempts_used_up ? "attempts_used_up"
                    : result == retry_result::refused        ? "refused"
                                                             : "another");
        });
  }
  void cancel() {
    if (call_->cancel()) note_.set("cancelled");
  }

 private:
  using call = retry<std::function<void(const retry_attempt&)>, std::function<void(retry_result)>>;
  ending_note& note_;
  std::unique_ptr<call> call_;
};

// The first copy does not answer, and the second does. It depends on timing which of the two stop() returns, so once
// the engine has stopped, neither answers.
class hedge_walk {
 public:
  explicit hedge_walk(ending_note& note) noexcept : note_(note) {}

  void start(const detail::place& on, duration delay) {
    on_.emplace(on);
    call_ = std::make_unique<call>(
        on, hedge_options{.delay = delay}, [this](const hedged_copy<int>& copy) { send(copy); },
        [this](std::optional<int> answer) { note_.set(answer ? "an answer" : "no answer"); }, detail::lose_nothing());
  }
  void cancel() {
    if (call_->cancel()) note_.set("cancelled");
  }

 private:
  using call = hedge<int, std::function<void(const hedged_copy<int>&)>, std::function<void(std::optional<int>)>>;
  void send(const hedged_copy<int>& copy) {
    if (copy.index() == 0) {
      first_ = copy;
    } else if (!on_->stopped()) {
      copy(7);
    } else {
      copy(std::nullopt);
      (*first_)(std::nullopt);
    }
  }

  ending_note& note_;
  std::optional<detail::place> on_;
  std::optional<hedged_copy<int>> first_;
  std::unique_ptr<call> call_;
};

// Makes one call. A run that will not come by itself is flushed; one that is about to come may be flushed too.
template <class Recipe>
class call_walk {
 public:
  explicit call_walk(ending_note& note) noexcept : note_(note) {}

  void start(const detail::place& on, duration delay) {
    recipe_ = make(on, delay, [this] { note_.set("runs"); });
    try {
      recipe_->call();
    } catch (...) {
      recipe_.reset();
      throw;
    }
  }
  void cancel() {
    recipe_->cancel();
    if (note_.count() == 0) note_.set("cancelled");
  }
  void pump() {
    if (recipe_ == nullptr || recipe_->pending() || note_.count() != 0) return;
    recipe_->flush();
  }

 private:
  static std::unique_ptr<debounce<>> made(const detail::place& on, duration delay, std::function<void()> f,
                                          debounce<>*) {
    return std::make_unique<debounce<>>(on, delay, std::move(f));
  }
  static std::unique_ptr<throttle<>> made(const detail::place& on, duration delay, std::function<void()> f,
                                          throttle<>*) {
    return std::make_unique<throttle<>>(on, throttle_options{.interval = delay, .leading = false}, std::move(f));
  }
  static std::unique_ptr<Recipe> make(const detail::place& on, duration delay, std::function<void()> f) {
    return made(on, delay, std::move(f), static_cast<Recipe*>(nullptr));
  }

  ending_note& note_;
  std::unique_ptr<Recipe> recipe_;
};

ending_table table(const char* elapses, const char* unfired_run, const char* without_run) {
  return {{ending_event::elapses, elapses},
          {ending_event::cancelled, "cancelled"},
          {ending_event::cancelled_while_held, "cancelled"},
          {ending_event::unfired_run, unfired_run},
          {ending_event::unfired_thrown_away, without_run},
          {ending_event::refused_drop, without_run},
          {ending_event::dropped, without_run},
          {ending_event::group_cancelled, without_run},
          {ending_event::over_capacity, "throws capacity_exceeded"},
          {ending_event::out_of_memory, "throws out_of_memory"},
          {ending_event::stopped_before, "throws stopped"},
          {ending_event::moved_cancelled, "cancelled"},
          {ending_event::destroyed, without_run},
          {ending_event::destroyed_when_held, without_run}};
}

class RecipesEndings : public ::testing::TestWithParam<ending_case> {};

TEST_P(RecipesEndings, RetryFinishesOnce) {
  expect_ending<retry_walk>(GetParam(), table("attempts_used_up", "refused", "refused"));
}
TEST_P(RecipesEndings, DebounceRunsOnce) {
  expect_ending<call_walk<debounce<>>>(GetParam(), table("runs", "runs", "runs"));
}
TEST_P(RecipesEndings, ThrottleRunsOnce) {
  expect_ending<call_walk<throttle<>>>(GetParam(), table("runs", "runs", "runs"));
}
INSTANTIATE_TEST_SUITE_P(Walk, RecipesEndings, every_ending(), ending_name);

// A copy that was sent before the group was cancelled may still answer.
class HedgeEndings : public ::testing::TestWithParam<ending_case> {};
TEST_P(HedgeEndings, AnswersOnce) {
  expect_ending<hedge_walk>(GetParam(), table("an answer", "no answer", "no answer"));
}
INSTANTIATE_TEST_SUITE_P(Walk, HedgeEndings, every_ending(true, false), ending_name);

}  // namespace
}  // namespace detent::recipes::testing
