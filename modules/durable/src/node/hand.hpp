// SPDX-License-Identifier: MIT
#pragma once

#include "registry.hpp"
#include "run.hpp"

#include <detent/calendar.hpp>
#include <detent/durable_store.hpp>

#include <unordered_map>
#include <utility>

namespace detent::durable::detail {

// The timers that this node has read and not yet ended, as they are armed in its engine. Used by the thread that talks
// to the store.
class hand {
 public:
  using term = std::shared_ptr<const held_term>;

  // Remembers at most `most_unarmed` timers for which this node has no handler.
  hand(calendar& arms_in, const registry& known, std::shared_ptr<finish_line> to, shard_id shards,
       std::size_t most_unarmed)
      : calendar_(arms_in),
        known_(known),
        line_(std::move(to)),
        most_unarmed_(most_unarmed),
        shards_(shards),
        moved_(shards),
        readings_(shards, 1),
        forgot_(shards) {}

  std::size_t size() const noexcept { return size_; }
  std::size_t armed() const noexcept { return size_ - unarmed_; }
  std::size_t size(shard_id shard) const noexcept { return shards_[shard].size(); }
  std::size_t bytes() const noexcept { return bytes_; }  // of payload

  // Takes a record that was read under the term, by moving from it; arm_taken() arms it. Returns false if this node has
  // no handler for it: then it stays unarmed, and `what` is unchanged.
  bool take(record& what, const term& under);
  // An announcement says that the key now names `now`, which arm_taken() arms. `now` is null if the key names nothing,
  // or a timer that is due after the horizon. A version that is older does not start any more.
  bool changed(shard_id shard, const std::string& key, const record* now, const term& under);
  // Arms the taken records in the order of their due times. A late reading must be taken as a whole before it is armed,
  // because only then is the order right: a timer that is already due starts as soon as it is armed.
  void arm_taken();
  struct asked {
    answer reply;
    std::shared_ptr<const run> about;
    std::optional<record> after;  // a record that was to be armed after the run, and must be erased as well
  };
  // Answers a request to cancel the key's timer and returns the run that the answer is about; that run will not repeat.
  // The answer `none` may also mean that the timer was not remembered.
  asked ask(shard_id shard, const std::string& key);
  // The end of its run has moved the timer beyond the read level. A request that came before the move may be read after
  // it; it is about the next run. Once was_read() is called, no such request can come.
  void moves_away(const record& what, stored_time to, const term& under);
  // The end of its run has moved the timer to a time below the read level, so arm_taken() arms it.
  void moves_near(record what, const term& under);
  void was_read(shard_id shard) {
    moved_[shard].clear();
    ++readings_[shard];
  }

  // Returns whether this node has a version of the timer that has yet to start and that was in the store before every
  // announcement that is not read yet. A retry may have been written after such an announcement.
  bool will_start(shard_id shard, const std::string& key) const noexcept;

  // A run of this timer under a former term has ended after all, so the timer must not start. Returns false if it
  // already runs again or has run.
  bool forget(const record& what);
  // A run is over. If its timer was changed during the run, the newer version is armed.
  void over(const run& what);
  // The engine has not fired the run and will not fire it, so its timer is armed again.
  void dropped(const run& what);
  // Returns whether the end of this run must not lead to another run.
  bool ends_for_good(const run& what) const noexcept;

  // Lets nothing more of the shard start. Runs that are under way leave the hand at once if the term is over, and
  // otherwise when they end.
  void drop(shard_id shard);
  // Returns true if one of them was due when the former term was abandoned.
  bool withdraw(shard_id shard);
  // Arms again what the engine has refused.
  void arm_refused();
  bool has_refused() const noexcept { return !refused_.empty(); }

 private:
  struct slot {
    std::shared_ptr<run> what;
    timer handle;
    bool for_good = false;
    std::uint64_t retried_in = 0;                  // the reading that follows the end which led to this retry
    std::optional<std::pair<record, term>> after;  // to be armed when the run is over
  };
  using slots = std::unordered_map<std::string, slot>;

  bool put(record& what, const term& under);
  void arm(slot& its);
  void arm_if_here(const std::shared_ptr<run>& what);  // unless a newer version, or nothing, has its place
  // Returns true if the run will never start. Otherwise it runs or has run.
  bool stop(slot& its);
  void erase(slots& in, slots::iterator which);

  calendar& calendar_;
  const registry& known_;
  const std::shared_ptr<finish_line> line_;
  const std::size_t most_unarmed_;
  std::vector<slots> shards_;
  std::vector<std::unordered_map<std::string, std::shared_ptr<const run>>> moved_;  // see moves_away()
  std::vector<std::uint64_t> readings_;      // per shard: the number of the next reading
  std::vector<bool> forgot_;                 // per shard: it has unarmed timers that are not remembered
  std::vector<std::shared_ptr<run>> taken_;  // to be armed, except for some that must not start any more
  std::vector<std::weak_ptr<run>> refused_;
  std::size_t size_ = 0;
  std::size_t bytes_ = 0;
  std::size_t unarmed_ = 0;
};

}  // namespace detent::durable::detail
