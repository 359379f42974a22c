// SPDX-License-Identifier: MIT
#include <detent/recipes/hedge.hpp>

#include "virtual_time.hpp"

#include <functional>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace detent::recipes::testing {
namespace {

class RecipesHedge : public Recipes {
 protected:
  auto make(hedge_options options) {
    return hedge_call<int>(
        engine_, options,
        [this](const hedged_copy<int>& copy) {
          at_.push_back(now());
          copies_.push_back(copy);
        },
        [this](std::optional<int> answer) { answers_.push_back(answer.value_or(-1)); },
        [this](int index) { lost_.push_back(index); });
  }
  std::vector<hedged_copy<int>> copies_;
  std::vector<int> answers_, lost_;
};

TEST_F(RecipesHedge, SendsNoSecondCopyIfTheFirstAnswersInTime) {
  auto call = make({.delay = 10ms});
  run_until(9);
  copies_.at(0)(7);
  run_until(100);
  EXPECT_EQ(at_, milliseconds{0});
  EXPECT_EQ(answers_, std::vector{7});
  EXPECT_TRUE(lost_.empty());
  EXPECT_EQ(engine_.pending(), 0u);
}

TEST_F(RecipesHedge, TakesTheFirstAnswerAndLosesTheOtherCopies) {
  auto call = make({.delay = 10ms, .copies = 3});
  run_until(25);
  copies_.at(1)(8);
  copies_.at(0)(7);
  EXPECT_EQ(at_, (milliseconds{0, 10, 20}));
  EXPECT_EQ(answers_, std::vector{8});
  EXPECT_EQ(lost_, (std::vector{0, 2}));
}

TEST_F(RecipesHedge, SendsTheNextAtOnceAfterAFailureAndGivesUpAfterTheLast) {
  auto call = make({.delay = 10ms});
  run_until(3);
  copies_.at(0)(std::nullopt);
  run_until(4);
  EXPECT_EQ(at_, (milliseconds{0, 3}));
  EXPECT_TRUE(answers_.empty());
  copies_.at(1)(std::nullopt);
  EXPECT_EQ(answers_, std::vector{-1});
}

TEST_F(RecipesHedge, LosesACopyInWhoseSendItIsCancelled) {
  std::function<void()> cancel;
  auto call = hedge_call<int>(
      engine_, {.delay = 10ms}, [&](const hedged_copy<int>&) { cancel(); },
      [this](std::optional<int> answer) { answers_.push_back(answer.value_or(-1)); },
      [this](int index) { lost_.push_back(index); });
  cancel = [&] { EXPECT_TRUE(call.cancel()); };
  run_until(50);
  EXPECT_EQ(lost_, std::vector{0});
  EXPECT_TRUE(answers_.empty());
}

TEST_F(RecipesHedge, CancelledLosesWhatIsUnderWay) {
  auto call = make({.delay = 10ms});
  run_until(3);
  EXPECT_TRUE(call.cancel());
  run_until(50);
  copies_.at(0)(7);
  EXPECT_EQ(lost_, std::vector{0});
  EXPECT_TRUE(answers_.empty());
}

// A session owns its hedge and the copies, and `lost` destroys it in the middle of the call that reports or cancels.
TEST_F(RecipesHedge, MayBeDestroyedByALoss) {
  using call = hedge<int, std::function<void(const hedged_copy<int>&)>, std::function<void(std::optional<int>)>,
                     std::function<void(int)>>;
  struct session {
    std::vector<hedged_copy<int>> copies;
    std::optional<call> requests;
  };
  for (const bool cancels : {false, true}) {
    answers_.clear();
    lost_.clear();
    auto owner = std::make_unique<session>();
    auto held = std::make_shared<int>();  // kept by the hedge
    const std::weak_ptr<int> hedge_lives = held;
    owner->requests.emplace(
        engine_, hedge_options{.delay = 10ms}, [to = &owner->copies](const hedged_copy<int>& c) { to->push_back(c); },
        [this](std::optional<int> answer) { answers_.push_back(answer.value_or(-1)); },
        [&, here = std::move(held)](int index) {
          lost_.push_back(index);
          owner.reset();
          EXPECT_FALSE(hedge_lives.expired());
        });
    run_until(now() + 15);
    if (cancels) {
      owner->requests->cancel();
    } else {
      owner->copies.at(1)(7);
    }
    EXPECT_EQ(lost_, cancels ? (std::vector{0, 1}) : std::vector{0});
    EXPECT_EQ(answers_, cancels ? std::vector<int>() : std::vector{7});
    EXPECT_TRUE(hedge_lives.expired());
  }
}

}  // namespace
}  // namespace detent::recipes::testing
