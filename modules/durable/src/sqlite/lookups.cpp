// SPDX-License-Identifier: MIT
#include "lookups.hpp"

#include "span_index.hpp"

#include <algorithm>
#include <random>
#include <utility>

namespace detent::durable::detail {
namespace {

constexpr std::size_t bytes_a_piece = std::size_t{1} << 20u;  // of payload; reading them takes a millisecond

constexpr std::size_t most_sorted = 1'000'000;  // rows of a span at once, which take 16 MB

stored_time time_in(const statement& row, int column) noexcept {
  return stored_time(std::chrono::microseconds(row.number(column)));
}

listed_record dead_one(const statement& row, shard_id shard) {
  return {record_of(row, shard), std::string(row.text(8)), time_in(row, 9)};
}

// Gives all queries of a piece one view of the file. Without it, each query would take and release the locks of the
// log.
class one_view {
 public:
  explicit one_view(sqlite3* on) : on_(sqlite3_get_autocommit(on) != 0 ? on : nullptr) {
    if (on_ != nullptr) check(sqlite3_exec(on_, "BEGIN", nullptr, nullptr, nullptr));
  }
  one_view(const one_view&) = delete;
  one_view& operator=(const one_view&) = delete;
  ~one_view() {
    if (on_ != nullptr) sqlite3_exec(on_, "ROLLBACK", nullptr, nullptr, nullptr);  // nothing was written
  }

 private:
  sqlite3* const on_;  // null if a transaction is under way
};

}  // namespace

lookups::lookups(sqlite3* on) : on_(on) {
  schema_ = statement(on, "SELECT 1 FROM sqlite_schema WHERE name = CAST(? AS TEXT)");
  const auto make = [&](std::string_view sql) { return statement(on, sql); };
  const std::string columns = select_record;
  live_ = make(columns + " FROM timers WHERE shard = ? AND key = ?");
  dead_ = make(columns + ", why, died FROM dead WHERE shard = ? AND key = ?");
  row_ = make(columns + " FROM timers WHERE row = ?1 AND shard = ?2 AND due = ?3");
  in_span_ = make(
      "SELECT due, row FROM timers WHERE shard = ?1 AND due >> 30 = ?2 AND (due, row) > (?3, ?4) "
      "ORDER BY due, row LIMIT ?5");
  next_span_ = make("SELECT due >> 30 FROM timers WHERE shard = ?1 AND due >> 30 >= ?2 ORDER BY due >> 30 LIMIT 1");
  deaths_ = make(columns +
                 ", why, died FROM dead INDEXED BY dead_in_order WHERE shard = ?1 AND died >= ?2 "
                 "AND died < ?3 AND (died, key) > (?4, ?5) ORDER BY died, key LIMIT ?6");
  due_ = make("SELECT count(*) FROM timers WHERE shard = ?1 AND due >> 30 <= ?2 AND due <= ?3");
  nth_ = make("SELECT died FROM dead WHERE shard = ?1 ORDER BY died, key LIMIT 1 OFFSET ?2");
  shards_ = make("SELECT shard, fence, timers, dead FROM shards");
}

bool lookups::has(std::string_view index) {
  const bool found = schema_.with(index).step();
  schema_.reset();
  return found;
}

void lookups::find(const timer_ref& which, std::optional<listed_record>& out) {
  out.reset();
  if (live_.with(which.shard, which.key).step())
    out = listed_record{record_of(live_, which.shard)};
  else if (dead_.with(which.shard, which.key).step())
    out = dead_one(dead_, which.shard);
  live_.reset();
  dead_.reset();
}

void lookups::find_by_key(const key_request& which, std::vector<listed_record>& out) {
  const one_view same(on_);
  std::optional<listed_record> bare;
  find(which.name, bare);
  out.clear();
  if (bare && bare->died.has_value() == which.dead) out.push_back(*std::move(bare));
  statement& rows = which.dead ? dead_by_key_ : live_by_key_;
  if (rows.is_empty()) {
    if (!has("timers_in_partitions")) return;  // no timer here has one
    const std::string table = which.dead ? "dead" : "timers";
    rows = statement(on_, select_record + std::string(which.dead ? ", why, died" : ", x'', 0") + ", shard FROM " +
                              table + " INDEXED BY " + table +
                              "_in_partitions WHERE key >= x'01' AND substr(key, 2 + unicode(substr(key, 1, 1))) = ?1 "
                              "LIMIT ?2");
  }
  rows.with(parts_of(which.name.key).key, std::uint64_t{which.limit});
  while (rows.step()) {
    const auto shard = static_cast<shard_id>(rows.number(10));
    if (out.size() < which.limit)
      out.push_back(which.dead ? dead_one(rows, shard) : listed_record{record_of(rows, shard)});
  }
}

std::vector<lookups::row_place> lookups::recurring_places(const list_request& which, const row_place& after,
                                                          std::size_t most) {
  std::vector<row_place> out;
  if (!has("timers_that_recur")) return out;  // no timer in this file recurs
  if (recurring_.is_empty())
    recurring_ = statement(on_,
                           "SELECT due, row FROM timers WHERE shard = ?1 AND schedule <> x'' AND due >= ?2 "
                           "AND (due, row) > (?2, ?3) AND due < ?4 ORDER BY due, row LIMIT ?5");
  recurring_.with(which.shard, after.due, after.row, which.until, std::uint64_t{most});
  while (recurring_.step()) out.push_back({time_in(recurring_, 0), recurring_.number(1)});
  return out;
}

void lookups::sort_span(shard_id shard, std::int64_t span, const row_place& after) {
  if (last_number_ == 0) last_number_ = std::uint64_t{std::random_device()()} << 32u;
  sorted_ = {shard, ++last_number_, span};
  in_span_.with(shard, span, after.due, after.row, std::uint64_t{most_sorted});
  while (in_span_.step()) sorted_.rows.push_back({time_in(in_span_, 0), in_span_.number(1)});
}

// Goes from span to span and sorts each once for all pieces, because there is no index of due times.
std::vector<lookups::row_place> lookups::next_places(const list_request& which, std::size_t most) {
  const list_place last = list_place::of(which.after);
  const bool goes_on = !last.tie.empty() && last.at >= which.from;
  row_place after{goes_on ? last.at : which.from, goes_on ? static_cast<std::int64_t>(number_of(last.tie)) : INT64_MIN};
  if (which.recurring) return recurring_places(which, after, most);
  const bool is_sorted = goes_on && last.tie.size() == 16 && sorted_.shard == which.shard && sorted_.number != 0 &&
                         number_of(std::string_view(last.tie).substr(8)) == sorted_.number;
  if (!is_sorted) sort_span(which.shard, span_index::span_of(after.due), after);
  std::vector<row_place> out;
  for (;;) {
    auto at = std::ranges::upper_bound(sorted_.rows, after);
    for (; at != sorted_.rows.end() && out.size() != most; ++at) {
      if (at->due >= which.until) return out;
      out.push_back(*at);
    }
    if (out.size() == most) return out;
    if (!sorted_.rows.empty()) after = std::max(after, sorted_.rows.back());
    const bool is_cut = sorted_.rows.size() == most_sorted;
    const bool found = next_span_.with(which.shard, sorted_.span + (is_cut ? 0 : 1)).step();
    const std::int64_t next = found ? next_span_.number(0) : 0;
    next_span_.reset();
    if (!found || next > span_index::span_of(which.until)) return out;
    sort_span(which.shard, next, after);
  }
}

// Includes the number of the sorted span if the row is from that span; without it, the next piece sorts the span again.
std::string lookups::words_of(const row_place& last) const {
  const bool is_sorted = span_index::span_of(last.due) == sorted_.span;
  return list_place{last.due, bytes_of(static_cast<std::uint64_t>(last.row)) + bytes_of(is_sorted ? sorted_.number : 0)}
      .words();
}

void lookups::list(const list_request& which, list_page& out) {
  out = {};
  if (which.dead) {
    out.next = visit_dead(which, [&](listed_record&& its) {
      if (out.found.size() == which.limit) return false;
      out.found.push_back(std::move(its));
      return true;
    });
    return;
  }
  const one_view same(on_);
  // Asks for one row more, to know whether something is left.
  const bool has_filter = !which.handler.empty() || !which.key_prefix.empty() || which.partition;
  const std::size_t most = has_filter ? timers_a_piece : std::min(which.limit, timers_a_piece);
  std::size_t bytes = 0;
  const row_place* last = nullptr;
  const std::vector<row_place> places = next_places(which, most + 1);
  for (const row_place& at : places) {
    const bool is_more = &at - places.data() == static_cast<std::ptrdiff_t>(most);
    if (is_more || out.found.size() == which.limit || bytes > bytes_a_piece) {
      out.next = last != nullptr ? words_of(*last) : which.after;
      return;
    }
    last = &at;
    if (row_.with(at.row, which.shard, at.due).step()) {  // otherwise the row has gone since
      bytes += row_.bytes(7).size();
      const bool fits = (which.handler.empty() || row_.text(5) == which.handler) && has_wanted_key(which, row_.text(0));
      if (fits) out.found.push_back({record_of(row_, which.shard)});
    }
    row_.reset();
  }
  sorted_ = {};
}

std::string lookups::visit_dead(const list_request& which, const std::function<bool(listed_record&&)>& visit) {
  const list_place after = list_place::of(which.after);
  const std::uint64_t one_more = timers_a_piece + 1;
  deaths_.with(which.shard, which.from, which.until, after.at, after.tie, one_more);
  std::string last = which.after;
  std::size_t looked = 0, bytes = 0;
  bool is_cut = false;
  while (!is_cut && deaths_.step()) {
    listed_record its = dead_one(deaths_, which.shard);
    const std::string here = list_place{*its.died, its.what.key}.words();
    is_cut = looked++ == timers_a_piece || bytes > bytes_a_piece;
    bytes += its.what.payload.size();
    is_cut = is_cut || (is_wanted(which, its.what) && !visit(std::move(its)));
    if (!is_cut) last = here;
  }
  deaths_.reset();
  return is_cut ? last : std::string();
}

void lookups::look(std::span<shard_state> shards) {
  shards_.with();
  while (shards_.step())
    if (const auto shard = static_cast<std::size_t>(shards_.number(0)); shard < shards.size())
      shards[shard] = {.shard = static_cast<shard_id>(shard),
                       .fence = static_cast<std::uint64_t>(shards_.number(1)),
                       .node = "?",
                       .timers = static_cast<std::uint64_t>(shards_.number(2)),
                       .dead = static_cast<std::uint64_t>(shards_.number(3))};
}

void lookups::count_due(stored_time by, std::span<std::uint64_t> shards) {
  for (std::size_t shard = 0; shard != shards.size(); ++shard) {
    due_.with(static_cast<shard_id>(shard), span_index::span_of(by), by);
    shards[shard] = due_.step() ? static_cast<std::uint64_t>(due_.number(0)) : 0;
    due_.reset();
  }
}

void lookups::look_at_deaths(std::size_t nth, std::span<stored_time> shards) {
  for (std::size_t shard = 0; shard != shards.size(); ++shard) {
    const bool found = nth != 0 && nth_.with(static_cast<shard_id>(shard), std::uint64_t{nth - 1}).step();
    shards[shard] = found ? time_in(nth_, 0) : stored_time::max();
    nth_.reset();
  }
}

}  // namespace detent::durable::detail
