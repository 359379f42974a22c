// SPDX-License-Identifier: MIT
#include "wheel/due_lanes.hpp"

#include <algorithm>

namespace detent::detail {

void due_lanes::seal_higher() noexcept {
  for (std::size_t lane = 0; lane < higher_.size(); ++lane) {
    higher_[lane].seal();
    if (!higher_[lane].empty()) waiting_ |= 1u << lane;
  }
}

void due_lanes::give_back() noexcept {
  bulk_.give_back();
  for (due_queue& each : higher_) each.give_back();
}

nanoseconds_t due_lanes::earliest() const noexcept {
  nanoseconds_t earliest = bulk_.empty() ? forever : bulk_.front().deadline;
  for (const due_queue& each : higher_) {
    if (!each.empty()) earliest = std::min(earliest, each.front().deadline);
  }
  return earliest;
}

bool due_lanes::collect_higher(std::uint8_t lane, const due_entry& entry) noexcept {
  return higher_[lane - 1u].collect(entry);
}

bool due_lanes::insert_higher(std::uint8_t lane, const due_entry& entry) noexcept {
  if (!higher_[lane - 1u].insert(entry)) return false;
  waiting_ |= 1u << (lane - 1u);
  return true;
}

due_entry due_lanes::pop_higher() noexcept {
  const unsigned lane = highest();
  due_entry popped = higher_[lane].pop();
  if (higher_[lane].empty()) waiting_ &= ~(1u << lane);
  return popped;
}

}  // namespace detent::detail
