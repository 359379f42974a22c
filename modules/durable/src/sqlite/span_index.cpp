// SPDX-License-Identifier: MIT
#include "span_index.hpp"

#include <algorithm>

namespace detent::durable::detail {
void span_index::clear() noexcept {
  sorted_.clear();
  added_.clear();
  spans_ = INT64_MIN;
}

void span_index::reach(stored_time upto, shard_id shard, statement& rows) {
  if (span_of(upto) < spans_) return;
  const std::size_t had = sorted_.size();
  rows.with(shard, spans_, span_of(upto));
  while (rows.step())
    sorted_.push_back(
        {stored_time(std::chrono::microseconds(rows.number(0))), static_cast<std::uint64_t>(rows.number(1))});
  spans_ = span_of(upto) + 1;
  if (sorted_.size() != had) std::ranges::sort(sorted_, std::greater<>());
}

void span_index::add(const read_place& place) {
  if (span_of(place.due) < spans_) added_.insert(place);
}

const read_place* span_index::next() const noexcept {
  if (added_.empty()) return sorted_.empty() ? nullptr : &sorted_.back();
  return sorted_.empty() || *added_.begin() < sorted_.back() ? &*added_.begin() : &sorted_.back();
}

std::vector<read_place> span_index::take(const read_place& after, const read_place& upto, std::size_t limit) {
  std::vector<read_place> out;
  for (const read_place* its = next(); its != nullptr && *its <= upto && out.size() != limit; its = next()) {
    // A row that was moved away and back is there twice.
    if (*its > (out.empty() ? after : out.back())) out.push_back(*its);
    if (!added_.empty() && its == &*added_.begin())
      added_.erase(added_.begin());
    else
      sorted_.pop_back();
  }
  return out;
}

void span_index::put_back(std::span<const read_place> places) {
  sorted_.insert(sorted_.end(), places.rbegin(), places.rend());
}

}  // namespace detent::durable::detail
