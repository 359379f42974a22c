// SPDX-License-Identifier: MIT
#include "wheel/hierarchical_wheel.hpp"

#include "support/wheel_laws.hpp"

namespace detent::test {
namespace {

template <unsigned Bits>
struct bits_a_level {
  struct traits {
    static constexpr unsigned slot_bits = Bits, chain_bits = Bits == 6 ? 3 : 1;
  };
  using wheel_type = detail::hierarchical_wheel<node_store::view, traits>;
  static wheel_type make(node_store::view nodes, detail::tick_grid grid, nanoseconds_t start) {
    return {nodes, grid, start};
  }
};

using Kinds = ::testing::Types<bits_a_level<1>, bits_a_level<3>, bits_a_level<6>>;
INSTANTIATE_TYPED_TEST_SUITE_P(Hierarchical, WheelLaws, Kinds);

TEST(HierarchicalWheel, HasLevelsForAll64BitsWhateverTheBitsOfALevel) {
  EXPECT_EQ(bits_a_level<1>::wheel_type::levels, 64U);
  EXPECT_EQ(bits_a_level<3>::wheel_type::levels, 22U);
  EXPECT_EQ(bits_a_level<6>::wheel_type::levels, 11U);
  EXPECT_EQ(detail::hierarchical_wheel<node_store::view>::slot_bits, detail::limits::slot_bits);
}

// One node, one slot a level: however the time passes, each level hands it down once at most.
TEST(HierarchicalWheel, HandsANodeDownAtMostOnceALevel) {
  specified_wheel<bits_a_level<6>> model(1, 0, 4);
  nanoseconds_t deadline = (1LL << 30) + 12'345;
  model.insert(deadline);
  while (model.size() != 0) model.advance((deadline - model.now()) / 2 + 1);
  EXPECT_LE(model.takes(), 6U);
}

TEST(HierarchicalWheel, InsertsByTheHighestDigitThatDiffersFromItsTime) {
  node_store store(4);
  auto wheel = bits_a_level<6>::make(store.nodes(), detail::tick_grid(1), 0);
  struct {
    nanoseconds_t deadline;
    std::uint32_t slot;
  } const cases[] = {{0, 0}, {5, 5}, {63, 63}, {64, 64 + 1}, {4'095, 64 + 63}, {4'096, 128 + 1}, {-1, 0}};
  for (auto& each : cases) {
    SCOPED_TRACE(each.deadline);
    node_index index = store.take(each.deadline);
    wheel.insert(index, store[index], each.deadline);
    EXPECT_EQ(wheel.slot_of(store[index]), each.slot);
    wheel.unlink(store[index]);
    store.give_back(index);
  }
}

TEST(HierarchicalWheel, ScansNothingWhenTimeSeemsToGoBack) {
  specified_wheel<bits_a_level<6>> model(1, 1'000, 4);
  model.advance_to(2'000);
  model.insert(2'010);
  model.insert(900'000);
  int scanned = 0;
  model.wheel().expire(500, [&](node_index, detail::node&) { return ++scanned < 0; });
  EXPECT_EQ(scanned, 0);
  ASSERT_NO_FATAL_FAILURE(model.verify());
  model.advance_to(900'000);
  EXPECT_EQ(model.size(), 0U);
}

// 999'999 and the tick after it share a unit of the finest level.
TEST(HierarchicalWheel, DoesNotScanTheNextTickBeforeItHasCome) {
  specified_wheel<bits_a_level<6>> model(1'000, 999'000, 4);
  model.insert(1'000'000);
  for (int again = 0; again < 3; ++again) model.advance_to(999'999);
  EXPECT_EQ(model.takes(), 0U);
  model.advance_to(1'000'000);
  EXPECT_EQ(model.size(), 0U);
}

// Beyond the limit a bound has to do, which is never later.
TEST(HierarchicalWheel, ReturnsABoundWhereManyShareTheEarliestSlot) {
  specified_wheel<bits_a_level<6>> model(1, 0, 200);
  for (nanoseconds_t i = 0; i < 200; ++i) model.insert(100'000 + i % 50);
  auto next = model.wheel().next_exact([](node_index, detail::node&) { return false; });
  ASSERT_TRUE(next.has_value());
  EXPECT_LE(*next, 100'000);
  EXPECT_GT(*next, 0);
}

constexpr auto nothing_is_gone = [](node_index, detail::node&) { return false; };

// A slot with two sets: `count` nodes of each time. Restarted ones are where they were until the wheel finds out.
struct two_sets {
  node_store store{256};
  bits_a_level<6>::wheel_type wheel = bits_a_level<6>::make(store.nodes(), detail::tick_grid(1), 0);
  std::vector<node_index> older, newer;

  two_sets(std::size_t count, nanoseconds_t of_older, std::size_t count_of_newer, nanoseconds_t of_newer) {
    insert(older, count, of_older);
    insert(newer, count_of_newer, of_newer);
  }
  void insert(std::vector<node_index>& into, std::size_t count, nanoseconds_t time) {
    for (std::size_t i = 0; i < count; ++i) {
      into.push_back(store.take(time));
      wheel.insert(into.back(), store[into.back()], time);
    }
  }
  std::optional<nanoseconds_t> next() { return wheel.next_exact(nothing_is_gone); }
};

constexpr nanoseconds_t slot = 1 << 20;  // and some thousand nanoseconds more are in it

// Keep-alives are restarted to later, which the wheel finds out as it searches: it looks at 64 nodes and no more.
TEST(HierarchicalWheel, ReturnsNothingLaterThanASetToWhichTheSearchDidNotCome) {
  for (std::size_t restarted = 0; restarted <= 80; ++restarted) {
    two_sets of(8, slot + 1'000, restarted + 1, slot + 2'000);
    // All but one, to which the search of their set comes last.
    std::size_t stays = 0;
    for (std::size_t list = 0; list < 8; ++list) {
      for (std::size_t i = list; i <= restarted; i += 8) stays = i;
    }
    for (std::size_t i = 0; i <= restarted; ++i) {
      if (i != stays) of.store.set_deadline(of.newer[i], slot + 3'000);
    }
    EXPECT_LE(*of.next(), slot + 1'000) << restarted << " of the newer set were restarted";
  }
}

TEST(HierarchicalWheel, FindsWhatTheSearchItselfHasFiledAgainInTheSameSlot) {
  for (std::size_t restarted = 1; restarted <= 20; ++restarted) {
    two_sets of(restarted, slot + 1'000, 9, slot + 3'000);
    for (const node_index each : of.older) of.store.set_deadline(each, slot + 2'000);
    const nanoseconds_t found = *of.next();
    EXPECT_LE(found, slot + 2'000) << restarted << " of the older set were restarted";
    // With fewer looks the search has to do with an earlier time.
    if (detail::limits::exact_looks >= 64) {
      EXPECT_EQ(found, slot + 2'000) << restarted;
    }
    EXPECT_TRUE(of.wheel.check_invariants());
  }
}

// A run is fired as it lies, so that it must lie in order: also what has come down from a set of mixed times.
TEST(HierarchicalWheel, MakesNoRunOfWhatWasOnceInsertedOutOfOrder) {
  for (const bool in_order : {true, false}) {
    two_sets of(1, slot + 5, 0, 0);
    for (int i = 0; i < 16; ++i) {
      const node_index each = of.store.take(slot + 1'000);
      of.wheel.insert(each, of.store[each], slot + 1'000, in_order || i != 7);
    }
    std::size_t taken = 0;
    for (const nanoseconds_t now : {slot + 10, slot + 1'000}) {
      of.wheel.expire_in_sets(
          now, [&](node_index, const detail::node& each) { return deadline_of(each.pair) <= now && ++taken != 0; });
    }
    EXPECT_EQ(of.wheel.due().empty(), !in_order);
    EXPECT_EQ(taken, in_order ? 1u : 17u);
  }
}

}  // namespace
}  // namespace detent::test
