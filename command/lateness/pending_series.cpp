// SPDX-License-Identifier: MIT
#include "lateness/pending_series.hpp"

#include <algorithm>

namespace detent::tool {

void pending_series::double_steps() {
  for (std::size_t i = 0; i < steps_.size(); i += 2) {
    const step second = i + 1 < steps_.size() ? steps_[i + 1] : step{};
    steps_[i / 2] = {std::max(steps_[i].highest, second.highest), steps_[i].seen || second.seen};
  }
  steps_.resize((steps_.size() + 1) / 2);
  ++width_bits_;
}

void pending_series::add(std::uint64_t t_ns, std::uint64_t pending) {
  while ((t_ns >> width_bits_) >= most_steps) double_steps();
  const auto at = static_cast<std::size_t>(t_ns >> width_bits_);
  if (at >= steps_.size()) steps_.resize(at + 1);
  steps_[at] = {std::max(steps_[at].highest, pending), true};
  last_t_ = t_ns;
}

std::uint64_t pending_series::highest() const {
  std::uint64_t highest = 0;
  for (const step& each : steps_) highest = std::max(highest, each.highest);
  return highest;
}

std::vector<pending_series::point> pending_series::points() const {
  std::vector<point> seen;
  for (std::size_t i = 0; i < steps_.size(); ++i) {
    if (steps_[i].seen) seen.push_back({static_cast<std::uint64_t>(i) << width_bits_, steps_[i].highest});
  }
  return seen;
}

}  // namespace detent::tool
