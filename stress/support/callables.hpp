// SPDX-License-Identifier: MIT
// The kinds of callable that the engine distinguishes: with nothing to destroy, with captures, too large for a node.
#pragma once

#include "support/account.hpp"

#include <array>
#include <utility>

namespace stress {

// Lives as long as the callable does, and reports to the account when it is destroyed.
class witness {
 public:
  witness(account& of, life_number life) noexcept : of_(&of), life_(life) {}
  witness(witness&& other) noexcept : of_(std::exchange(other.of_, nullptr)), life_(other.life_) {}
  witness& operator=(witness&&) = delete;
  ~witness() {
    if (of_ != nullptr) of_->lose_capture(life_);
  }

  account& of() const noexcept { return *of_; }
  life_number life() const noexcept { return life_; }

 private:
  account* of_;  // null once moved from
  life_number life_;
};

struct plain_callable {
  account* of;
  life_number life;
  void operator()(detent::firing& run) const { of->fire(life, run); }
};
struct owning_callable {
  witness seen;
  void operator()(detent::firing& run) const { seen.of().fire(seen.life(), run); }
};
struct large_callable {
  witness seen;
  std::array<char, 64> ballast{};
  void operator()(detent::firing& run) const { seen.of().fire(seen.life(), run); }
};
static_assert(detent::fits_inline<owning_callable> && !detent::fits_inline<large_callable>);

enum class callable_kind : std::uint8_t { plain, owning, large };

// Opens a life in `at`, schedules it, and publishes its handle. Empty: `at` is in use, or the call was refused;
// `before`, if the life before was settled by this, gets how it had ended.
template <class Random>
sighting schedule(detent::engine& engine, account& at, detent::time_point deadline, Random& random,
                  bool contended = false, outcome* before = nullptr) {
  const std::uint64_t drawn = random.below(16);
  const callable_kind kind = drawn < 8    ? callable_kind::plain
                             : drawn < 15 ? callable_kind::owning
                                          : callable_kind::large;
  const life_number life = at.open(deadline, kind != callable_kind::plain, contended, before);
  if (life == 0) return {};
  detent::timer made;
  switch (kind) {
    case callable_kind::plain: made = engine.try_schedule_at(deadline, plain_callable{&at, life}); break;
    case callable_kind::owning: made = engine.try_schedule_at(deadline, owning_callable{witness(at, life)}); break;
    case callable_kind::large: made = engine.try_schedule_at(deadline, large_callable{witness(at, life)}); break;
  }
  at.scheduled(life, made);
  return made ? sighting{&at, life, made} : sighting{};
}

}  // namespace stress
