// SPDX-License-Identifier: MIT
#pragma once

#include "../stores/looking.hpp"
#include "batch.hpp"
#include "servers.hpp"

#include <detent/durable_store.hpp>

#include <utility>

namespace detent::durable::redis {

// The keys of a shard: own, announced, due, body, dead, grave, next, recurring, names.
using shard_keys = std::vector<std::string>;
enum class shard_key : unsigned char { own, announced, due, body, dead, grave, next, recurring, names };

// The look-ups of a store, as questions to its servers. Used by one thread.
class lookups {
 public:
  // Both must outlive it.
  lookups(servers& to, const std::vector<shard_keys>& of_shards) : to_(to), keys_(of_shards) {}

  errc find(const timer_ref& which, std::optional<listed_record>& out);
  errc find_by_key(const key_request& which, std::vector<listed_record>& out);
  errc list(const list_request& which, list_page& out);
  errc look(std::span<shard_state> shards);
  errc count_due(stored_time by, std::span<std::uint64_t> shards);
  errc look_at_deaths(std::size_t nth, std::span<stored_time> shards);
  // Unlike the others, this one writes.
  errc purge(const list_request& which, purge_page& out);

 private:
  const std::string& key(shard_id shard, shard_key which) const noexcept {
    return keys_[shard][static_cast<std::size_t>(which)];
  }
  errc walk(script what, const list_request& which, reply& out);
  errc ask_each(shard_key of, std::string_view word, calls_of_shards& calls, std::size_t shards);

  servers& to_;
  const std::vector<shard_keys>& keys_;
};

// Has a connection of its own, so that another thread than the store's can use it.
class redis_view final : public detail::looking<store_view, redis_view> {
 public:
  redis_view(servers to, const std::vector<shard_keys>& of_shards) : to_(std::move(to)), in_(to_, of_shards) {}

  template <class F>
  errc by_lookups(F&& look) {
    const errc code = open();
    return code == errc{} ? look(in_) : code;
  }

 private:
  errc open();

  servers to_;
  lookups in_;
  bool is_open_ = false;
};

}  // namespace detent::durable::redis
