// SPDX-License-Identifier: MIT
#include "span_index.hpp"

#include <algorithm>
#include <functional>

namespace detent::durable::detail {
namespace {

std::int64_t span_of(stored_time due) noexcept { return due.time_since_epoch().count() >> 30; }

}  // namespace

void span_index::clear() noexcept {
  sorted_.clear();
  added_.clear();
  spans_ = INT64_MIN;
}

void span_index::reach(stored_time upto, shard_id shard, statement& rows) {
  if (span_of(upto) < spans_) return;
  const std::size_t had = sorted_.size();
  rows.with(shard, spans_, span_of(upto));
  while (rows.step()) sorted_.push_back({stored_time(std::chrono::microseconds(rows.number(0))), rows.number(1)});
  spans_ = span_of(upto) + 1;
  if (sorted_.size() != had) std::ranges::sort(sorted_, std::greater<>());
}

void span_index::add(const row_place& place) {
  if (span_of(place.due) < spans_) added_.insert(place);
}

const row_place* span_index::next() const noexcept {
  if (added_.empty()) return sorted_.empty() ? nullptr : &sorted_.back();
  return sorted_.empty() || *added_.begin() < sorted_.back() ? &*added_.begin() : &sorted_.back();
}

std::vector<row_place> span_index::take(stored_time upto, std::size_t limit) {
  std::vector<row_place> out;
  for (const row_place* its = next(); its != nullptr && its->due <= upto; its = next()) {
    if (out.size() >= limit && its->due != out.back().due) break;
    if (out.empty() || *its != out.back()) out.push_back(*its);  // moved away and back, it is there twice
    if (!added_.empty() && its == &*added_.begin())
      added_.erase(added_.begin());
    else
      sorted_.pop_back();
  }
  return out;
}

}  // namespace detent::durable::detail
