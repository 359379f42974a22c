// SPDX-License-Identifier: MIT
#pragma once

#include <detent/durable_store.hpp>

#include <utility>

namespace detent::durable::detail {

// The shard and the stored key of the timer that a change names.
inline shard_id shard_in(const change& what) noexcept {
  if (const auto* put = std::get_if<put_request>(&what)) return put->what.shard;
  const auto* end = std::get_if<end_request>(&what);
  return end != nullptr ? end->term.shard : std::get<cancel_request>(what).shard;
}
inline const std::string& key_in(const change& what) noexcept {
  if (const auto* put = std::get_if<put_request>(&what)) return put->what.key;
  const auto* end = std::get_if<end_request>(&what);
  return end != nullptr ? end->key : std::get<cancel_request>(what).key;
}

// The bytes of payload in a change.
inline std::size_t bytes_in(const change& what) noexcept {
  if (const auto* put = std::get_if<put_request>(&what)) return put->what.payload.size();
  const auto* end = std::get_if<end_request>(&what);
  return end != nullptr && end->payload ? end->payload->size() : 0;
}

// The id of a put or the question of a cancel, by which it is known when it is sent again. An end has none, as it may
// be carried out twice.
using change_name = std::pair<std::size_t, std::uint64_t>;
inline std::optional<change_name> name_of(const change& what) noexcept {
  if (const auto* put = std::get_if<put_request>(&what)) return change_name{what.index(), put->what.id};
  if (const auto* cancel = std::get_if<cancel_request>(&what)) return change_name{what.index(), cancel->question};
  return std::nullopt;
}

}  // namespace detent::durable::detail
