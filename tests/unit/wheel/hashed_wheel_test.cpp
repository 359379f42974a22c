// SPDX-License-Identifier: MIT
#include "wheel/hashed_wheel.hpp"

#include "support/lone_hashed_wheel.hpp"
#include "support/wheel_laws.hpp"

namespace detent::test {
namespace {

// With few near ticks most is in the slots' lists.
template <std::size_t Slots, unsigned NearTicks = 2>
struct slots_around {
  using wheel_type = lone_hashed_wheel<node_store::view, NearTicks>;
  static wheel_type make(node_store::view nodes, detail::tick_grid grid, nanoseconds_t start) {
    return {nodes, grid, start, Slots};
  }
};
using as_in_engines = slots_around<512, detail::limits::near_ticks>;

using Kinds = ::testing::Types<slots_around<1>, slots_around<8>, slots_around<512>, as_in_engines>;
INSTANTIATE_TYPED_TEST_SUITE_P(Hashed, WheelLaws, Kinds);

TEST(HashedWheel, VisitsOnlySlotsInWhichSomethingIsDue) {
  specified_wheel<slots_around<512>> model(1, 0, 128);
  for (nanoseconds_t i = 0; i < 100; ++i) model.insert(1'000 + i);
  model.advance_to(999);
  EXPECT_EQ(model.takes(), 0U);
  model.advance_to(1'009);
  EXPECT_EQ(model.takes(), 10U);
}

TEST(HashedWheel, ReturnsTheEarliestExactlyAsItsBound) {
  specified_wheel<slots_around<8>> model(1, 0, 16);
  model.insert(77);
  EXPECT_EQ(model.wheel().next_bound(), 77);
  node_index earlier = model.insert(70);
  EXPECT_EQ(model.wheel().next_bound(), 70);
  model.unlink(earlier);
  EXPECT_EQ(model.wheel().next_bound(), 77);
}

// Counts how often the wheel asks when a node is due.
struct counting_view {
  node_store::view nodes;
  int* asked;
  detail::node& operator[](node_index index) const noexcept { return nodes[index]; }
  detail::filing filing_of(node_index index, const detail::node& of) const noexcept {
    ++*asked;
    return nodes.filing_of(index, of);
  }
  void prefetch(node_index index, const detail::node& neighbour) const noexcept { nodes.prefetch(index, neighbour); }
};

TEST(HashedWheel, DoesNotVisitWhatIsFarForWhatIsNearInTheSameSlot) {
  constexpr nanoseconds_t far = 512 * 1'000;
  node_store store(101);
  int asked = 0;
  lone_hashed_wheel<counting_view> wheel({store.nodes(), &asked}, detail::tick_grid(1), 0, 512);
  const auto insert = [&](nanoseconds_t deadline) {
    const node_index index = store.take(deadline);
    wheel.insert(index, store[index], deadline);
    return index;
  };
  for (int i = 0; i < 100; ++i) insert(far);
  for (nanoseconds_t due = 512; due <= 512 * 100; due += 512) {
    wheel.expire(due - 1, [](node_index, detail::node&) { return false; });
    node_index near = insert(due);
    int taken = 0;
    wheel.expire(due, [&](node_index index, detail::node&) {
      EXPECT_EQ(index, near);
      return ++taken != 0;
    });
    EXPECT_EQ(taken, 1);
    store.give_back(near);
  }
  EXPECT_EQ(asked, 0);
  EXPECT_EQ(wheel.next_bound(), far);
}

TEST(HashedWheel, DoesNotVisitWhatIsFarForWhatWasPast) {
  node_store store(101);
  int asked = 0;
  lone_hashed_wheel<counting_view> wheel({store.nodes(), &asked}, detail::tick_grid(1), 0, 1);
  wheel.expire(10'000, [](node_index, detail::node&) { return true; });
  for (const nanoseconds_t deadline : std::vector<nanoseconds_t>(100, 100'000)) {
    const node_index index = store.take(deadline);
    wheel.insert(index, store[index], deadline);
  }
  const node_index late = store.take(9'000);
  wheel.insert(late, store[late], 9'000);
  wheel.expire(10'001, [&](node_index index, detail::node&) { return index == late; });
  EXPECT_EQ(asked, 0);
  EXPECT_EQ(wheel.next_bound(), 100'000);
}

// Somebody else's turn comes while many are moved to the near ticks, and finds each in the wheel or taken out of it.
TEST(HashedWheel, LetsOthersInWhileItMovesMany) {
  constexpr node_index many = 2000;
  node_store store(many);
  auto wheel = slots_around<1, detail::limits::near_ticks>::make(store.nodes(), detail::tick_grid(1), 0);
  for (node_index i = 0; i < many; ++i) {
    const nanoseconds_t deadline = i == 0 ? 5'120 : 5'121;
    const node_index index = store.take(deadline);
    wheel.insert(index, store[index], deadline);
  }
  int calls = 0;
  wheel.expire(
      5'120, [](node_index, detail::node& each) { return deadline_of(each.pair) <= 5'120; },
      [&] {
        ++calls;
        EXPECT_TRUE(wheel.check_invariants());
      });
  EXPECT_GE(calls, static_cast<int>((many - 1) / detail::limits::files_between));
  EXPECT_EQ(wheel.next_bound(), 5'121);
}

// A slot of the ring is a tick wide at the finest: neighbours on a coarse grid do not share one.
TEST(HashedWheel, SpreadsNeighbouringTicksOverItsSlots) {
  specified_wheel<slots_around<512>> model(1'000, 0, 128);
  for (nanoseconds_t i = 1; i <= 100; ++i) model.insert(i * 1'000);
  model.advance_to(1'000);
  EXPECT_EQ(model.takes(), 1U);
}

}  // namespace
}  // namespace detent::test
