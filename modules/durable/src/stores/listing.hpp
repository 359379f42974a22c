// SPDX-License-Identifier: MIT
#pragma once

#include <detent/durable_store.hpp>

#include <algorithm>

namespace detent::durable::detail {

// A call of list() looks at no more timers than this. Reading their records takes at most a millisecond from memory, a
// file or Redis.
inline constexpr std::size_t timers_a_piece = 256;

// Returns whether the timer with this stored key has the partition and the beginning of the key that the request names.
inline bool has_wanted_key(const list_request& which, std::string_view stored) noexcept {
  const key_parts its = parts_of(stored);
  return its.key.starts_with(which.key_prefix) && (!which.partition || its.partition == *which.partition);
}

// Returns whether the request names the timer. Its place in the list does not matter here.
inline bool is_wanted(const list_request& which, const record& its) noexcept {
  return has_wanted_key(which, its.key) && (which.handler.empty() || its.handler == which.handler) &&
         (!which.recurring || !its.schedule.empty());
}

inline std::string bytes_of(std::uint64_t number) {
  std::string out(8, '\0');
  for (std::size_t i = 0; i != out.size(); ++i) out[i] = static_cast<char>(number >> (8 * i));
  return out;
}
inline std::uint64_t number_of(std::string_view bytes) noexcept {
  std::uint64_t out = 0;
  for (std::size_t i = std::min<std::size_t>(bytes.size(), 8); i-- != 0;)
    out = out << 8u | static_cast<unsigned char>(bytes[i]);
  return out;
}

// A place in a list: a time, and then the store's own order. list_page::next and list_request::after hold such a place.
struct list_place {
  stored_time at = stored_time::min();
  std::string tie = {};

  // No bytes, or too few, stand for the place before everything.
  static list_place of(std::string_view after) {
    if (after.size() < 8) return {};
    const auto since = static_cast<std::int64_t>(number_of(after.substr(0, 8)));
    return {stored_time(std::chrono::microseconds(since)), std::string(after.substr(8))};
  }
  std::string words() const { return bytes_of(static_cast<std::uint64_t>(at.time_since_epoch().count())) + tie; }
};

}  // namespace detent::durable::detail
