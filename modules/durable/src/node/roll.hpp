// SPDX-License-Identifier: MIT
#pragma once

#include <detent/durable_store.hpp>

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace detent::durable::detail {

// The hash of a handler's name, or of a schedule's.
using ability = std::uint32_t;
ability ability_of_handler(std::string_view name) noexcept;
ability ability_of_schedule(std::string_view name) noexcept;

// The nodes tell each other by the store's roll who is there, which handlers each has, and what one lends to another.
// The entries of the roll are names of nodes and, told apart by their first byte, notes.
// A loan is a shard that its owner, by its term, gives back for one node alone.
std::string note_of_abilities(std::string_view node, std::span<const ability> has);
std::string note_of_loans(std::string_view to, std::span<const term_ref> what);

// How many dead timers are kept, and for how long; 0: all, for ever.
struct dead_limits {
  std::chrono::microseconds keep_for{};
  std::uint64_t most = 0;

  friend bool operator==(const dead_limits&, const dead_limits&) = default;
};
// Of a node without such a note: all, for ever.
std::string note_of_limits(std::string_view node, const dead_limits& its);

struct roll {
  std::vector<std::string> nodes;
  std::map<std::string, std::vector<ability>, std::less<>> abilities;  // by node
  std::map<std::string, dead_limits, std::less<>> limits;              // by node
  struct lent_shard {
    std::uint64_t fence = 0;  // of the lender's term: of two loans of a shard, the greater one holds
    std::string to;
  };
  std::map<shard_id, lent_shard> lent;

  // A note that is cut short or of an unknown kind says nothing.
  static roll of(const std::vector<std::string>& entries);
  // Whether the node is there, and has all of these.
  bool has(std::string_view node, std::span<const ability> all) const noexcept;
};

// How strongly a node attracts a shard: the strongest has it, and when one comes or goes only its own shards move.
std::uint64_t attraction(std::string_view node, shard_id shard) noexcept;

}  // namespace detent::durable::detail
