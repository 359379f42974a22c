// SPDX-License-Identifier: MIT
#pragma once

#include "common.hpp"

#include <detent/durable_options.hpp>
#include <detent/durable_store.hpp>

#include <deque>
#include <map>

namespace detent::durable::detail {

// Counts the store's dead timers and erases those of this node's shards that options::dead_for and most_dead give up.
// It works in pieces, and the thread that talks to the store does its other work between two of them. Used only by that
// thread.
class dead_keeper {
 public:
  dead_keeper(const common& of, std::string_view node);

  // The limits of this node, of which it tells the others.
  const dead_limits& limits() const noexcept { return own_; }
  // Applies the longest time and the greatest number that any node of the roll has. Reports once if other nodes' limits
  // differ.
  void heard(const roll& with);
  // Counts, if that is due, or erases a piece.
  void work();
  // The time by elapsed() at which it next has work.
  std::chrono::nanoseconds wakes_at() const noexcept { return work_at_; }

 private:
  // Dead timers of one shard, to be erased from the oldest on.
  struct piece {
    shard_id shard = 0;
    stored_time until{};     // those that died before this
    std::size_t limit = 0;   // at most so many of them
    std::string after = {};  // where to continue
  };

  bool has_limits() const noexcept { return holds_ && *holds_ != dead_limits{}; }
  bool owns(shard_id shard) const;
  bool plan();
  bool plan_for_age();
  bool plan_for_number(std::uint64_t too_many);
  bool erase();
  void say(const std::string& other, const dead_limits& its);

  const common& with_;
  const std::string node_;
  const dead_limits own_;
  std::optional<dead_limits> holds_;  // empty until the nodes are known
  std::deque<piece> pieces_;
  // Times by elapsed():
  std::chrono::nanoseconds differs_since_{};  // 0: they do not differ
  std::chrono::nanoseconds work_at_{};
  bool said_ = false;
};

}  // namespace detent::durable::detail
