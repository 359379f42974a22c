// SPDX-License-Identifier: MIT
// The laws that every wheel keeps. A Kind has wheel_type and make(nodes, grid, start).
#pragma once

#include "limits.hpp"
#include "support/random_source.hpp"
#include "support/specified_wheel.hpp"

#include <algorithm>
#include <array>
#include <cstdint>

namespace detent::test {

using detail::deadline_of;
using detail::forever;
using detail::nanoseconds_t;
using detail::node_index;

inline constexpr nanoseconds_t beginning = INT64_MIN;
inline constexpr nanoseconds_t year = 365LL * 86'400 * 1'000'000'000;
inline constexpr std::array<nanoseconds_t, 4> ticks{1, 3, 1'000, 1'000'000};

template <class Kind>
class WheelLaws : public ::testing::Test {};
TYPED_TEST_SUITE_P(WheelLaws);

// Times around which a carry runs through the levels, and the ends of time.
inline std::vector<nanoseconds_t> awkward_starts(nanoseconds_t tick) {
  std::vector<nanoseconds_t> starts{beginning, beginning + 1, forever - 100 * tick, forever - 1, -1, 0, 1};
  for (nanoseconds_t boundary : {64LL, 4096LL, 1LL << 30, 1LL << 42, 1LL << 62}) {
    for (nanoseconds_t off : {-1, 0, 1}) {
      starts.push_back(boundary + off);
      starts.push_back(-boundary + off);
    }
  }
  return starts;
}

template <class Kind>
void one_random_step(specified_wheel<Kind>& model, random_source& random, nanoseconds_t tick) {
  unsigned bits = random.between(0, 3) == 0 ? 63 : 24;
  nanoseconds_t from_now = detail::add_saturated(model.now(), random.any_magnitude(bits));
  int choice = model.size() == 0 ? 0 : random.between(0, 9);
  auto any_filed = [&] { return model.filed(random.between<std::size_t>(0, model.size() - 1)); };
  switch (choice) {
    case 0:
    case 1:
    case 2:
    case 3:
      if (!model.full()) model.insert(from_now);
      return;
    case 4: return model.unlink(any_filed());
    case 5: return model.restart_later(any_filed(), from_now);
    case 6: return model.restart_and_refile(any_filed(), from_now);
    case 7: return model.advance(random.any_magnitude(bits - 4));
    case 8: return model.advance_to(detail::add_saturated(*model.earliest(), random.between<nanoseconds_t>(-1, 1)));
    default:
      return model.advance_to(detail::add_saturated(*model.earliest(), tick * random.between<nanoseconds_t>(-1, 1)));
  }
}

TYPED_TEST_P(WheelLaws, TakesWhatIsSpecifiedAfterRandomSteps) {
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    random_source random(seed);
    for (nanoseconds_t tick : ticks) {
      for (nanoseconds_t start : awkward_starts(tick)) {
        SCOPED_TRACE(::testing::Message() << "tick " << tick << ", start " << start);
        specified_wheel<TypeParam> model(tick, start, 100);
        for (int step = 0; step < 60; ++step) {
          one_random_step(model, random, tick);
          ASSERT_NO_FATAL_FAILURE(model.verify());
        }
        model.advance_to(forever);
        ASSERT_EQ(model.size(), 0U);
        if (::testing::Test::HasFailure()) return;
      }
    }
  }
}

// So few that a search looks at each of them, and again at those that were restarted.
TYPED_TEST_P(WheelLaws, ReturnsTheNextDeadlineExactlyWhereNodesAreFew) {
  constexpr std::size_t few = std::min(16, detail::limits::exact_looks / 2);
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    random_source random(seed);
    for (nanoseconds_t tick : ticks) {
      for (nanoseconds_t start : awkward_starts(tick)) {
        SCOPED_TRACE(::testing::Message() << "tick " << tick << ", start " << start);
        specified_wheel<TypeParam> model(tick, start, few);
        for (int step = 0; step < 40; ++step) {
          one_random_step(model, random, tick);
          ASSERT_NO_FATAL_FAILURE(model.verify_next_exact());
        }
        if (::testing::Test::HasFailure()) return;
      }
    }
  }
}

// Tries every sequence of three of these, followed by what is left.
template <class Kind>
void one_of_the_steps(specified_wheel<Kind>& model, std::size_t step) {
  static constexpr std::array<nanoseconds_t, 8> delays{-1, 0, 1, 2, 3, 4, 8, forever};
  static constexpr std::array<nanoseconds_t, 7> steps{0, 1, 2, 3, 4, 7, 1LL << 40};
  if (step < delays.size()) return static_cast<void>(model.insert(detail::add_saturated(model.now(), delays[step])));
  step -= delays.size();
  if (step < steps.size()) return model.advance(steps[step]);
  if (model.size() == 0) return;
  switch (step - steps.size()) {
    case 0: return model.unlink(model.filed(0));
    case 1: return model.unlink(model.filed(model.size() - 1));
    case 2: return model.restart_later(model.filed(0), detail::add_saturated(model.deadline(model.filed(0)), 1));
    default: return model.restart_and_refile(model.filed(0), model.now());
  }
}
inline constexpr std::size_t kinds_of_step = 8 + 7 + 4;

TYPED_TEST_P(WheelLaws, HoldsAfterEveryShortSequence) {
  for (nanoseconds_t start : {nanoseconds_t{0}, nanoseconds_t{-2}, nanoseconds_t{7}, forever - 5, beginning}) {
    for (std::size_t sequence = 0; sequence < kinds_of_step * kinds_of_step * kinds_of_step; ++sequence) {
      SCOPED_TRACE(::testing::Message() << "start " << start << ", sequence " << sequence);
      specified_wheel<TypeParam> model(1, start, 3);
      for (std::size_t left = sequence, i = 0; i < 3; ++i, left /= kinds_of_step) {
        one_of_the_steps(model, left % kinds_of_step);
        ASSERT_NO_FATAL_FAILURE(model.verify());
      }
      ASSERT_NO_FATAL_FAILURE(model.verify_next_exact());
      model.advance_to(forever);
      ASSERT_EQ(model.size(), 0U);
      if (::testing::Test::HasFailure()) return;
    }
  }
}

TYPED_TEST_P(WheelLaws, JumpsYearsWithoutLookingAtWhatIsNotDue) {
  specified_wheel<TypeParam> model(1, 1'000, 64);
  model.advance(5 * year);
  EXPECT_EQ(model.takes(), 0U);
  model.insert(model.now() + 5 * year + 1);
  model.advance(5 * year);
  EXPECT_LE(model.takes(), 1U);
  model.advance(1);
  EXPECT_EQ(model.size(), 0U);

  specified_wheel<TypeParam> never(1, 0, 4);
  never.insert(forever);
  for (int jumps = 0; jumps < 50; ++jumps) never.advance(5 * year);
  EXPECT_LE(never.takes(), 5U);  // small wheels pass it down a few levels
}

TYPED_TEST_P(WheelLaws, VisitsEachNodeOnceWhenAllIsDue) {
  specified_wheel<TypeParam> model(1, 0, 1'000);
  for (nanoseconds_t i = 0; i < 1'000; ++i) model.insert(i * (year / 200));
  model.advance(5 * year);
  EXPECT_EQ(model.size(), 0U);
  EXPECT_EQ(model.takes(), 1'000U);
}

TYPED_TEST_P(WheelLaws, KeepsADeadlineAtTheEndOfTimeUntilThen) {
  for (nanoseconds_t tick : ticks) {
    SCOPED_TRACE(tick);
    specified_wheel<TypeParam> model(tick, 0, 4);
    model.insert(forever);
    model.insert(forever - tick - 1);
    model.advance_to(forever - 1);
    EXPECT_EQ(model.size(), 1U);
    ASSERT_NO_FATAL_FAILURE(model.verify());
    ASSERT_NO_FATAL_FAILURE(model.verify_next_exact());
    model.advance_to(forever);
    EXPECT_EQ(model.size(), 0U);
    EXPECT_EQ(model.wheel().next_bound(), std::nullopt);
  }
}

TYPED_TEST_P(WheelLaws, TakesWhatWasPastWhenItWasInsertedAtOnce) {
  specified_wheel<TypeParam> model(1, 5'000, 4);
  model.insert(-7);
  model.insert(4'999);
  model.insert(beginning);
  ASSERT_NO_FATAL_FAILURE(model.verify());
  ASSERT_NO_FATAL_FAILURE(model.verify_next_exact());
  model.advance(0);
  EXPECT_EQ(model.size(), 0U);
}

// The driver sees an earlier deadline in the node before the entry that makes it insert the node again.
TYPED_TEST_P(WheelLaws, InsertsAgainANodeThatWasRestartedEarlierUnnoticed) {
  node_store store(2);
  auto wheel = TypeParam::make(store.nodes(), detail::tick_grid(1), 0);
  node_index index = store.take(1'000'000);
  wheel.insert(index, store[index], 1'000'000);
  store.set_deadline(index, 100);
  int taken = 0;
  auto take_due_at = [&](nanoseconds_t now) {
    wheel.expire(now, [&](node_index, detail::node& each) { return deadline_of(each.pair) <= now && ++taken; });
  };
  take_due_at(50);
  wheel.unlink(store[index]);
  wheel.insert(index, store[index], 100);
  EXPECT_TRUE(wheel.check_invariants());
  EXPECT_LE(*wheel.next_bound(), 100);
  take_due_at(99);
  EXPECT_EQ(taken, 0);
  take_due_at(100);
  EXPECT_EQ(taken, 1);
}

TYPED_TEST_P(WheelLaws, DropsWhatIsGoneWhileItSearchesForTheNext) {
  node_store store(8);
  auto wheel = TypeParam::make(store.nodes(), detail::tick_grid(1), 0);
  for (nanoseconds_t deadline : {10, 500, 700}) {
    node_index index = store.take(deadline);
    wheel.insert(index, store[index], deadline);
  }
  auto next = wheel.next_exact([&](node_index, detail::node& each) {
    if (deadline_of(each.pair) >= 500) return false;
    wheel.unlink(each);
    return true;
  });
  EXPECT_EQ(next, 500);
  EXPECT_TRUE(wheel.check_invariants());
  next = wheel.next_exact([&](node_index, detail::node& each) {
    wheel.unlink(each);
    return true;
  });
  EXPECT_EQ(next, std::nullopt);
  EXPECT_EQ(wheel.next_bound(), std::nullopt);
  EXPECT_TRUE(wheel.check_invariants());
}

// This holds for any number of nodes: a caller that asks for the next deadline must not get a later one.
TYPED_TEST_P(WheelLaws, NeverReturnsATimeAfterADeadlineThatWasPast) {
  for (nanoseconds_t apart : {0, 1}) {  // one node stands for all with the same deadline
    for (nanoseconds_t count : {1, detail::limits::exact_looks, detail::limits::exact_looks + 1, 200}) {
      SCOPED_TRACE(::testing::Message() << count << ", " << apart << " ns apart");
      specified_wheel<TypeParam> model(1, 5'000, 200);
      for (nanoseconds_t i = 0; i < count; ++i) model.insert(1'000 + i * apart);
      std::optional<nanoseconds_t> next = model.wheel().next_exact([](node_index, detail::node&) { return false; });
      ASSERT_TRUE(next.has_value());
      EXPECT_LE(*next, 1'000);
    }
  }
}

REGISTER_TYPED_TEST_SUITE_P(WheelLaws, TakesWhatIsSpecifiedAfterRandomSteps,
                            ReturnsTheNextDeadlineExactlyWhereNodesAreFew, HoldsAfterEveryShortSequence,
                            JumpsYearsWithoutLookingAtWhatIsNotDue, VisitsEachNodeOnceWhenAllIsDue,
                            KeepsADeadlineAtTheEndOfTimeUntilThen, TakesWhatWasPastWhenItWasInsertedAtOnce,
                            InsertsAgainANodeThatWasRestartedEarlierUnnoticed, DropsWhatIsGoneWhileItSearchesForTheNext,
                            NeverReturnsATimeAfterADeadlineThatWasPast);

}  // namespace detent::test
