// SPDX-License-Identifier: MIT
#pragma once

#include "counts.hpp"
#include "roll.hpp"
#include "tenures.hpp"
#include "trouble.hpp"

#include <detent/durable_options.hpp>
#include <detent/durable_store.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace detent::durable::detail {

// Counts the dead timers of the store, and erases those of this node's shards that options::dead_for and most_dead give
// up. It works in pieces, between which the thread that talks to the store does its other work. Used by that thread
// alone.
class dead_keeper {
 public:
  struct parts {
    store& in;
    const options& how;
    tenures& terms;
    trouble& problems;
    counts& counted;
  };
  dead_keeper(const parts& of, std::string_view node);

  // Tells the other nodes this node's limits, from time to time.
  errc tell();
  // Of all nodes that are there, the longest time and the greatest number hold. Reports once that other nodes differ.
  void heard(const roll& with);
  // Counts if it is time for that, or erases a piece.
  void work();
  // When it next has work, by elapsed().
  std::chrono::nanoseconds wakes_at() const noexcept { return work_at_; }

 private:
  // Dead timers of a shard, the oldest first.
  struct piece {
    shard_id shard = 0;
    stored_time until{};     // died before this
    std::size_t limit = 0;   // the most of them
    std::string after = {};  // where to go on
  };

  bool has_limits() const noexcept { return holds_ && *holds_ != dead_limits{}; }
  bool owns(shard_id shard) const;
  bool plan();
  bool plan_for_age();
  bool plan_for_number(std::uint64_t too_many);
  bool erase();
  void say(const std::string& other, const dead_limits& its);

  const parts with_;
  const std::string node_;
  const dead_limits own_;
  std::optional<dead_limits> holds_;  // none: the nodes are not known yet
  std::deque<piece> pieces_;
  // By elapsed():
  std::chrono::nanoseconds told_until_{};
  std::chrono::nanoseconds differs_since_{};  // 0: it does not
  std::chrono::nanoseconds work_at_{};
  bool said_ = false;
};

}  // namespace detent::durable::detail
