// SPDX-License-Identifier: MIT
// The effect of a pause on the deadlines of a group's timers, for a trace, which knows no groups.
#pragma once

#include "operation_ring.hpp"
#include "recorded_generations.hpp"
#include "recording_limits.hpp"

#include <unordered_map>
#include <vector>

namespace detent::detail {

// Follows the members of groups. While a group is paused, its members have no due time.
class recorded_groups {
 public:
  struct moved {
    std::uint64_t id = 0;
    nanoseconds_t deadline = 0;
    std::uint64_t order = 0;  // the number of its arming, among all timers
  };

  // A timer is armed, or armed again. Returns when it is due. It need not be a member. Throws bad_alloc.
  nanoseconds_t arm(const operation& what, std::uint64_t order, const recorded_generations& generations);
  void end(std::uint64_t id) noexcept { members_.erase(id); }
  // A group is paused, resumed or destroyed. Returns its members that move, in the order in which they were armed.
  // Throws bad_alloc.
  std::vector<moved> turn(const operation& what, const recorded_generations& generations);

 private:
  struct member {
    const void* group;
    nanoseconds_t deadline;  // while the group is paused: the time that was left
    std::uint64_t order;
  };
  void forget_unknown(const recorded_generations& generations);

  std::unordered_map<std::uint64_t, member> members_;
  std::vector<const void*> paused_;
  std::size_t most_ = limits::recorded_members;  // at this size, members whose end was lost are searched for
};

}  // namespace detent::detail
