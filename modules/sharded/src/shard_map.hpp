// SPDX-License-Identifier: MIT
// Decides which shard of a set is local to a thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace detent::detail {

class shard_map {
 public:
  // `usable` must be sorted. A shard's worker may be pinned, to pinned_to[i].
  shard_map(std::size_t shards, std::span<const int> usable, std::span<const int> pinned_to);

  std::size_t shards() const noexcept { return shards_; }
  // Returns the shard for a thread on that CPU. If the CPU has several shards, the thread's number chooses one.
  std::size_t of_cpu(int cpu, std::size_t thread) const noexcept;

 private:
  struct range {
    std::uint32_t first = 0, count = 0;  // 0 if the process could not use the CPU when the set was made
  };
  std::size_t shards_;
  std::vector<range> by_cpu_;
};

// Binds the calling thread. Throws bad_alloc.
void bind_this_thread(const std::shared_ptr<const shard_map>& map, std::size_t shard);
std::size_t local_shard(const shard_map& map) noexcept;

}  // namespace detent::detail
