// SPDX-License-Identifier: MIT
#include "listing.hpp"
#include "memory_data.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace detent::durable::detail {

const record* memory_shard::find(const std::string& key) const noexcept {
  const auto found = live_.find(key);
  return found == live_.end() ? nullptr : &found->second;
}

void memory_shard::set(record what) {
  erase(what.key);
  by_due_.emplace(what.due, what.id, what.key);
  std::string key = what.key;
  live_.insert_or_assign(std::move(key), std::move(what));
}

bool memory_shard::erase(const std::string& key) {
  const auto found = live_.find(key);
  if (found == live_.end()) return false;
  by_due_.erase({found->second.due, found->second.id, key});
  live_.erase(found);
  return true;
}

void memory_shard::kill(const std::string& key, std::string why) {
  grave its{*find(key), std::move(why)};
  erase(key);
  dead_.insert_or_assign(key, std::move(its));
}

memory_shard::grave* memory_shard::find_dead(const std::string& key) noexcept {
  const auto found = dead_.find(key);
  return found == dead_.end() ? nullptr : &found->second;
}

bool memory_shard::read(stored_time after, stored_time upto, std::size_t limit, std::vector<record>& out) const {
  auto at = by_due_.upper_bound({after, std::numeric_limits<std::uint64_t>::max(), {}});
  for (std::size_t count = 0; at != by_due_.end() && std::get<0>(*at) <= upto; ++at, ++count) {
    if (count >= limit && std::get<0>(*at) != out.back().due) return false;
    out.push_back(live_.at(std::get<2>(*at)));
  }
  return true;
}

void memory_shard::list(const list_request& which, std::vector<listed_record>& out) const {
  std::vector<listed_record> found;
  const auto take = [&](const record& its, const std::string& why) {
    const bool fits = (which.handler.empty() || its.handler == which.handler) && has_wanted_key(which, its.key) &&
                      its.due >= which.from && its.due < which.until &&
                      std::pair(its.due, its.key) > std::pair(which.after_due, which.after_key);
    if (fits) found.push_back({its, why});
  };
  if (which.dead)
    for (const auto& [key, its] : dead_) take(its.what, its.why);
  else
    for (const auto& [key, its] : live_) take(its, {});
  std::ranges::sort(found, {}, [](const listed_record& its) { return std::pair(its.what.due, its.what.key); });
  if (found.size() > which.limit) found.resize(which.limit);
  std::ranges::move(found, std::back_inserter(out));
}

}  // namespace detent::durable::detail
