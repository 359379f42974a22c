// SPDX-License-Identifier: MIT
#include <detent/detail/callable.hpp>
#include <detent/detail/schedule.hpp>

#include "callers/pending_list.hpp"
#include "timer/run_scope.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <stdexcept>
#include <type_traits>

namespace detent::detail {
namespace {

template <std::size_t Size>
struct sized {
  std::array<std::byte, Size> room{};
  void operator()() {}
};
struct alignas(64) over_aligned {
  int* seen;
  void operator()() { *seen = reinterpret_cast<std::uintptr_t>(this) % 64 == 0 ? 1 : -1; }
};
struct throwing_move {
  throwing_move() = default;
  throwing_move(const throwing_move&) = default;
  throwing_move(throwing_move&&) noexcept(false) {}
  void operator()() {}
};

static_assert(fits_inline<sized<24>> && !fits_inline<sized<25>>);
static_assert(!fits_inline<over_aligned>);
static_assert(!fits_inline<throwing_move>, "stop() moves callables, and must not fail");
static_assert(fits_inline<void (*)()> && fits_inline<std::unique_ptr<int>>);
static_assert(timer_callback<void (*)()> && timer_callback<int (*)(firing&)>);
static_assert(!timer_callback<void (*)(int)> && !timer_callback<int>);

// Counts how many live, and how many there ever were.
struct tally {
  int live = 0, born = 0, runs = 0;
};
template <std::size_t Padding>
struct counted {
  explicit counted(tally& t) : counts(&t) { ++counts->live, ++counts->born; }
  counted(counted&& other) noexcept : counts(other.counts) { ++counts->live, ++counts->born; }
  counted(const counted&) = delete;
  ~counted() { --counts->live; }
  void operator()() { ++counts->runs; }
  tally* counts;
  std::array<std::byte, Padding> padding{};
};
using small = counted<8>;
using large = counted<100>;
static_assert(fits_inline<small> && !fits_inline<large>);

// A core without a thread that nobody drives.
class Callable : public ::testing::Test {
 protected:
  static engine_options options() {
    engine_options made;
    made.drive = drive_kind::caller;
    made.reserve = 16;
    made.capacity = 1;
    return made;
  }
  template <class F>
  static const callable_ops& ops() {
    if constexpr (fits_inline<F>)
      return inline_callable<F>::ops;
    else
      return boxed_callable<F>::ops;
  }
  template <class F>
  claim make(F&& f) {
    claim owned = claim_node(core_, {});
    EXPECT_NE(owned.owned, nullptr);
    EXPECT_TRUE(construct<std::decay_t<F>>(core_, owned, std::forward<F>(f)));
    return owned;
  }
  template <class F>
  void invoke(const claim& owned) {
    run_scope scope(nullptr, 0, 0);
    ops<F>().invoke(owned.capture, scope.view());
  }

  engine_core core_{options()};
};

TEST_F(Callable, HasNothingToDestroyWhereItIsTrivial) {
  auto trivial = [value = 5] { static_cast<void>(value); };
  EXPECT_EQ(ops<decltype(trivial)>().destroy, nullptr);
  EXPECT_NE(ops<small>().destroy, nullptr);
  EXPECT_NE(ops<sized<25>>().destroy, nullptr) << "the box has to go";
  claim owned = make(trivial);
  destroy_callable(ops<decltype(trivial)>(), owned.capture);
  abandon(core_, owned);
}

template <class F>
void lives_runs_and_dies_once(const callable_ops& ops, const claim& owned, tally& counts,
                              const std::function<void()>& invoke) {
  EXPECT_EQ(counts.live, 1);
  invoke();
  invoke();
  EXPECT_EQ(counts.runs, 2);
  EXPECT_EQ(counts.live, 1);
  alignas(capture_alignment) std::byte elsewhere[capture_size];
  ops.relocate(owned.capture, elsewhere);
  EXPECT_EQ(counts.live, 1) << "moved, the source is destroyed";
  destroy_callable(ops, elsewhere);
  EXPECT_EQ(counts.live, 0);
}

TEST_F(Callable, LivesInTheNodeIfItFits) {
  tally counts;
  claim owned = make(small(counts));
  EXPECT_EQ(counts.born, 2);
  lives_runs_and_dies_once<small>(ops<small>(), owned, counts, [&] { invoke<small>(owned); });
  EXPECT_EQ(counts.born, 3);
  abandon(core_, owned);
}

TEST_F(Callable, LivesInABoxThatNeverMovesIfItIsLarge) {
  tally counts;
  claim owned = make(large(counts));
  lives_runs_and_dies_once<large>(ops<large>(), owned, counts, [&] { invoke<large>(owned); });
  EXPECT_EQ(counts.born, 2) << "only the box has moved";
  abandon(core_, owned);
}

TEST_F(Callable, MayBeMoveOnly) {
  int seen = 0;
  auto move_only = [held = std::make_unique<int>(7), &seen] { seen = *held; };
  using F = decltype(move_only);
  claim owned = make(std::move(move_only));
  invoke<F>(owned);
  EXPECT_EQ(seen, 7);
  destroy_callable(ops<F>(), owned.capture);
  abandon(core_, owned);
}

TEST_F(Callable, KeepsAnAlignmentBeyondTheNodes) {
  int seen = 0;
  claim owned = make(over_aligned{&seen});
  invoke<over_aligned>(owned);
  EXPECT_EQ(seen, 1);
  destroy_callable(ops<over_aligned>(), owned.capture);
  abandon(core_, owned);
}

TEST_F(Callable, IsCalledWithItsFiringIfItTakesOne) {
  firing* seen = nullptr;
  auto with = [&seen](firing& run) { seen = &run; };
  claim owned = make(with);
  run_scope scope(nullptr, 0, 0);
  ops<decltype(with)>().invoke(owned.capture, scope.view());
  EXPECT_EQ(seen, &scope.view());
  abandon(core_, owned);
}

TEST_F(Callable, PassesOnWhatItThrowsWhenItRuns) {
  auto bad = [] { throw std::runtime_error("run"); };
  claim owned = make(bad);
  EXPECT_THROW(invoke<decltype(bad)>(owned), std::runtime_error);
  abandon(core_, owned);
}

template <std::size_t Padding>
struct throwing_copy {
  throwing_copy() = default;
  throwing_copy(const throwing_copy&) { throw std::runtime_error("copy"); }
  throwing_copy(throwing_copy&&) noexcept = default;
  void operator()() {}
  std::array<std::byte, Padding> padding{};
};

// The engine has one place: each attempt would find it taken if the one before had left something.
TEST_F(Callable, LeavesNothingBehindIfItsCopyThrows) {
  throwing_copy<8> inlined;
  throwing_copy<80> boxed;
  static_assert(fits_inline<throwing_copy<8>> && !fits_inline<throwing_copy<80>>);
  for (int attempt = 0; attempt < 3; ++attempt) {
    EXPECT_THROW(static_cast<void>(schedule(core_, plan{}, inlined)), std::runtime_error);
    EXPECT_THROW(static_cast<void>(schedule(core_, plan{}, boxed)), std::runtime_error);
  }
  EXPECT_EQ(count_pending(core_), 0U);
  EXPECT_TRUE(schedule(core_, plan{}, [] {}));
}

}  // namespace
}  // namespace detent::detail
