// SPDX-License-Identifier: MIT
#include "wheel/due_lanes.hpp"

#include <detent/base/compiler.hpp>

#include <algorithm>

namespace detent::detail {

DETENT_COLD due_lanes::due_lanes(std::size_t reserve)
    : lanes_{due_queue(std::min(reserve, limits::higher_ahead)), due_queue(std::min(reserve, limits::higher_ahead)),
             due_queue(std::min(reserve, limits::higher_ahead))} {}

void due_lanes::seal() noexcept {
  for (std::size_t lane = 0; lane < lanes_.size(); ++lane) {
    lanes_[lane].seal();
    if (!lanes_[lane].empty()) waiting_ |= 1u << lane;
  }
}

bool due_lanes::insert(std::uint8_t lane, const due_entry& entry) noexcept {
  if (!of(lane).insert(entry)) return false;
  waiting_ |= 1u << (lane - 1u);
  return true;
}

void due_lanes::give_back() noexcept {
  for (due_queue& each : lanes_) each.give_back();
}

nanoseconds_t due_lanes::earliest() const noexcept {
  nanoseconds_t earliest = forever;
  for (const due_queue& each : lanes_) {
    if (!each.empty()) earliest = std::min(earliest, each.front().deadline);
  }
  return earliest;
}

due_entry due_lanes::pop() noexcept {
  const unsigned lane = highest();
  due_entry popped = lanes_[lane].pop();
  if (lanes_[lane].empty()) waiting_ &= ~(1u << lane);
  return popped;
}

}  // namespace detent::detail
