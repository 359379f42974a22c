// SPDX-License-Identifier: MIT
#pragma once

#include "statement.hpp"

#include <detent/durable_store.hpp>

#include <compare>
#include <cstdint>
#include <set>
#include <tuple>
#include <vector>

namespace detent::durable::detail {

// Where a row is in the file, and when it is due.
struct row_place {
  stored_time due;
  std::int64_t row;
  friend std::strong_ordering operator<=>(const row_place& a, const row_place& b) noexcept {
    return std::tie(a.due, a.row) <=> std::tie(b.due, b.row);
  }
  friend bool operator==(const row_place&, const row_place&) = default;
};

// A calendar queue on the disk: the file indexes due times only by spans of 18 minutes, in which rows are in the order
// in which they came, so that a thousand random due times of a day touch some 80 pages of the index and not a thousand.
// The spans that a term has reached are sorted here, in memory. A place that is no longer true, because its row was
// erased or moved, stays; the reader of the row sees that.
class span_index {
 public:
  // From nothing on, for a new term.
  void clear() noexcept;
  // Rows that are due up to then are sorted here from now on. `rows` is the query below, of the shard.
  void reach(stored_time upto, shard_id shard, statement& rows);
  // A row that was put or moved; ignored where no span of it is here.
  void add(const row_place& place);
  // The next ones up to then, about `limit`, but all of the last instant. They are gone from here.
  std::vector<row_place> take(stored_time upto, std::size_t limit);

  static constexpr const char* index = "CREATE INDEX timers_by_span ON timers (shard, due >> 30, row, due);";
  static constexpr const char* query =
      "SELECT due, row FROM timers WHERE shard = ? AND due >> 30 >= ? AND due >> 30 <= ?";

 private:
  const row_place* next() const noexcept;

  std::vector<row_place> sorted_;  // backwards: the next one is the last
  std::set<row_place> added_;
  std::int64_t spans_ = INT64_MIN;  // those before this one are here
};

}  // namespace detent::durable::detail
