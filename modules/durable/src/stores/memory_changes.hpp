// SPDX-License-Identifier: MIT
#pragma once

#include "memory_data.hpp"

#include <detent/durable_store.hpp>

namespace detent::durable::detail {

// Carries out changes one at a time. The caller holds the lock of the data.
class memory_changes {
 public:
  explicit memory_changes(memory_data& data) noexcept : data_(data) {}

  change_status operator()(const put_request& what);
  change_status operator()(const cancel_request& what);
  change_status operator()(const end_request& what);

 private:
  memory_shard& shard(shard_id which) noexcept { return data_.shards[which]; }
  void announce(shard_id shard, announced what);
  void add(record what);
  void promote(std::optional<record> successor);
  change_status keep(memory_shard::entry& old, const record& what);
  change_status put_over(const memory_shard::entry& old, const put_request& what);
  change_status revive(const record& what);
  void move(memory_shard::entry& its, const end_request& what);

  memory_data& data_;
};

}  // namespace detent::durable::detail
