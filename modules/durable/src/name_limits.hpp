// SPDX-License-Identifier: MIT
#pragma once

#include <detent/durable_options.hpp>
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

}  // namespace detent::durable::detail
