// SPDX-License-Identifier: MIT
#include "wheel/hashed_wheel.hpp"

#include "support/wheel_laws.hpp"

namespace detent::test {
namespace {

template <std::size_t Slots>
struct slots_around {
  using wheel_type = detail::hashed_wheel<node_store::view>;
  static wheel_type make(node_store::view nodes, detail::tick_grid grid, nanoseconds_t) { return {nodes, grid, Slots}; }
};

using Kinds = ::testing::Types<slots_around<1>, slots_around<8>, slots_around<512>>;
INSTANTIATE_TYPED_TEST_SUITE_P(Hashed, WheelLaws, Kinds);

TEST(HashedWheel, VisitsOnlySlotsInWhichSomethingIsDue) {
  wheel_model<slots_around<512>> model(1, 0, 128);
  for (nanoseconds_t i = 0; i < 100; ++i) model.insert(1'000 + i);
  model.advance_to(999);
  EXPECT_EQ(model.takes(), 0U);
  model.advance_to(1'009);
  EXPECT_EQ(model.takes(), 10U);
}

TEST(HashedWheel, ReturnsTheEarliestExactlyAsItsBound) {
  wheel_model<slots_around<8>> model(1, 0, 16);
  model.insert(77);
  EXPECT_EQ(model.wheel().next_bound(), 77);
  node_index earlier = model.insert(70);
  EXPECT_EQ(model.wheel().next_bound(), 70);
  model.unlink(earlier);
  EXPECT_EQ(model.wheel().next_bound(), 77);
}

TEST(HashedWheel, KeepsALowerBoundOfASlotWhoseEarliestWasUnlinked) {
  wheel_model<slots_around<8>> model(1, 0, 16);
  node_index earliest = model.insert(8);
  model.insert(16);
  model.unlink(earliest);
  ASSERT_NO_FATAL_FAILURE(model.verify());
  ASSERT_NO_FATAL_FAILURE(model.verify_next_exact());
  EXPECT_EQ(model.wheel().next_bound(), 16);
}

TEST(HashedWheel, MovesWhatWasRestartedToItsNewSlotWhenItScansForTheNext) {
  node_store store(1);
  auto wheel = slots_around<8>::make(store.nodes(), detail::tick_grid(1), 0);
  node_index index = store.take(8);
  wheel.insert(index, store[index], 8);
  EXPECT_EQ(store[index].location, 0U);
  store.set_deadline(index, 19);
  EXPECT_EQ(wheel.next_exact([](node_index, detail::node&) { return false; }), 19);
  EXPECT_EQ(store[index].location, 3U);
  EXPECT_TRUE(wheel.check_invariants());
}

// Somebody else's turn comes while many go back to their slots, and finds each in the wheel or taken out of it.
TEST(HashedWheel, LetsOthersInWhileItInsertsManyAgain) {
  constexpr node_index many = 2000;
  node_store store(many);
  auto wheel = slots_around<8>::make(store.nodes(), detail::tick_grid(1), 0);
  for (node_index i = 0; i < many; ++i) {
    const nanoseconds_t deadline = i == 0 ? 8 : 16;
    const node_index index = store.take(deadline);
    wheel.insert(index, store[index], deadline);
  }
  int calls = 0;
  wheel.expire(
      8, [](node_index, detail::node& each) { return deadline_of(each.pair) <= 8; },
      [&] {
        ++calls;
        EXPECT_TRUE(wheel.check_invariants());
      });
  EXPECT_GE(calls, 7);
  EXPECT_EQ(wheel.next_bound(), 16);
}

// A slot of the ring is a tick wide at the finest: neighbours on a coarse grid do not share one.
TEST(HashedWheel, SpreadsNeighbouringTicksOverItsSlots) {
  wheel_model<slots_around<512>> model(1'000, 0, 128);
  for (nanoseconds_t i = 1; i <= 100; ++i) model.insert(i * 1'000);
  model.advance_to(1'000);
  EXPECT_EQ(model.takes(), 1U);
}

}  // namespace
}  // namespace detent::test
