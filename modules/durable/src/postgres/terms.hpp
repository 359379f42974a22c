// SPDX-License-Identifier: MIT
#pragma once

#include <detent/durable_store.hpp>

#include <compare>
#include <limits>
#include <map>
#include <mutex>
#include <tuple>

namespace detent::durable::postgres {

// A place in the order of a shard's timers, as its index orders them.
struct place {
  stored_time due = stored_time::min();
  std::int64_t tie = 0;

  static constexpr std::int64_t last_tie = std::numeric_limits<std::int64_t>::max();
  bool is_whole() const noexcept { return tie == last_tie; }
  friend std::strong_ordering operator<=>(const place& a, const place& b) noexcept {
    return std::tie(a.due, a.tie) <=> std::tie(b.due, b.tie);
  }
  friend bool operator==(const place&, const place&) = default;
};

// This object's knowledge of its last term of a shard: how far it has read, by the answers that have arrived. The
// server has a level too and judges changes by it. That level is at or above this one, because an answer may be lost.
struct own_term {
  std::uint64_t fence = 0;
  place level;
  std::string snapshot;  // the transactions that the last reading could not see; empty if there was none
  struct announcement {
    std::string key;
    std::int64_t seq;
  };
  std::vector<announcement> told;  // by the last reading
  std::uint64_t readings = 0;
  // Successors, by key, of which the term was told and whose timer may be ended by a transaction that cannot see them.
  // Each reading asks for a few, beginning after the last one asked for.
  struct successor {
    std::uint64_t id;
    bool needless;  // the timer had not started when the successor was asked for
  };
  std::map<std::string, successor> kept;
  std::string asked_last;
};

// The terms of all shards. The store's thread changes them, and the listener's thread looks at them.
class terms {
 public:
  void resize(shard_id shards) { all_.resize(shards); }

  // For the store's thread. Returns null if another object has taken the term.
  own_term* of(const term_ref& which) noexcept {
    own_term& its = all_[which.shard];
    return its.fence == which.fence ? &its : nullptr;
  }
  own_term& of_shard(shard_id shard) noexcept { return all_[shard]; }
  void begin(const term_ref& which) {
    const std::lock_guard locked(lock_);
    all_[which.shard] = {};
    all_[which.shard].fence = which.fence;
  }
  void end(const term_ref& which) {
    const std::lock_guard locked(lock_);
    if (all_[which.shard].fence == which.fence) all_[which.shard] = {};
  }
  void note_reading(shard_id shard, const place& level, std::string snapshot,
                    std::vector<own_term::announcement> told) {
    const std::lock_guard locked(lock_);
    own_term& its = all_[shard];
    its.level = level;
    its.snapshot = std::move(snapshot);
    its.told = std::move(told);
    ++its.readings;
  }

  struct seen {
    shard_id shard;
    std::uint64_t fence, readings;
    place level;
    std::string snapshot;
  };
  // Returns the terms that have been read from. Any thread.
  std::vector<seen> look() const {
    const std::lock_guard locked(lock_);
    std::vector<seen> out;
    for (shard_id shard = 0; shard != static_cast<shard_id>(all_.size()); ++shard)
      if (const own_term& its = all_[shard]; its.readings != 0)
        out.push_back({shard, its.fence, its.readings, its.level, its.snapshot});
    return out;
  }

 private:
  mutable std::mutex lock_;
  std::vector<own_term> all_;
};

}  // namespace detent::durable::postgres
