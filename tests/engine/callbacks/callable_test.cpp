// SPDX-License-Identifier: MIT
// Callables of every kind may be scheduled: move-only ones, of any size and alignment. Each is destroyed exactly once.
#include <detent/detail/timer_access.hpp>
#include <detent/detent.hpp>
#include "timer/node.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <stdexcept>
#include <utility>
#include <vector>

#include "support/drive_virtual.hpp"
#include "support/engine_captures.hpp"
#include "support/engine_executors.hpp"

namespace detent {
namespace {

using namespace std::chrono_literals;
using drive::at;
using testing::bystander;
using testing::census;

int plain_calls = 0;
void plain() { ++plain_calls; }

TEST(EngineCallable, MayBeMoveOnly) {
  drive::virtual_engine rig;
  int seen = 0;
  auto only = [&, held = std::make_unique<int>(7)] {
    seen = *held;
    return std::make_unique<int>();  // ignored
  };
  rig.engine.schedule_at(at(10), std::move(only));
  rig.poll_at(at(10));
  EXPECT_EQ(seen, 7);
}

TEST(EngineCallable, MayBeAFunctionAPointerOrAStdFunction) {
  drive::virtual_engine rig;
  plain_calls = 0;
  rig.engine.schedule_at(at(10), plain);
  rig.engine.schedule_at(at(10), &plain);
  rig.engine.schedule_at(at(10), std::function<void()>(plain));
  rig.poll_at(at(10));
  EXPECT_EQ(plain_calls, 3);
}

// A callable that does something when it is moved out of its node.
struct moved_out {
  std::function<void()>* then;
  census::token here;
  moved_out(std::function<void()>& what, census& of) : then(&what), here(of.join()) {}
  moved_out(moved_out&& other) noexcept : then(other.then), here(std::move(other.here)) {
    if (*then) std::exchange(*then, nullptr)();
  }
  void operator()() const {}
};
static_assert(fits_inline<moved_out>);

// The driver comes to a cancelled timer whose callable is still being moved out: the node is not free yet.
TEST(EngineCallable, HasItsNodeToItselfUntilItIsMovedOut) {
  drive::virtual_engine rig;
  census cancelled, later;
  std::function<void()> then;
  timer inserted = rig.engine.schedule_at(at(10), moved_out(then, cancelled));
  rig.engine.poll();
  then = [&] {
    rig.poll_at(at(10));
    rig.engine.schedule_at(at(20), bystander<0>{later.join()});
  };
  EXPECT_EQ(inserted.cancel(), cancel_result::cancelled);
  EXPECT_EQ(cancelled.ended(), 1);
  EXPECT_EQ(later.living(), 1);
  EXPECT_EQ(rig.poll_at(at(20)), 1u);
  EXPECT_EQ(later.ended(), 1);
}

struct counted_copies {
  int* copies;
  int* calls;
  counted_copies(int& c, int& n) : copies(&c), calls(&n) {}
  counted_copies(const counted_copies& other) : copies(other.copies), calls(other.calls) { ++*copies; }
  counted_copies(counted_copies&&) noexcept = default;
  void operator()() const { ++*calls; }
};

TEST(EngineCallable, IsMovedFromATemporaryAndCopiedOnceFromAVariable) {
  drive::virtual_engine rig;
  int copies = 0, calls = 0;
  counted_copies mine(copies, calls);
  rig.engine.schedule_at(at(10), counted_copies(copies, calls));
  EXPECT_EQ(copies, 0);
  rig.engine.schedule_at(at(10), mine);
  rig.poll_at(at(10));
  mine();
  EXPECT_EQ(copies, 1);
  EXPECT_EQ(calls, 3);
}

// Checks at its run that each of its bytes is as it was.
template <std::size_t Size>
struct sized {
  std::array<unsigned char, Size> bytes;
  explicit sized(unsigned char seed) {
    for (std::size_t i = 0; i < Size; ++i) bytes[i] = static_cast<unsigned char>(seed + i * 31);
  }
  void operator()() const { EXPECT_EQ(bytes, sized(bytes[0]).bytes) << "size " << Size; }
};

template <std::size_t... Sizes>
void run_all_sizes(drive::virtual_engine& rig, std::index_sequence<Sizes...>) {
  unsigned char seed = 1;
  (rig.engine.schedule_at(at(10), sized<Sizes>(seed++)), ...);
  EXPECT_EQ(rig.poll_at(at(10)), sizeof...(Sizes));
}

TEST(EngineCallable, KeepsEachByteWhateverItsSize) {
  drive::virtual_engine rig;
  run_all_sizes(rig, std::index_sequence<1, 2, 7, 8, 16, 23, 24, 25, 32, 48, 63, 64, 65, 100, 1000, 4096, 65'536>());
}

template <std::size_t Alignment, std::size_t Size>
struct alignas(Alignment) aligned {
  std::array<std::byte, Size> bytes{};
  void operator()() const { EXPECT_EQ(reinterpret_cast<std::uintptr_t>(this) % Alignment, 0u) << Alignment; }
};
static_assert(fits_inline<sized<24>> && fits_inline<aligned<16, 16>>);
static_assert(!fits_inline<sized<25>> && !fits_inline<aligned<32, 1>>);

TEST(EngineCallable, StaysAlignedWhateverItsAlignment) {
  drive::virtual_engine rig;
  for (int i = 0; i < 8; ++i) {
    rig.engine.schedule_at(at(10), aligned<1, 1>{});
    rig.engine.schedule_at(at(10), aligned<16, 16>{});
    rig.engine.schedule_at(at(10), aligned<16, 17>{});
    rig.engine.schedule_at(at(10), aligned<32, 1>{});
    rig.engine.schedule_at(at(10), aligned<64, 100>{});
    rig.engine.schedule_at(at(10), aligned<4096, 1>{});
  }
  EXPECT_EQ(rig.poll_at(at(10)), 48u);
}

TEST(EngineCallable, IsCountedAsBoxedIfItDoesNotFit) {
  drive::virtual_engine rig;
  rig.engine.schedule_at(at(10), sized<24>(1));
  EXPECT_EQ(rig.engine.metrics().boxed, 0u);
  rig.engine.schedule_at(at(10), sized<25>(1));
  rig.engine.schedule_at(at(10), aligned<32, 1>{});
  rig.engine.schedule_at(at(10), sized<100>(1)).cancel();
  EXPECT_EQ(rig.engine.metrics().boxed, 3u);
}

template <std::size_t Bytes>
struct throws_when_copied {
  std::array<std::byte, Bytes> bytes{};
  throws_when_copied() = default;
  throws_when_copied(const throws_when_copied&) { throw std::runtime_error("no copy"); }
  throws_when_copied(throws_when_copied&&) noexcept = default;
  void operator()() const {}
  void operator()(std::size_t) const {}
};
static_assert(fits_inline<throws_when_copied<8>>);

TEST(EngineCallable, LeavesNothingBehindIfItsCopyThrows) {
  drive::virtual_engine rig({.max_pending = 1});
  throws_when_copied<8> small;
  throws_when_copied<100> large;
  EXPECT_THROW(rig.engine.schedule_at(at(10), small), std::runtime_error);
  EXPECT_THROW(rig.engine.schedule_at(at(10), large), std::runtime_error);
  EXPECT_EQ(rig.engine.pending(), 0u);
  EXPECT_EQ(rig.engine.metrics().scheduled, 0u);
  EXPECT_TRUE(rig.engine.try_schedule_at(at(10), [] {})) << "the place was given back";
  EXPECT_EQ(rig.poll_at(at(10)), 1u);
}

// In a node or not: many that are scheduled in one call share what cannot be copied without a throw.
TEST(EngineCallable, IsMovedOnceForManyIfItsCopyMayThrow) {
  drive::virtual_engine rig;
  const std::vector<time_point> deadlines(10, at(10));
  std::vector<timer> out(10);
  throws_when_copied<8> small;
  EXPECT_THROW(rig.engine.schedule_at_bulk(deadlines, small, out), std::runtime_error);
  EXPECT_EQ(rig.engine.pending(), 0u);
  EXPECT_EQ(rig.engine.schedule_at_bulk(deadlines, std::move(small), out), 10u);
  EXPECT_EQ(rig.poll_at(at(10)), 10u);
}

// Ends one timer in each of the ways there are.
template <std::size_t Bytes>
void expect_destroyed_once_in_every_way() {
  census captures;
  {
    auto holds = std::make_shared<testing::holding_executor>();
    drive::virtual_engine rig({.executor = holds});
    auto make = [&] { return bystander<Bytes>{captures.join()}; };
    rig.engine.schedule_at(at(10), make());                             // fires
    rig.engine.schedule_at_fixed_rate(10ns, 1ns, make(), {.runs = 1});  // uses up its runs
    rig.engine.schedule_at(at(1), make(), {.max_lateness = 1ns});       // is stale
    rig.engine.schedule_at(at(10), make()).cancel();                    // is cancelled
    rig.poll_at(at(10));
    holds->run_all();
    EXPECT_EQ(captures.living(), 0);
    rig.engine.schedule_at(at(10), make());  // is let go by the executor
    rig.engine.poll();
    holds->held.clear();
    EXPECT_EQ(captures.living(), 0);
    rig.engine.schedule_at(at(20), make());  // is returned by stop
    EXPECT_EQ(rig.engine.stop().size(), 1u);
    EXPECT_EQ(captures.living(), 0);
    EXPECT_THROW(rig.engine.schedule_at(at(20), make()), error);  // is refused
    drive::virtual_engine ends;
    ends.engine.schedule_at(at(10), make());  // goes with its engine
  }
  EXPECT_EQ(captures.living(), 0);
  EXPECT_EQ(captures.ended(), 8);
}

TEST(EngineCallable, IsDestroyedOnceHoweverItsTimerEnds) {
  expect_destroyed_once_in_every_way<0>();
  expect_destroyed_once_in_every_way<100>();  // boxed
}

struct throws_when_moved {
  throws_when_moved() = default;
  throws_when_moved(throws_when_moved&&) { throw std::runtime_error("moved"); }
  void operator()() const {}
};

// More often than there are nodes at hand: each gives its own back.
constexpr int often = 2000;
constexpr detail::node_index at_hand = 512;

TEST(EngineCallable, TakesNoNodeWithItWhereItsConstructionThrows) {
  drive::virtual_engine rig;
  for (int i = 0; i < often; ++i) EXPECT_THROW(rig.engine.schedule_at(at(10), throws_when_moved()), std::runtime_error);
  EXPECT_LT(detail::timer_access::index(rig.engine.schedule_at(at(10), [] {})), at_hand);
}

TEST(EngineCallable, TakesNoNodeWithItWhereItIsCancelledWhileItIsDue) {
  drive::virtual_engine rig;
  census callables;
  timer left_over;
  for (int i = 0; i < often; ++i) {
    rig.engine.schedule_at(at(i), [] {});
    left_over = rig.engine.schedule_at(at(i), bystander<0>{callables.join()});
    ASSERT_EQ(rig.poll_at(at(i), 1), 1u);
    ASSERT_EQ(left_over.cancel(), cancel_result::cancelled);
    ASSERT_EQ(rig.engine.poll(), 0u);
  }
  EXPECT_EQ(callables.ended(), often);
  EXPECT_LT(detail::timer_access::index(left_over), at_hand);
}

}  // namespace
}  // namespace detent
