// SPDX-License-Identifier: MIT
#pragma once

#include "../stores/clocks.hpp"

#include <detent/durable_store.hpp>

namespace detent::durable::detail {

[[noreturn]] inline void too_large(const char* what, std::size_t size, std::size_t limit) {
  throw error(errc::too_large,
              std::string(what) + " of " + std::to_string(size) + " bytes: at most " + std::to_string(limit));
}

inline void check_name(const timer_name& which) {
  if (which.key.size() > key_limit) too_large("a key", which.key.size(), key_limit);
  if (which.partition.size() > partition_limit) too_large("a partition", which.partition.size(), partition_limit);
}

std::uint64_t random_bits();

// Makes the names of one node: the node's own, the ids of records, and keys where a program gives none. Ids and keys
// grow with time, so that a store adds them at the end of its index. Not thread-safe.
class name_maker {
 public:
  name_maker(std::string_view node, const clocks& by);

  const std::string& node() const noexcept { return node_; }
  std::uint64_t id() noexcept;
  // Returns 15 characters, which std::string holds without allocating: the time in microseconds, counted up where
  // several names fall into one, and 36 random bits of this node.
  std::string key();

 private:
  std::uint64_t next() noexcept;

  const clocks& clock_;
  const std::uint64_t random_;
  std::string node_;
  std::uint64_t last_ = 0;
};

}  // namespace detent::durable::detail
