// SPDX-License-Identifier: MIT
#pragma once

#include "registry.hpp"
#include "run.hpp"

#include <detent/calendar.hpp>
#include <detent/durable_store.hpp>

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace detent::durable::detail {

// The timers that this node has read and not ended, armed in its engine. Used by the thread that talks to the store.
class hand {
 public:
  using term = std::shared_ptr<const held_term>;

  // Remembers at most `most_unarmed` timers without a handler here.
  hand(calendar& arms_in, const registry& known, std::shared_ptr<finish_line> to, shard_id shards,
       std::size_t most_unarmed)
      : calendar_(arms_in),
        known_(known),
        line_(std::move(to)),
        most_unarmed_(most_unarmed),
        shards_(shards),
        moved_(shards),
        forgot_(shards) {}

  std::size_t size() const noexcept { return size_; }
  std::size_t armed() const noexcept { return size_ - unarmed_; }
  std::size_t size(shard_id shard) const noexcept { return shards_[shard].size(); }
  std::size_t bytes() const noexcept { return bytes_; }  // of payload

  // Takes a record that was read under the term, moved from; arm_taken() arms it. False: this node has no handler for
  // it, it stays unarmed, and `what` is unchanged.
  bool take(record& what, const term& under);
  // An announced key now names `now`, which is null if it names nothing, or nothing near; arm_taken() arms it. An older
  // version of it does not start any more.
  bool changed(shard_id shard, const std::string& key, const record* now, const term& under);
  // Arms them in the order of their due times. Only all records of a late reading together are in that order, and a
  // timer that is due when it is armed starts at once.
  void arm_taken();
  struct asked {
    answer reply;
    std::shared_ptr<const run> about;
    std::optional<record> after;  // a record that was to be armed after it: must be erased as well
  };
  // Answers a request to cancel it, and says which run that was about; it will not repeat. None: it may be one of the
  // timers that were not remembered.
  asked ask(shard_id shard, const std::string& key);
  // The end of its run has moved it beyond the read level. A request may have come before that, and is read after it:
  // it is about the next run. was_read(): no such request is left.
  void moves_away(const record& what, stored_time to, const term& under);
  void was_read(shard_id shard) { moved_[shard].clear(); }

  // Whether a version of it is here that has yet to start.
  bool will_start(shard_id shard, const std::string& key) const noexcept;

  // A run of it under a former term has ended after all, so nothing of it starts. False: it runs again, or has run.
  bool forget(const record& what);
  // A run is over. If its timer was changed during the run, the newer version is armed.
  void over(const run& what);
  // The engine has not fired it, and will not; it is armed again.
  void dropped(const run& what);
  // Whether its end must not lead to another run.
  bool ends_for_good(const run& what) const noexcept;

  // Nothing of the shard starts any more. Runs that go on are no longer in hand if the term is over; else they stay
  // until their end.
  void drop(shard_id shard);
  // True: one of them was due when the term before was abandoned.
  bool withdraw(shard_id shard);
  // Arms again what the engine refused.
  void arm_refused();
  bool has_refused() const noexcept { return !refused_.empty(); }

 private:
  struct slot {
    std::shared_ptr<run> what;
    timer handle;
    bool for_good = false;
    std::optional<std::pair<record, term>> after;  // to be armed when the run is over
  };
  using slots = std::unordered_map<std::string, slot>;

  bool put(record& what, const term& under);
  void arm(slot& its);
  void arm_if_here(const std::shared_ptr<run>& what);  // else a newer version has its place, or nothing
  // Whether it never starts any more; else it runs, or has run.
  bool stop(slot& its);
  void erase(slots& in, slots::iterator which);

  calendar& calendar_;
  const registry& known_;
  const std::shared_ptr<finish_line> line_;
  const std::size_t most_unarmed_;
  std::vector<slots> shards_;
  std::vector<std::unordered_map<std::string, std::shared_ptr<const run>>> moved_;  // see moves_away()
  std::vector<bool> forgot_;                 // of each: it has unarmed ones that are not remembered
  std::vector<std::shared_ptr<run>> taken_;  // to be armed, and some that do not start any more
  std::vector<std::weak_ptr<run>> refused_;
  std::size_t size_ = 0;
  std::size_t bytes_ = 0;
  std::size_t unarmed_ = 0;
};

}  // namespace detent::durable::detail
