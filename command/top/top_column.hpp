// SPDX-License-Identifier: MIT
// The columns of the table of engines: what each shows, and how it sorts.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>

#include "top/top_row.hpp"

namespace detent::tool {

// The columns from left to right.
enum class top_column : std::uint8_t {
  process,
  engine,
  scheduled,
  fired,
  pending,
  p50,
  p99,
  most,
  late_by,
  cpu,
  missed,
  cancelled,
  restarted,
  drain,
  wait,
  worker,
  dispatch,
  callback,
  backlog,
  queued,
  margin,
  skew,   // of a set: runs of its busiest shard divided by the mean
  worst,  // of a set: p99 of the lateness of its latest shard
  count_
};

struct column_form {
  const char* heading;
  std::size_t width;  // of the widest value or heading; those of process and engine depend on the rows
  bool left;          // texts are left-aligned, and numbers right-aligned
};

const column_form& form_of(top_column column);
std::string text_of(top_column column, const top_row& row);
// Returns whether `a` stands above `b`: numbers descend, texts and processes ascend. Ties are decided by process, then
// by file.
bool stands_above(top_column column, const top_row& a, const top_row& b);

}  // namespace detent::tool
