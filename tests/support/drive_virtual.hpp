// SPDX-License-Identifier: MIT
// An engine on a manual clock, and a log of what it fires. Shared by the tests that need no thread.
#pragma once

#include <detent/detail/timer_access.hpp>
#include <detent/engine.hpp>
#include <detent/firing.hpp>
#include <detent/manual_clock.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace detent::drive {

using namespace std::chrono_literals;
using ids = std::vector<int>;

// Returns the time this long after the clock's zero.
inline constexpr time_point at(duration since_zero) { return time_point(since_zero); }
inline constexpr time_point at(std::int64_t ns) { return time_point(duration(ns)); }

// Returns whether one timer has taken the other's node.
inline bool in_one_place(timer one, timer other) {
  return detail::timer_access::index(one) == detail::timer_access::index(other);
}

class virtual_engine {
 public:
  explicit virtual_engine(engine_options options = {}, time_point start = {})
      : clock(start), engine(with_clock(std::move(options), clock)) {}

  // A callback that logs `id`.
  auto note(int id) {
    return [this, id] { fired.push_back(id); };
  }
  std::size_t poll_at(time_point now, std::size_t max = SIZE_MAX) {
    clock.advance_to(now);
    return engine.poll(max);
  }
  // Polls until nothing is due now.
  std::size_t poll_all_at(time_point now) {
    std::size_t total = poll_at(now);
    while (std::size_t more = engine.poll()) total += more;
    return total;
  }

  manual_clock clock;
  detent::engine engine;
  ids fired;

 private:
  static engine_options with_clock(engine_options options, manual_clock& manual) {
    options.manual = &manual;
    options.reserve = 4096;
    return options;
  }
};

class in_virtual_time : public ::testing::Test {
 protected:
  virtual_engine rig_;
  manual_clock& clock_ = rig_.clock;
  detent::engine& engine_ = rig_.engine;
  ids& fired_ = rig_.fired;
};

// For the few tests that are about a wheel or its memory. The walks and the histories compare both wheels with the
// specification.
class on_both_wheels : public ::testing::TestWithParam<wheel_kind> {
 protected:
  static engine_options with_wheel(engine_options options = {}) {
    options.wheel = GetParam();
    return options;
  }
  virtual_engine rig_{with_wheel()};
  manual_clock& clock_ = rig_.clock;
  detent::engine& engine_ = rig_.engine;
  ids& fired_ = rig_.fired;
};

inline std::string wheel_name(const ::testing::TestParamInfo<wheel_kind>& info) {
  return info.param == wheel_kind::hashed ? "hashed" : "hierarchical";
}
inline const auto both_wheels = ::testing::Values(wheel_kind::hierarchical, wheel_kind::hashed);

}  // namespace detent::drive
