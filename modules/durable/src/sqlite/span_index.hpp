// SPDX-License-Identifier: MIT
#pragma once

#include "../stores/term_book.hpp"
#include "statement.hpp"

#include <detent/durable_store.hpp>

#include <cstddef>
#include <cstdint>
#include <set>
#include <span>
#include <vector>

namespace detent::durable::detail {

// A calendar queue on the disk: the file indexes due times only by spans of 18 minutes, in which rows are in the order
// in which they came, so that a thousand random due times of a day touch some 80 pages of the index and not a thousand.
// The spans that a term has reached are sorted here, in memory. The tie of a place is its row. A place that is no
// longer true, because its row was erased or moved, stays; the reader of the row sees that.
class span_index {
 public:
  // From nothing on, for a new term.
  void clear() noexcept;
  // Rows that are due up to then are sorted here from now on. `rows` is the query below, of the shard.
  void reach(stored_time upto, shard_id shard, statement& rows);
  // A row that was put or moved; ignored where no span of it is here.
  void add(const read_place& place);
  // The next ones in (`after`, `upto`], at most `limit`. They are gone from here, and so is what comes before.
  std::vector<read_place> take(const read_place& after, const read_place& upto, std::size_t limit);
  // The last ones of what was just taken are here again.
  void put_back(std::span<const read_place> places);

  static std::int64_t span_of(stored_time due) noexcept { return due.time_since_epoch().count() >> 30; }

  static constexpr const char* index = "CREATE INDEX timers_by_span ON timers (shard, due >> 30, row, due);";
  static constexpr const char* query =
      "SELECT due, row FROM timers WHERE shard = ? AND due >> 30 >= ? AND due >> 30 <= ?";

 private:
  const read_place* next() const noexcept;

  std::vector<read_place> sorted_;  // backwards: the next one is the last
  std::set<read_place> added_;
  std::int64_t spans_ = INT64_MIN;  // those before this one are here
};

}  // namespace detent::durable::detail
