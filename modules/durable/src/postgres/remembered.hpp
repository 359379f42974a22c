// SPDX-License-Identifier: MIT
#pragma once

#include "../stores/changes.hpp"

#include <detent/durable_store.hpp>

#include <map>
#include <set>
#include <utility>

namespace detent::durable::postgres {

// The puts and cancels of batches that the caller sends again, because their answer was lost or another part of the
// batch has failed. They must not be carried out twice: a timer may have run in between, and a cancel would cancel what
// was put after it.
class remembered {
 public:
  using name = detail::change_name;

  void keep(const change& what, change_status its) {
    if (const auto which = detail::name_of(what)) known_.insert_or_assign(*which, its);
  }
  // Returns the status of a change that is sent again, and forgets it.
  std::optional<change_status> take(const change& what) {
    if (known_.empty()) return std::nullopt;
    const auto which = detail::name_of(what);
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
    return !all_.empty() && all_.contains({detail::shard_in(what), detail::key_in(what)});
  }
  void note(const change& what, bool is_busy) {
    if (is_busy)
      all_.emplace(detail::shard_in(what), detail::key_in(what));
    else if (!all_.empty())
      all_.erase({detail::shard_in(what), detail::key_in(what)});
  }

 private:
  std::set<std::pair<shard_id, std::string>> all_;
};

}  // namespace detent::durable::postgres
