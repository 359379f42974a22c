// SPDX-License-Identifier: MIT
#include "put_off.hpp"

#include <iterator>

namespace detent::durable::detail {

put_off_by put_off::holds_up(const pending_change& one) const noexcept {
  if (all_.empty()) return put_off_by::nothing;
  if (shards_.contains(one.shard())) return put_off_by::silent_part;
  return keys_.contains(one.key()) ? put_off_by::transaction : put_off_by::nothing;
}

void put_off::count(const pending_change& one, int by) {
  auto& in = one.waits_for == put_off_by::silent_part ? shards_ : keys_;
  const std::size_t which = one.waits_for == put_off_by::silent_part ? one.shard() : one.key();
  const auto step = static_cast<std::size_t>(by);
  if ((in[which] += step) == 0) in.erase(which);
  if (one.is_end()) ends_ += step;
}

void put_off::add(pending_change&& one, put_off_by why) {
  one.waits_for = why;
  count(one, 1);
  all_.push_back(std::move(one));
}

put_off::queue put_off::take_all() {
  shards_.clear();
  keys_.clear();
  ends_ = 0;
  return std::exchange(all_, {});
}

void put_off::rejoin(queue&& rest) {
  queue last;
  const auto held = keys_;
  for (pending_change& one : std::exchange(all_, {}))
    (one.waits_for == put_off_by::transaction ? last : all_).push_back(std::move(one));
  for (pending_change& one : rest) {
    queue& to = held.contains(one.key()) ? last : all_;
    count(one, 1);
    to.push_back(std::move(one));
  }
  std::ranges::move(last, std::back_inserter(all_));
}

}  // namespace detent::durable::detail
