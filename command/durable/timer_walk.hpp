// SPDX-License-Identifier: MIT
// Timers of all shards in one order: by when they are due or died, then by shard.
#pragma once
#include <detent/durable_store.hpp>

#include <cstdint>
#include <deque>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace detent::tool {

// The place of a timer in the order of the walk.
struct walk_place {
  durable::stored_time at{};
  durable::shard_id shard = 0;
  std::uint64_t name = 0;  // the hash of its stored key
};
walk_place place_in_walk(const durable::listed_record& its);
std::string text_of(const walk_place& place);           // letters, digits, dots and a minus
walk_place read_place(const std::string& option_text);  // Throws usage_error.

class timer_walk {
 public:
  // Begins with the timer after that place. If the timer of that place is gone, those of its instant and shard are
  // visited again. `in` must outlive the walk.
  timer_walk(durable::store& in, const durable::list_request& which, std::size_t wanted,
             const std::optional<walk_place>& after);

  // Throws input_error.
  std::optional<durable::listed_record> next();

 private:
  struct lane {
    durable::list_request which;
    bool ended = false;  // no timers follow those ahead
    std::deque<durable::listed_record> ahead;
  };

  void begin_after(lane& its, const walk_place& place);
  void fill(lane& its);
  void enter(durable::shard_id shard);

  durable::store& in_;
  std::vector<lane> lanes_;
  std::set<std::pair<durable::stored_time, durable::shard_id>> heads_;
};

}  // namespace detent::tool
