// SPDX-License-Identifier: MIT
// A group's own time, which stops while the group is paused. It has types of its own, so that an offset that is added
// twice, or to a time of the wrong clock, does not compile.
#pragma once

#include <detent/time.hpp>

namespace detent::detail {

// A deadline as a member keeps it.
struct group_time {
  nanoseconds_t ns;
  friend constexpr bool operator==(group_time, group_time) noexcept = default;
};

// The distance of a group's time behind the engine's.
struct group_offset {
  nanoseconds_t ns = 0;
  friend constexpr bool operator==(group_offset, group_offset) noexcept = default;
};

// `forever` is the same in both.
constexpr nanoseconds_t later_by(group_offset offset, group_time t) noexcept {
  return t.ns == forever ? forever : add_saturated(t.ns, offset.ns);
}
constexpr group_time earlier_by(group_offset offset, nanoseconds_t t) noexcept {
  return {t == forever ? forever : subtract_saturated(t, offset.ns)};
}

}  // namespace detent::detail
