// SPDX-License-Identifier: MIT
#pragma once

#include "../stores/listing.hpp"
#include "statement.hpp"

#include <detent/durable_store.hpp>

#include <sqlite3.h>

#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

namespace detent::durable::detail {

// The look-ups in the file by one connection, in pieces. Each call throws sqlite_failure. One thread.
class lookups {
 public:
  lookups() noexcept = default;
  explicit lookups(sqlite3* on);

  std::optional<listed_record> find(const timer_ref& which);
  std::vector<listed_record> find_by_key(const key_request& which);
  list_page list(const list_request& which);
  // Calls `visit` with each dead timer that the request names, of one piece, until it returns false: it has no room.
  // Returns where to go on.
  std::string visit_dead(const list_request& which, const std::function<bool(listed_record&&)>& visit);
  // Reads how many timers each shard has, and how many dead ones. By what the file says about itself, if that is true.
  void count(std::span<shard_state> shards);
  std::uint64_t count_due(stored_time by, shard_id shard);
  stored_time nth_death(std::size_t nth, shard_id shard);

 private:
  struct row_place {
    stored_time due;
    std::int64_t row;
    friend std::strong_ordering operator<=>(const row_place& a, const row_place& b) noexcept {
      return std::tie(a.due, a.row) <=> std::tie(b.due, b.row);
    }
    friend bool operator==(const row_place&, const row_place&) = default;
  };
  // The rows of one span in their order, for the pieces of one list: the next one goes on where its words lead, by the
  // number of the span. It may lack what was put since the first of these, and have what has gone since.
  struct sorted_span {
    shard_id shard = 0;
    std::uint64_t number = 0;  // 0: there is none
    std::int64_t span = 0;
    std::vector<row_place> rows = {};
  };

  std::vector<row_place> next_places(const list_request& which, std::size_t most);
  std::string words_of(const row_place& last) const;
  void sort_span(shard_id shard, std::int64_t span, const row_place& after);
  std::vector<row_place> recurring_places(const list_request& which, const row_place& after, std::size_t most);
  bool has(std::string_view table_or_index);
  void prepare_for_keys();
  bool is_counted();

  sqlite3* on_ = nullptr;
  sorted_span sorted_;
  std::uint64_t last_number_ = 0;  // random at first: words of another connection name none of these
  statement live_, dead_, row_, in_span_, next_span_, recurring_, deaths_, due_, nth_, counts_, schema_;
  statement live_by_key_, dead_by_key_;
  bool has_keys_ = false;  // these two go by the indexes
};

// Timers in a partition by their keys without it, alive and dead. A file has it since the first of these: others do not
// pay for it.
inline constexpr const char* index_of_keys =
    "CREATE INDEX timers_in_partitions ON timers (substr(key, 2 + unicode(substr(key, 1, 1)))) WHERE key >= x'01';"
    "CREATE INDEX dead_in_partitions ON dead (substr(key, 2 + unicode(substr(key, 1, 1)))) WHERE key >= x'01'";

}  // namespace detent::durable::detail
