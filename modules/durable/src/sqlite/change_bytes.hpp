// SPDX-License-Identifier: MIT
#pragma once

#include <detent/durable_store.hpp>

namespace detent::durable::detail {

// The results of a run as bytes of this machine: its end, and what its handler asked for. The run's shard, key, id and
// due time are not included.
struct run_leavings {
  end_request end = {};
  std::vector<change> asked = {};  // puts and cancels
};

// Returns how many bytes it has written, or 0 if they do not fit or a request is neither a put nor a cancel.
std::size_t write_leavings(const end_request& end, std::span<const change> asked, std::span<std::byte> to) noexcept;
// Returns false if the bytes were not written by write_leavings(). Throws bad_alloc.
bool read_leavings(std::span<const std::byte> from, run_leavings& out);

}  // namespace detent::durable::detail
