// SPDX-License-Identifier: MIT
#include <detent/recipes/retry_budget.hpp>

#include <detent/recipes/retry.hpp>

#include "support/drive_problem.hpp"
#include "virtual_time.hpp"

#include <limits>
#include <memory>

namespace detent::recipes::testing {
namespace {

using RecipesRetryBudget = Recipes;

TEST_F(RecipesRetryBudget, IsAShareOfTheSuccesses) {
  retry_budget budget(engine_, {.share = 0.25, .most = 3, .per_second = 0});
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(budget.try_spend());
  EXPECT_FALSE(budget.try_spend());
  for (int i = 0; i < 3; ++i) budget.note_success();
  EXPECT_FALSE(budget.try_spend());
  budget.note_success();
  EXPECT_TRUE(budget.try_spend());
  EXPECT_FALSE(budget.try_spend());
  for (int i = 0; i < 100; ++i) budget.note_success();
  EXPECT_EQ(budget.saved(), 3);
}

TEST_F(RecipesRetryBudget, HasSoManyASecondForNothing) {
  retry_budget budget(engine_, {.share = 0, .most = 1, .per_second = 2});
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(budget.try_spend());
  EXPECT_FALSE(budget.try_spend());
  run_until(500);
  EXPECT_TRUE(budget.try_spend());
  EXPECT_FALSE(budget.try_spend());
}

TEST_F(RecipesRetryBudget, EndsARetryThatAllOthersHaveUsedUp) {
  const auto budget =
      std::make_shared<retry_budget>(engine_, retry_budget_options{.share = 1, .most = 2, .per_second = 0});
  const retry_policy policy{.attempts = 3, .pauses = {.first = 10ms, .kind = jitter::none}, .budget = budget};
  std::vector<retry_result> results;
  const auto finished = [&](retry_result result) { results.push_back(result); };
  const auto fails = [](const retry_attempt& attempt) { attempt(false); };
  retry first(engine_, policy, fails, finished);
  run_until(100);
  retry second(engine_, policy, fails, finished);
  run_until(200);
  retry third(
      engine_, policy, [](const retry_attempt& attempt) { attempt(true); }, finished);
  retry fourth(
      engine_, policy, [](const retry_attempt& attempt) { attempt(attempt.number() == 2); }, finished);
  run_until(300);
  EXPECT_EQ(results, (std::vector{retry_result::attempts_used_up, retry_result::out_of_budget, retry_result::succeeded,
                                  retry_result::succeeded}));
  EXPECT_EQ(budget->saved(), 1);
}

TEST_F(RecipesRetryBudget, RefusesWhatCannotBeAShare) {
  const auto why = [this](const retry_budget_options& options) {
    return drive::problem_of([&] { retry_budget budget(engine_, options); });
  };
  EXPECT_TRUE(why({.share = std::numeric_limits<double>::infinity()}).names("retry_budget: share = inf"));
  EXPECT_TRUE(why({.share = std::numeric_limits<double>::quiet_NaN()}).names("retry_budget: share"));
  EXPECT_TRUE(why({.share = -1}).names("retry_budget: share = -1"));
  EXPECT_TRUE(why({.most = 0}).names("retry_budget: most = 0"));
}

}  // namespace
}  // namespace detent::recipes::testing
