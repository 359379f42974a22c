// SPDX-License-Identifier: MIT
#pragma once

#include "../stores/listing.hpp"
#include "statement.hpp"

#include <detent/durable_store.hpp>

#include <sqlite3.h>

#include <compare>
#include <tuple>

namespace detent::durable::detail {

// The look-ups in the file through one connection, in pieces. Each call throws sqlite_failure. Used by one thread.
class lookups {
 public:
  lookups() noexcept = default;
  explicit lookups(sqlite3* on);

  // Returns whether the file has it; some indexes are made when they are needed.
  bool has(std::string_view index);

  void find(const timer_ref& which, std::optional<listed_record>& out);
  void find_by_key(const key_request& which, std::vector<listed_record>& out);
  void list(const list_request& which, list_page& out);
  // Calls `visit` with each dead timer of one piece that the request names, until it returns false because it has no
  // room. Returns where to continue.
  std::string visit_dead(const list_request& which, const std::function<bool(listed_record&&)>& visit);
  // Reads the fence of each shard and how many live and dead timers it has. The file does not know who has it.
  void look(std::span<shard_state> shards);
  void count_due(stored_time by, std::span<std::uint64_t> shards);
  void look_at_deaths(std::size_t nth, std::span<stored_time> shards);

 private:
  struct row_place {
    stored_time due;
    std::int64_t row;
    friend std::strong_ordering operator<=>(const row_place& a, const row_place& b) noexcept {
      return std::tie(a.due, a.row) <=> std::tie(b.due, b.row);
    }
    friend bool operator==(const row_place&, const row_place&) = default;
  };
  // The rows of one span in order, for all pieces of one list; the words of a place name the span by its number. It may
  // lack rows that were put after the first piece, and may still have rows that have gone since.
  struct sorted_span {
    shard_id shard = 0;
    std::uint64_t number = 0;  // 0 if there is none
    std::int64_t span = 0;
    std::vector<row_place> rows = {};
  };

  std::vector<row_place> next_places(const list_request& which, std::size_t most);
  std::string words_of(const row_place& last) const;
  void sort_span(shard_id shard, std::int64_t span, const row_place& after);
  std::vector<row_place> recurring_places(const list_request& which, const row_place& after, std::size_t most);

  sqlite3* on_ = nullptr;
  sorted_span sorted_;
  std::uint64_t last_number_ = 0;  // begins at random, so that words of another connection match none
  statement live_, dead_, row_, in_span_, next_span_, recurring_, deaths_, due_, nth_, shards_, schema_;
  statement live_by_key_, dead_by_key_;
};

// Finds timers in a partition by their keys without it, alive or dead. The index is made with the first such timer, so
// that other files do not pay for it.
inline constexpr const char* index_of_keys =
    "CREATE INDEX timers_in_partitions ON timers (substr(key, 2 + unicode(substr(key, 1, 1)))) WHERE key >= x'01';"
    "CREATE INDEX dead_in_partitions ON dead (substr(key, 2 + unicode(substr(key, 1, 1)))) WHERE key >= x'01'";

}  // namespace detent::durable::detail
