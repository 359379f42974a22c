// SPDX-License-Identifier: MIT
#pragma once

#include <detent/durable_store.hpp>

#include <map>
#include <set>
#include <utility>

namespace detent::durable::postgres {

inline std::pair<shard_id, const std::string&> timer_of(const change& what) noexcept {
  if (const auto* put = std::get_if<put_request>(&what)) return {put->what.shard, put->what.key};
  if (const auto* cancel = std::get_if<cancel_request>(&what)) return {cancel->shard, cancel->key};
  const auto& end = std::get<end_request>(what);
  return {end.term.shard, end.key};
}

// The puts and cancels of batches that the caller sends again, because their answer was lost or another part of the
// batch has failed. They must not be carried out twice: a timer may have run in between, and a cancel would cancel what
// was put after it.
class remembered {
 public:
  using name = std::pair<std::size_t, std::uint64_t>;

  // Returns the id of a put or the question of a cancel. Returns nothing for an end, which may be carried out twice.
  static std::optional<name> name_of(const change& what) noexcept {
    if (const auto* put = std::get_if<put_request>(&what)) return name{what.index(), put->what.id};
    if (const auto* cancel = std::get_if<cancel_request>(&what)) return name{what.index(), cancel->question};
    return std::nullopt;
  }

  void keep(const change& what, change_status its) {
    if (const auto which = name_of(what)) known_.insert_or_assign(*which, its);
  }
  // Returns the status of a change that is sent again, and forgets it.
  std::optional<change_status> take(const change& what) {
    if (known_.empty()) return std::nullopt;
    const auto which = name_of(what);
    const auto found = which ? known_.find(*which) : known_.end();
    if (found == known_.end()) return std::nullopt;
    const change_status its = found->second;
    known_.erase(found);
    return its;
  }

  // A batch of which it is not known whether it was carried out.
  struct doubt {
    std::int64_t turn;
    std::vector<std::optional<name>> batch;
  };
  std::optional<doubt> doubted;

  void resolve(std::span<const std::int16_t> statuses) {
    for (std::size_t i = 0; i != std::min(statuses.size(), doubted->batch.size()); ++i)
      if (doubted->batch[i] && statuses[i] < static_cast<std::int16_t>(change_status::unanswered))
        known_.insert_or_assign(*doubted->batch[i], static_cast<change_status>(statuses[i]));
  }

 private:
  std::map<name, change_status> known_;
};

// The keys whose rows another transaction has held lately. Changes to them are sent separately, so that no others wait
// for these locks.
class busy_keys {
 public:
  bool contains(const change& what) const {
    const auto [shard, key] = timer_of(what);
    return !all_.empty() && all_.contains({shard, key});
  }
  void note(const change& what, bool is_busy) {
    const auto [shard, key] = timer_of(what);
    if (is_busy)
      all_.emplace(shard, key);
    else if (!all_.empty())
      all_.erase({shard, key});
  }

 private:
  std::set<std::pair<shard_id, std::string>> all_;
};

}  // namespace detent::durable::postgres
