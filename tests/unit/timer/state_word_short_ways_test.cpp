// SPDX-License-Identifier: MIT
// The fast paths through the state word: cancel and restart in one exchange, for the most frequent cases only.
#include "timer/state_word.hpp"

#include <gtest/gtest.h>

#include <array>

namespace detent::detail {
namespace {

using s = timer_state;
using word_t = std::uint64_t;
constexpr std::array<timer_state, 8> all_states{s::free,   s::queued,    s::armed,   s::dispatched,
                                                s::firing, s::cancelled, s::dropped, s::returned};
constexpr std::uint32_t generation = 5, order = 7;
constexpr std::int64_t deadline = 1'000;

struct specimen {
  specimen(timer_state state, word_t flags) : specimen(state_word::make(generation, order, state, flags)) {}
  explicit specimen(word_t initial) : word(initial) {
    pair.low.store(initial, base::relaxed);
    pair.high.store(static_cast<std::uint64_t>(deadline), base::relaxed);
  }
  timer_pair pair;
  word_t word;
  word_t now() const { return observe(pair); }
};

TEST(StateWordFastPaths, CancelsInOneStepWhatIsArmedAndOwnsNothing) {
  specimen node(s::armed, state_word::periodic);
  EXPECT_EQ(cancel(node.pair, generation, false), cancel_transition::emptied_armed);
  EXPECT_EQ(node.now(), state_word::make(generation, order, s::cancelled, state_word::periodic | state_word::emptied));
  EXPECT_TRUE(release(node.pair));
}

TEST(StateWordFastPaths, CancelsPlainlyOnlyWhatIsQueuedAndOwnsNothing) {
  const std::uint32_t half = state_word::queued_half(generation);
  for (timer_state from : all_states) {
    for (word_t flags : {word_t{0}, state_word::cold, word_t{state_word::owning}, word_t{state_word::unfiled}}) {
      SCOPED_TRACE(static_cast<int>(from));
      specimen node(from, flags);
      bool plain = from == s::queued && (flags & (state_word::owning | state_word::unfiled)) == 0;
      EXPECT_EQ(cancel_plain(node.pair, half), plain);
      EXPECT_EQ(state_word::state(node.now()), plain ? s::free : from);
      EXPECT_EQ(state_word::generation(node.now()), plain ? generation + 1 : generation);
    }
  }
  specimen another(s::queued, 0), oldest(state_word::make(state_word::generation_max, order, s::queued, 0));
  EXPECT_FALSE(cancel_plain(another.pair, state_word::queued_half(generation + 1)));
  EXPECT_FALSE(cancel_plain(oldest.pair, state_word::queued_half(state_word::generation_max)));
  EXPECT_EQ(oldest.now(), oldest.word);
}

TEST(StateWordFastPaths, RestartsLaterOnlyWhatIsInTheWheelWhereItWillBeFound) {
  const std::uint32_t half = state_word::queued_half(generation);
  for (timer_state from : all_states) {
    for (word_t flags : {word_t{0}, word_t{state_word::unfiled}, word_t{state_word::owning}, state_word::lasting}) {
      SCOPED_TRACE(static_cast<int>(from));
      specimen node(from, flags), earlier(from, flags);
      bool waits = from == s::armed && (flags & (state_word::unfiled | state_word::cold)) == 0;
      EXPECT_FALSE(restart_later(node.pair, half, deadline, order + 1, [] {}))
          << "whether it keeps its place is not checked here";
      EXPECT_EQ(restart_later(node.pair, half, deadline + 1, order + 1, [] {}), waits);
      EXPECT_EQ(node.now(),
                waits ? state_word::make(generation, order + 1, from, flags | state_word::moved) : node.word);
      EXPECT_FALSE(restart_later(earlier.pair, half, deadline - 1, order + 1, [] {}));
      EXPECT_EQ(earlier.now(), earlier.word);
    }
  }
  specimen another(s::armed, 0);
  EXPECT_FALSE(restart_later(another.pair, state_word::queued_half(generation + 1), deadline + 1, order + 1, [] {}));
}

// At the same deadline, the driver has put it in its place by the order before.
TEST(StateWordFastPaths, AsksForAnEntryWhereAnotherThreadsOrderComesBeforeAtTheSameDeadline) {
  specimen ahead(s::armed, state_word::lasting), same(s::armed, state_word::lasting),
      behind(s::armed, state_word::lasting);
  EXPECT_EQ(restart(ahead.pair, generation, deadline, order - 1), restart_transition::earlier);
  EXPECT_EQ(restart(same.pair, generation, deadline, order), restart_transition::later);
  EXPECT_EQ(restart(behind.pair, generation, deadline, order + 1), restart_transition::later);
}

TEST(StateWordFastPaths, ShowsThatItWasRestartedUntilItFires) {
  specimen inlined(s::armed, state_word::lasting), handed(s::armed, state_word::lasting);
  for (specimen* each : {&inlined, &handed}) {
    ASSERT_EQ(restart(each->pair, generation, deadline, order), restart_transition::later);
    each->word = each->now();
    EXPECT_NE(each->word & state_word::moved, 0u);
  }
  ASSERT_EQ(start_armed(inlined.pair, inlined.word, deadline), transition::done);
  EXPECT_EQ(inlined.now(), state_word::make(generation, order, s::firing, state_word::lasting));
  ASSERT_EQ(hand_over(handed.pair, handed.word, deadline, order), transition::done);
  EXPECT_EQ(handed.now(), state_word::make(generation, order, s::dispatched, state_word::lasting | state_word::moved));
  ASSERT_EQ(start_dispatched(handed.pair, handed.word), transition::done);
  EXPECT_EQ(handed.now(), state_word::make(generation, order, s::firing, state_word::lasting));
}

}  // namespace
}  // namespace detent::detail
