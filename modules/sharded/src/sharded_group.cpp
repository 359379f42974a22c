// SPDX-License-Identifier: MIT
#include <detent/sharded_engine.hpp>

#include "callers/members.hpp"
#include "shard_map.hpp"

#include <utility>

namespace detent {

sharded_group::sharded_group(sharded_engine& of, executor* runs_on) : map_(of.map_) {
  parts_.reserve(of.size());
  for (engine& each : of) {
    parts_.emplace_back(each, runs_on);
    parts_.back().state_->head = parts_.front().state_;
  }
}

sharded_group& sharded_group::operator=(sharded_group&& other) noexcept {
  if (this == &other) return *this;
  end();
  parts_ = std::move(other.parts_);
  map_ = std::move(other.map_);
  return *this;
}

sharded_group::~sharded_group() { end(); }

// A member that runs on one shard may use any part, so each part exists until all were waited for.
void sharded_group::end() noexcept {
  for (timer_group& each : parts_) detail::begin_end_of_group(each.core(), *each.state_);
  for (timer_group& each : parts_) detail::wait_for_group(each.core(), *each.state_);
  parts_.clear();
}

timer_group& sharded_group::local() noexcept {
  std::vector<timer_group>& each = parts();
  return each[detail::local_shard(*map_)];
}

void sharded_group::cancel_all() noexcept {
  for (timer_group& each : parts()) each.cancel_all();
}

void sharded_group::cancel_all_and_wait() noexcept {
  for (timer_group& each : parts()) detail::begin_awaited_cancel(each.core(), *each.state_);
  for (timer_group& each : parts_) detail::wait_for_group(each.core(), *each.state_);
  for (timer_group& each : parts_) detail::end_awaited_cancel(*each.state_);
}

void sharded_group::pause() noexcept {
  for (timer_group& each : parts()) each.pause();
}

void sharded_group::resume() noexcept {
  for (timer_group& each : parts()) each.resume();
}

std::size_t sharded_group::pending() const noexcept {
  std::size_t sum = 0;
  for (const timer_group& each : parts()) sum += each.pending();
  return sum;
}

}  // namespace detent
