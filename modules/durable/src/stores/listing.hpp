// SPDX-License-Identifier: MIT
#pragma once

#include <detent/durable_store.hpp>

#include <string_view>

namespace detent::durable::detail {

// Whether the timer of this stored key has the partition and the beginning of a key that the request names.
inline bool has_wanted_key(const list_request& which, std::string_view stored) noexcept {
  const key_parts its = parts_of(stored);
  return its.key.starts_with(which.key_prefix) && (!which.partition || its.partition == *which.partition);
}

}  // namespace detent::durable::detail
