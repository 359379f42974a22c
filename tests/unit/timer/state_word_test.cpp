// SPDX-License-Identifier: MIT
#include "timer/state_word.hpp"

#include <gtest/gtest.h>

#include <array>
#include <functional>
#include <vector>

namespace detent::detail {
namespace {

using s = timer_state;
using word_t = std::uint64_t;

constexpr word_t all_flags = state_word::last | state_word::waiter | state_word::unfiled | state_word::periodic |
                             state_word::cold | state_word::owning;
constexpr std::array<timer_state, 8> all_states{s::free,   s::queued,    s::armed,   s::dispatched,
                                                s::firing, s::cancelled, s::dropped, s::returned};
constexpr std::uint32_t generation = 5, order = 7;
constexpr std::int64_t deadline = 1'000;
constexpr word_t kept = state_word::lasting;

word_t word_in(timer_state state, word_t flags = kept) { return state_word::make(generation, order, state, flags); }

struct specimen {
  explicit specimen(timer_state state, word_t flags = kept) : specimen(word_in(state, flags)) {}
  explicit specimen(word_t initial) : word(initial) {
    pair.low.store(initial, base::relaxed);
    pair.high.store(static_cast<std::uint64_t>(deadline), base::relaxed);
  }
  timer_pair pair;
  word_t word;
  word_t now() const { return observe(pair); }
};

// The word after a transition, from each state; the states not listed are left as they are.
template <class Result>
struct expectation {
  timer_state from;
  Result result;
  word_t after;
};

template <class Result>
void expect_from_every_state(Result otherwise, const std::vector<expectation<Result>>& succeed,
                             std::function<Result(specimen&)> act) {
  for (timer_state from : all_states) {
    SCOPED_TRACE(static_cast<int>(from));
    specimen each(from);
    expectation<Result> expected{from, otherwise, each.word};
    for (auto& known : succeed) {
      if (known.from == from) expected = known;
    }
    EXPECT_EQ(act(each), expected.result);
    EXPECT_EQ(each.now(), expected.after);
  }
}

TEST(StateWord, LaysOut64Bits) {
  constexpr word_t all_orders = state_word::order_mask, generations = ~word_t{0} << state_word::generation_shift;
  static_assert((all_orders ^ all_flags ^ state_word::state_field ^ generations ^ (word_t{1} << 31)) == ~word_t{0});
  static_assert(state_word::generation_max == (1U << 27) - 1);
  static_assert(sizeof(timer_pair) == 16 && alignof(timer_pair) == 16);
}

TEST(StateWord, GivesBackWhatWasPackedAtTheExtremes) {
  for (std::uint32_t g : {0U, 1U, state_word::generation_max - 1, state_word::generation_max}) {
    for (std::uint32_t o : {0U, 1U, state_word::order_mask}) {
      for (timer_state state : all_states) {
        for (word_t flags : {word_t{0}, all_flags, state_word::unfiled}) {
          word_t word = state_word::make(g, o, state, flags);
          EXPECT_EQ(state_word::generation(word), g);
          EXPECT_EQ(state_word::order(word), o);
          EXPECT_EQ(state_word::state(word), state);
          EXPECT_EQ(word & all_flags, flags);
          EXPECT_EQ(state_word::with_state(word, s::armed), state_word::make(g, o, s::armed, flags));
        }
      }
    }
  }
}

TEST(StateWord, CountsOrdersModuloTheirBits) {
  EXPECT_EQ(state_word::make(0, state_word::order_mask + 1, s::armed, 0), state_word::make(0, 0, s::armed, 0));
  EXPECT_EQ(state_word::generation(state_word::make(0, UINT32_MAX, s::armed, 0)), 0U);
}

TEST(StateWord, StaysAtTheLastGeneration) {
  EXPECT_EQ(state_word::next_life(word_in(s::firing)), state_word::make(generation + 1, 0, s::free, 0));
  word_t last_life = state_word::make(state_word::generation_max, 9, s::cancelled, kept);
  EXPECT_TRUE(state_word::used_up(last_life));
  EXPECT_EQ(state_word::next_life(last_life), state_word::make(state_word::generation_max, 0, s::free, 0));
  EXPECT_FALSE(state_word::used_up(state_word::make(state_word::generation_max - 1, 9, s::cancelled, kept)));
}

TEST(StateWord, TakesUpWhatIsQueued) {
  expect_from_every_state<take_up_result>(
      take_up_result::stale,
      {{s::queued, take_up_result::armed, word_in(s::armed)}, {s::armed, take_up_result::current, word_in(s::armed)}},
      [](specimen& node) { return take_up(node.pair, generation); });
}

// Two restarts by different threads may carry the same order: the deadline tells them apart.
TEST(StateWord, StartsNoOtherDeadlineEvenIfTheWordIsTheSame) {
  specimen node(s::armed, kept | state_word::moved);
  ASSERT_EQ(restart(node.pair, generation, deadline + 500, order), restart_transition::later);
  ASSERT_EQ(node.now(), node.word);
  EXPECT_EQ(start_armed(node.pair, node.word, deadline), transition::lost);
  EXPECT_EQ(hand_over(node.pair, node.word, deadline, order), transition::lost);
  EXPECT_EQ(start_armed(node.pair, node.word, deadline + 500), transition::done);
}

TEST(StateWord, MarksACancelledNodeOnceItIsEmptied) {
  specimen node(s::armed);
  ASSERT_EQ(cancel(node.pair, generation, false), cancel_transition::from_armed);
  EXPECT_EQ(node.now() & state_word::emptied, 0U);
  mark_emptied(node.pair);
  EXPECT_EQ(node.now(), word_in(s::cancelled, kept | state_word::emptied));
  EXPECT_TRUE(release(node.pair));
}

TEST(StateWord, CancelsWhatIsPendingAndMarksWhatFires) {
  expect_from_every_state<cancel_transition>(
      cancel_transition::gone,
      {{s::queued, cancel_transition::from_queued, word_in(s::cancelled)},
       {s::armed, cancel_transition::from_armed, word_in(s::cancelled)},
       {s::dispatched, cancel_transition::from_dispatched, word_in(s::cancelled)},
       {s::firing, cancel_transition::marked_last, word_in(s::firing, kept | state_word::last)}},
      [](specimen& node) { return cancel(node.pair, generation, false); });
}

TEST(StateWord, RestartsWhatIsPending) {
  for (std::int64_t to : {deadline - 1, deadline, deadline + 1}) {
    SCOPED_TRACE(to);
    bool earlier = to < deadline;
    auto result = earlier ? restart_transition::earlier : restart_transition::later;
    auto moved = [&](timer_state state, bool unfiled) {
      return state_word::make(generation, 99, state, kept | state_word::moved | (unfiled ? state_word::unfiled : 0));
    };
    expect_from_every_state<restart_transition>(restart_transition::gone,
                                                // The first entry may wait behind entries that this thread submits
                                                // next.
                                                {{s::queued, restart_transition::earlier, moved(s::queued, true)},
                                                 {s::armed, result, moved(s::armed, earlier)},
                                                 {s::dispatched, restart_transition::earlier,
                                                  moved(s::queued, true)}},  // nothing else names it: always an entry
                                                [to](specimen& node) {
                                                  auto reported = restart(node.pair, generation, to, 99);
                                                  EXPECT_EQ(deadline_of(node.pair),
                                                            reported == restart_transition::gone ? deadline : to);
                                                  return reported;
                                                });
  }
}

// The one before may not have submitted its entry yet, or the driver not have taken it up.
TEST(StateWord, AsksForAnEntryAsLongAsAnEarlierRestartIsUnfiled) {
  specimen node(s::armed, kept);
  EXPECT_EQ(restart(node.pair, generation, deadline - 10, 8), restart_transition::earlier);
  EXPECT_EQ(restart(node.pair, generation, deadline + 10, 9), restart_transition::earlier);
  EXPECT_EQ(take_up(node.pair, generation), take_up_result::moved);
  EXPECT_EQ(restart(node.pair, generation, deadline + 20, 10), restart_transition::later);
  EXPECT_EQ(node.now(), state_word::make(generation, 10, s::armed, kept | state_word::moved));
}

TEST(StateWord, ReleasesIntoTheNextGenerationUnlessAllAreUsedUp) {
  for (timer_state from : {s::cancelled, s::dropped, s::returned}) {
    specimen node(from), oldest(state_word::make(state_word::generation_max, order, from, kept));
    EXPECT_TRUE(release(node.pair));
    EXPECT_EQ(node.now(), state_word::make(generation + 1, 0, s::free, 0));
    EXPECT_FALSE(release(oldest.pair));
    EXPECT_EQ(state_word::generation(oldest.now()), state_word::generation_max);
    EXPECT_EQ(cancel(oldest.pair, state_word::generation_max, false), cancel_transition::gone);
  }
}

TEST(StateWord, RefusesAnotherGenerationInEveryState) {
  for (std::uint32_t other : {generation - 1, generation + 1}) {
    for (timer_state state : all_states) {
      specimen node(state);
      EXPECT_EQ(take_up(node.pair, other), take_up_result::stale);
      EXPECT_EQ(cancel(node.pair, other, true), cancel_transition::gone);
      EXPECT_EQ(restart(node.pair, other, 1, 1), restart_transition::gone);
      EXPECT_EQ(node.now(), node.word);
      EXPECT_EQ(deadline_of(node.pair), deadline);
    }
  }
}

}  // namespace
}  // namespace detent::detail
