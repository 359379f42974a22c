// SPDX-License-Identifier: MIT
#pragma once

#include "../stores/changes.hpp"
#include "change_words.hpp"

#include <detent/durable_store.hpp>

#include <deque>
#include <map>
#include <utility>

namespace detent::durable::redis {

// The puts and cancels of a shard that a master has carried out, or may have, and that the caller sends again, because
// too few replicas have them or an answer was lost. They must not be carried out twice: a timer may have run in
// between, and a cancel would cancel what was put after it. But a replica that was promoted may not have heard of them.
// Each call is a turn, and a server has heard of all turns up to its last one.
class remembered {
 public:
  struct entry {
    change_status status;  // `unanswered` if it is unknown
    std::uint64_t turn;
    std::size_t place;  // within that turn
  };

  // Ignores ends.
  void keep(const change& what, const entry& its) {
    if (const auto name = detail::name_of(what)) kept_.insert_or_assign(*name, its);
  }
  void keep_unless_known(const change& what, const entry& its) {
    if (const auto name = detail::name_of(what)) kept_.try_emplace(*name, its);
  }
  void forget(const change& what) {
    if (const auto name = detail::name_of(what); name && !kept_.empty()) kept_.erase(*name);
  }
  // Returns `unanswered` if the change must be carried out, or nothing is known of it.
  change_status status_of(const change& what) const {
    const auto name = kept_.empty() ? std::nullopt : detail::name_of(what);
    const auto found = name ? kept_.find(*name) : kept_.end();
    return found == kept_.end() ? change_status::unanswered : found->second.status;
  }

  // Returns the last turn that the server must have heard of. If there is nothing to remember, any turn will do, and it
  // returns nothing.
  std::optional<std::uint64_t> last() const {
    return kept_.empty() ? std::nullopt : std::optional<std::uint64_t>(last_);
  }
  void carried_out(std::uint64_t turn) noexcept { last_ = turn; }
  // The server's last turn was `turn`, and it was answered with `letters`.
  void correct(std::uint64_t turn, std::string_view letters) {
    last_ = turn;
    std::erase_if(kept_, [turn](const auto& one) { return one.second.turn > turn; });
    for (auto& [name, its] : kept_)
      if (its.turn == turn && its.status == change_status::unanswered && its.place < letters.size())
        its.status = redis::status_of(letters[its.place]);
  }

 private:
  std::map<detail::change_name, entry> kept_;
  std::uint64_t last_ = 0;
};

// Ends that a master has and its replicas may lack. A failover would forget them, and their timers would run again. So
// they are sent again with the next term of their shard, if another process gives that term. Their number is bounded:
// the oldest are dropped first.
class unheard {
 public:
  void keep(const end_request& what, std::string_view process) {
    if (kept_.size() == most) kept_.pop_front();
    kept_.push_back({what, std::string(process)});
  }
  // The replicas of that process have all that it was sent.
  void heard(std::string_view process) {
    std::erase_if(kept_, [&](const entry& one) { return one.process == process; });
  }
  // Adds, under the new term, the shard's requests that another process had.
  void add_to(std::vector<change>& out, const term_ref& now, std::string_view process) const {
    for (const entry& one : kept_) {
      if (!is_of_another(one, now, process)) continue;
      out.emplace_back(one.what);
      std::get<end_request>(out.back()).term = now;
    }
  }
  // The requests have reached this process by now.
  void drop(const term_ref& now, std::string_view process) {
    std::erase_if(kept_, [&](const entry& one) { return is_of_another(one, now, process); });
  }

 private:
  struct entry {
    end_request what;
    std::string process;
  };
  static constexpr std::size_t most = 65536;

  static bool is_of_another(const entry& one, const term_ref& now, std::string_view process) noexcept {
    return one.what.term.shard == now.shard && one.process != process;
  }

  std::deque<entry> kept_;
};

}  // namespace detent::durable::redis
