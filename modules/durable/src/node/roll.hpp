// SPDX-License-Identifier: MIT
#pragma once

#include <detent/durable_store.hpp>

#include <map>

namespace detent::durable::detail {

// The hash of the name of a handler or of a schedule.
using ability = std::uint32_t;
ability ability_of_handler(std::string_view name) noexcept;
ability ability_of_schedule(std::string_view name) noexcept;

// Through the store's roll, nodes tell each other who is there, which handlers each one has, how long it keeps dead
// timers, and which shards one lends to another. The entries of the roll are names of nodes and notes, which differ in
// their first byte.

// How many dead timers are kept, and for how long. 0 keeps all of them, or keeps them for ever.
struct dead_limits {
  std::chrono::microseconds keep_for{};
  std::uint64_t most = 0;

  friend bool operator==(const dead_limits&, const dead_limits&) = default;
};
struct node_note {
  std::vector<ability> has = {};
  dead_limits keeps = {};
};
std::string note_of_node(std::string_view node, const node_note& its);
// By a loan the owner of a shard gives it back for one node alone.
std::string note_of_loans(std::string_view to, std::span<const term_ref> what);

struct roll {
  std::vector<std::string> nodes;
  std::map<std::string, node_note, std::less<>> notes;  // by node
  struct lent_shard {
    std::uint64_t fence = 0;  // of the lender's term; of two loans of a shard, the one with the greater fence counts
    std::string to;
  };
  std::map<shard_id, lent_shard> lent;

  // Ignores notes that are cut short or of an unknown kind.
  static roll of(const std::vector<std::string>& entries);
  // Returns whether the node is there and has all of these abilities.
  bool has(std::string_view node, std::span<const ability> all) const noexcept;
};

// Returns how strongly a node attracts a shard. The node that attracts it most has it, so that only a node's own shards
// move when it comes or goes.
std::uint64_t attraction(std::string_view node, shard_id shard) noexcept;

}  // namespace detent::durable::detail
