// SPDX-License-Identifier: MIT
#pragma once

#include "statement.hpp"

#include <sqlite3.h>

#include <cstddef>
#include <cstdint>
#include <string>

namespace detent::durable::detail {

// Room on the disk for what must be written when that is full: ends, which make the file no larger, but go through
// its log as all else does. The log has its blocks ahead; and a change that makes the file larger is committed when the
// file has its blocks, so that the log can be carried over into it and begin anew.
class room {
 public:
  room() = default;
  // In the file of this path, whose log is open, and which has at most so many bytes, if that is not 0. Where the file
  // system cannot give blocks ahead, the disk gives what it has. Throws sqlite_failure.
  room(sqlite3* file, const std::string& path, std::size_t most_bytes);
  // Gets the file its blocks for the transaction under way. Throws sqlite_failure where the disk is full.
  void make_for_growth();

 private:
  sqlite3* file_ = nullptr;
  std::int64_t most_ = 0;  // bytes of the file
  std::int64_t page_size_ = 0;
  std::int64_t made_ = 0;  // bytes of the file that have their blocks
  statement count_pages_;
};

}  // namespace detent::durable::detail
