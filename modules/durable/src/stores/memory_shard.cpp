// SPDX-License-Identifier: MIT
#include "listing.hpp"
#include "memory_data.hpp"

#include <iterator>
#include <utility>

namespace detent::durable::detail {

memory_shard::entry* memory_shard::find(const std::string& key) noexcept {
  const auto found = live_.find(key);
  return found == live_.end() ? nullptr : &found->second;
}

void memory_shard::note_partition(const std::string& stored) {
  if (const key_parts its = parts_of(stored); !its.partition.empty()) by_key_.emplace(its.key, stored);
}

void memory_shard::forget_partition(const std::string& stored) {
  if (const key_parts its = parts_of(stored); !its.partition.empty()) by_key_.erase({std::string(its.key), stored});
}

void memory_shard::find_by_key(std::string_view key, const key_request& which, std::vector<listed_record>& out) const {
  for (auto at = by_key_.lower_bound({std::string(key), {}});
       at != by_key_.end() && at->first == key && out.size() < which.limit; ++at) {
    const auto lives = live_.find(at->second);
    const auto dead = dead_.find(at->second);
    if (!which.dead && lives != live_.end()) out.push_back({lives->second.what});
    if (which.dead && dead != dead_.end()) out.push_back(dead->second);
  }
}

memory_shard::entry& memory_shard::set(record what, std::optional<record> successor) {
  erase(what.key);
  note_partition(what.key);
  read_place at{what.due, what.id};
  while (!by_place_.emplace(at, what.key).second) ++at.tie;
  std::string key = what.key;
  return live_.insert_or_assign(std::move(key), entry{std::move(what), at.tie, std::move(successor)}).first->second;
}

void memory_shard::erase(const std::string& key) {
  const auto found = live_.find(key);
  if (found == live_.end()) return;
  by_place_.erase(found->second.place());
  live_.erase(found);
  if (!dead_.contains(key)) forget_partition(key);
}

void memory_shard::kill(const std::string& key, std::string why, stored_time now) {
  listed_record its{find(key)->what, std::move(why), now};
  erase(key);
  erase_dead(key);
  by_death_.emplace(now, key);
  dead_.emplace(key, std::move(its));
  note_partition(key);
}

bool memory_shard::erase_dead(const std::string& key) {
  const auto found = dead_.find(key);
  if (found == dead_.end()) return false;
  by_death_.erase({*found->second.died, key});
  dead_.erase(found);
  if (!live_.contains(key)) forget_partition(key);
  return true;
}

listed_record* memory_shard::find_dead(const std::string& key) noexcept {
  const auto found = dead_.find(key);
  return found == dead_.end() ? nullptr : &found->second;
}

read_place memory_shard::read(const read_place& after, const read_place& upto, const read_request& what,
                              std::vector<record>& out) const {
  read_place last = upto;
  std::size_t bytes = 0;
  for (auto at = by_place_.upper_bound(after); at != by_place_.end() && at->first <= upto; ++at) {
    const record& its = live_.at(at->second).what;
    bytes += its.payload.size();
    if (out.size() == what.limit || (bytes > what.bytes && !out.empty())) {
      last = std::prev(at)->first;
      break;
    }
    out.push_back(its);
  }
  // If two timers have the same id, the tie of one is another number.
  std::ranges::sort(out, {}, [](const record& its) { return std::pair(its.due, its.id); });
  return last;
}

// Visits the timers that the request names until `visit` has no room for more. Returns where to continue.
template <class Visit>
std::string memory_shard::visit_live(const list_request& which, Visit&& visit) const {
  const list_place after = list_place::of(which.after);
  auto at = after.at < which.from || after.tie.empty() ? by_place_.lower_bound({std::max(which.from, after.at), 0})
                                                       : by_place_.upper_bound({after.at, number_of(after.tie)});
  std::string last = which.after;
  for (std::size_t looked = 0; at != by_place_.end() && at->first.due < which.until; ++at) {
    const record& its = live_.at(at->second).what;
    if (looked++ == timers_a_piece || (is_wanted(which, its) && !visit({its}))) return last;
    last = list_place{at->first.due, bytes_of(at->first.tie)}.words();
  }
  return {};
}

template <class Visit>
std::string memory_shard::visit_dead(const list_request& which, Visit&& visit) const {
  const list_place after = list_place::of(which.after);
  auto at = by_death_.upper_bound({after.at, after.tie});
  if (after.at < which.from) at = by_death_.lower_bound({which.from, {}});
  std::string last = which.after;
  for (std::size_t looked = 0; at != by_death_.end() && at->first < which.until; ++at) {
    const listed_record& its = dead_.at(at->second);
    if (looked++ == timers_a_piece || (is_wanted(which, its.what) && !visit(its))) return last;
    last = list_place{at->first, at->second}.words();
  }
  return {};
}

list_page memory_shard::list(const list_request& which) const {
  list_page out;
  const auto add = [&](const listed_record& its) {
    if (out.found.size() == which.limit) return false;
    out.found.push_back(its);
    return true;
  };
  out.next = which.dead ? visit_dead(which, add) : visit_live(which, add);
  return out;
}

purge_page memory_shard::purge(const list_request& which) {
  purge_page out;
  std::vector<std::string> keys;
  out.next = visit_dead(which, [&](const listed_record& its) {
    if (keys.size() == which.limit) return false;
    keys.push_back(its.what.key);
    return true;
  });
  out.erased = keys.size();
  for (const std::string& key : keys) erase_dead(key);
  return out;
}

std::uint64_t memory_shard::count_due(stored_time by) const noexcept {
  return static_cast<std::uint64_t>(std::distance(by_place_.begin(), by_place_.upper_bound({by, UINT64_MAX})));
}

stored_time memory_shard::nth_death(std::size_t nth) const noexcept {
  if (nth == 0 || nth > by_death_.size()) return stored_time::max();
  return std::next(by_death_.begin(), static_cast<std::ptrdiff_t>(nth - 1))->first;
}

}  // namespace detent::durable::detail
