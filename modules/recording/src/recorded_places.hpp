// SPDX-License-Identifier: MIT
// Finds the timers that stand behind one that is resumed. In a trace, a timer that is armed later stands behind its
// equals.
#pragma once

#include "recorded_generations.hpp"
#include "recorded_groups.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

namespace detent::detail {

// The last arming of each node, by index, in 24 bytes for each node.
class recorded_places {
 public:
  // Returns the number of the next arming, beginning with 1.
  std::uint64_t next() noexcept { return ++armings_; }
  // Throws bad_alloc.
  void arm(std::uint64_t id, nanoseconds_t deadline, std::uint64_t order) {
    const std::size_t index = static_cast<std::uint32_t>(id);
    if (index >= places_.size()) places_.resize(index + 1 + index / 2);
    places_[index] = {id, deadline, order};
  }
  // `resumed` are members that had no due time here. They keep their places among timers with the same deadline. Adds
  // the other timers of those deadlines that stand behind one of them, so that the rows of all, in the order of their
  // armings, restore that order. Looks at every node. Throws bad_alloc.
  void add_those_behind(std::vector<recorded_groups::moved>& resumed, const recorded_generations& generations) const {
    std::unordered_map<nanoseconds_t, std::uint64_t> first;
    for (const recorded_groups::moved& each : resumed) first.try_emplace(each.deadline, each.order);
    const std::size_t members = resumed.size();
    for (const recorded_groups::moved& each : places_) {
      const auto equal = first.find(each.deadline);
      if (equal == first.end() || each.order <= equal->second) continue;
      if (generations.look_up(each.id) == recorded_generations::state::armed) resumed.push_back(each);
    }
    if (resumed.size() == members) return;
    std::sort(resumed.begin(), resumed.end(), [](auto& a, auto& b) { return a.order < b.order; });
  }

 private:
  std::vector<recorded_groups::moved> places_;
  std::uint64_t armings_ = 0;
};

}  // namespace detent::detail
