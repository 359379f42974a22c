// SPDX-License-Identifier: MIT
#pragma once

#include "statement.hpp"

#include <sqlite3.h>

#include <cstddef>
#include <cstdint>
#include <string>

namespace detent::durable::detail {

// Keeps room on the disk for what must be written even if the disk is full: ends. They do not make the file larger, but
// like every change they go through its log. The log has its blocks in advance. A change that makes the file larger is
// committed only when the file has its blocks, so that the log can always be copied into it and started again.
class room {
 public:
  room() = default;
  // `file` has the path, and its log is open. `most_bytes` is the most bytes that it may have, or 0. If the file system
  // cannot allocate blocks in advance, nothing is promised. Throws sqlite_failure.
  room(sqlite3* file, const std::string& path, std::size_t most_bytes);
  // Allocates the file's blocks for the transaction under way. Throws sqlite_failure if the disk is full.
  void make_for_growth();

 private:
  sqlite3* file_ = nullptr;
  std::int64_t most_ = 0;  // the file's limit in bytes
  std::int64_t page_size_ = 0;
  std::int64_t made_ = 0;  // bytes of the file that have blocks
  statement count_pages_;
};

}  // namespace detent::durable::detail
