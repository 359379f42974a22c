// SPDX-License-Identifier: MIT
#pragma once

#include "../stores/term_book.hpp"
#include "statement.hpp"

#include <detent/durable_store.hpp>

#include <set>

namespace detent::durable::detail {

// A calendar queue on the disk. The file indexes due times only by spans of 18 minutes, within which rows are in the
// order of their arrival. So a thousand random due times of a day touch some 80 pages of the index instead of a
// thousand. The spans that a term has reached are sorted here, in memory. The tie of a place is its row. A place stays
// here when its row is erased or moved; the reader finds that out from the row.
class span_index {
 public:
  // Forgets everything, for a new term.
  void clear() noexcept;
  // From now on, rows that are due by `upto` are sorted here. `rows` is the query below, for the shard.
  void reach(stored_time upto, shard_id shard, statement& rows);
  // Adds a row that was put or moved, unless its span is not here.
  void add(const read_place& place);
  // Takes the next places in (`after`, `upto`], at most `limit`. They, and all places before them, are no longer here.
  std::vector<read_place> take(const read_place& after, const read_place& upto, std::size_t limit);
  // Puts back the last ones of those just taken.
  void put_back(std::span<const read_place> places);

  static std::int64_t span_of(stored_time due) noexcept { return due.time_since_epoch().count() >> 30; }

  static constexpr const char* index = "CREATE INDEX timers_by_span ON timers (shard, due >> 30, row, due);";
  static constexpr const char* query =
      "SELECT due, row FROM timers WHERE shard = ? AND due >> 30 >= ? AND due >> 30 <= ?";

 private:
  const read_place* next() const noexcept;

  std::vector<read_place> sorted_;  // in reverse order: the next one is at the end
  std::set<read_place> added_;
  std::int64_t spans_ = INT64_MIN;  // spans before this one are here
};

}  // namespace detent::durable::detail
