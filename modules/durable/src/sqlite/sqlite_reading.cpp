// SPDX-License-Identifier: MIT
#include "../stores/listing.hpp"
#include "sqlite_store.hpp"

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <set>
#include <string>
#include <utility>

namespace detent::durable::detail {
namespace {

constexpr std::int64_t close_together = 8;  // a step costs an eighth of a search, or less
constexpr std::ptrdiff_t ahead = 8;         // rows; a record's lines arrive in less

stored_time due_of(const statement& row) { return stored_time(std::chrono::microseconds(row.number(2))); }

// Reads a row `key, id, due, attempt, handler, schedule, payload` into `to`, which is a fresh record.
void read_record(const statement& row, shard_id shard, record& to) {
  const auto payload = row.bytes(6);
  to.shard = shard;
  to.key.assign(row.text(0));
  to.id = static_cast<std::uint64_t>(row.number(1));
  to.due = due_of(row);
  to.attempt = static_cast<std::uint32_t>(row.number(3));
  to.handler.assign(row.text(4));
  to.schedule.assign(row.text(5));
  to.payload.assign(payload.begin(), payload.end());
}

record record_of(const statement& row, shard_id shard) {
  record its;
  read_record(row, shard, its);
  return its;
}

// A row that is wanted, and where its record goes.
struct wanted_row {
  std::int64_t row;
  stored_time due;
  record* to;
};

// The places in the order of their rows, with where the record of each goes. Those that are `close` are sorted by
// counting, which looks at each twice.
std::vector<wanted_row> in_order_of_rows(const std::vector<row_place>& places, std::int64_t first, std::int64_t last,
                                         bool close, std::vector<record>& found) {
  std::vector<wanted_row> out(places.size());
  const auto wanted = [&](std::size_t i) { return wanted_row{places[i].row, places[i].due, &found[i]}; };
  if (!close) {
    for (std::size_t i = 0; i < places.size(); ++i) out[i] = wanted(i);
    std::ranges::sort(out, {}, &wanted_row::row);
    return out;
  }
  std::vector<std::uint32_t> at(static_cast<std::size_t>(last - first) + 2);  // in `out`, of the next one of each row
  for (const row_place& its : places) ++at[static_cast<std::size_t>(its.row - first) + 1];
  std::partial_sum(at.begin(), at.end(), at.begin());
  for (std::size_t i = 0; i < places.size(); ++i)
    out[at[static_cast<std::size_t>(places[i].row - first)]++] = wanted(i);
  return out;
}

// Records are filled in the order of rows, and lie in that of due times: each would be a miss of the cache.
void prefetch(const record& its) noexcept {
  constexpr std::size_t line = 64;
  const auto* const at = reinterpret_cast<const char*>(&its);
  for (std::size_t offset = 0; offset < sizeof(record); offset += line) __builtin_prefetch(at + offset, 1);
}

}  // namespace

// In the order of the places. Where they lie close together, by one walk through the file; else row by row.
void sqlite_store_on_file::read_rows(const std::vector<row_place>& places, shard_id shard, std::vector<record>& out) {
  std::vector<record> found(places.size());
  const auto [low, high] = std::ranges::minmax_element(places, {}, &row_place::row);
  const std::int64_t first = low->row, last = high->row;
  const bool close = static_cast<std::int64_t>(places.size()) > (last - first) / close_together;
  const std::vector<wanted_row> by_row = in_order_of_rows(places, first, last, close, found);
  // A row that was erased may be another timer's by now, also of another shard.
  const auto keep = [&](const wanted_row& its, const statement& row) {
    if (row.number(8) == shard && due_of(row) == its.due) read_record(row, shard, *its.to);
  };
  if (close) {
    auto next = by_row.begin();
    read_from_.with(first, last);
    while (read_from_.step()) {
      const std::int64_t row = read_from_.number(7);
      while (next != by_row.end() && next->row < row) ++next;
      for (; next != by_row.end() && next->row == row; ++next) {
        if (by_row.end() - next > ahead) prefetch(*next[ahead].to);
        keep(*next, read_from_);
      }
    }
  } else {
    for (const wanted_row& its : by_row) {
      if (read_row_.with(its.row).step()) keep(its, read_row_);
      read_row_.reset();
    }
  }
  std::erase_if(found, [](const record& its) { return its.key.empty(); });
  // By rows, so far, where due times are equal.
  const auto order = [](const record& its) { return std::pair(its.due, its.id); };
  if (!std::ranges::is_sorted(found, {}, order)) std::ranges::sort(found, {}, order);
  if (out.empty())
    out = std::move(found);
  else
    std::ranges::move(found, std::back_inserter(out));
}

void sqlite_store_on_file::read_due(const read_request& what, read_result& out) {
  const shard_id shard = what.term.shard;
  span_index& spans = spans_[shard];
  spans.reach(what.upto, shard, read_spans_);
  while (out.due.size() < what.limit) {  // again, where rows were not as they had been
    const auto places = spans.take(what.upto, what.limit - out.due.size());
    if (places.empty()) break;
    read_rows(places, shard, out.due);
  }
  std::vector<record> beyond;
  while (out.due.size() >= what.limit && beyond.empty()) {
    const auto places = spans.take(what.upto, 1);
    if (places.empty()) break;
    read_rows(places, shard, beyond);
    if (!beyond.empty()) std::ranges::for_each(places, [&](const row_place& its) { spans.add(its); });
  }
  book_.advance(shard, beyond.empty() ? what.upto : out.due.back().due);
}

void sqlite_store_on_file::read_announced(shard_id shard, read_result& out) {
  out.announced_keys = book_.take_announced(shard);
  std::set<std::string_view> seen;
  for (const announced& its : out.announced_keys) {
    if (its.question != 0 || !seen.insert(its.key).second) continue;
    if (read_one_.with(shard, its.key).step()) out.announced_now.push_back(record_of(read_one_, shard));
    read_one_.reset();
  }
}

errc sqlite_store_on_file::read_on(std::span<const read_request> what, std::span<read_result> results) {
  // Another process may have the file, and run what we would: our terms are over.
  if (!file_.is_ours())
    for (const read_request& one : what) book_.lapse(one.term);
  try {
    for (std::size_t i = 0; i < what.size(); ++i) {
      const term_ref& term = what[i].term;
      results[i] = {};
      if (!book_.stands(term)) continue;
      book_.renew(term, what[i].lease);
      if (what[i].limit != 0) read_due(what[i], results[i]);
      read_announced(term.shard, results[i]);
      results[i].stands = true;
      results[i].upto = book_.level(term.shard);
    }
  } catch (const sqlite_failure& failure) {
    // Records and announcements that did not arrive would be lost to these terms: they end, and the next ones read all.
    for (const read_request& one : what) book_.lapse(one.term);
    return meaning(failure.code);
  }
  return errc{};
}

errc sqlite_store_on_file::read_answers(std::span<const question_ref> what, std::span<answer> results) {
  for (std::size_t i = 0; i < what.size(); ++i) results[i] = book_.answer_of(what[i]);
  return errc{};
}

errc sqlite_store_on_file::list(const list_request& which, std::vector<listed_record>& out) {
  try {
    const std::string columns = "SELECT key, id, due, attempt, handler, schedule, payload";
    statement rows(file_.handle(), columns + (which.dead ? ", why FROM dead" : ", x'' FROM timers") +
                                       " WHERE shard = ?1 AND due >= ?2 AND due < ?3 AND (due, key) > (?4, ?5)"
                                       " AND (?6 = x'' OR handler = ?6) ORDER BY due, key");
    rows.with(which.shard, which.from, which.until, which.after_due, which.after_key, which.handler);
    for (std::size_t left = which.limit; left != 0 && rows.step();) {
      if (!has_wanted_key(which, rows.text(0))) continue;
      out.push_back({record_of(rows, which.shard), std::string(rows.text(7))});
      --left;
    }
    return errc{};
  } catch (const sqlite_failure& failure) {
    return meaning(failure.code);
  }
}

errc sqlite_store_on_file::look(std::span<shard_state> shards) {
  if (shards.empty()) return errc{};
  try {
    for (shard_id shard = 0; shard != static_cast<shard_id>(shards.size()); ++shard)
      shards[shard] = {.shard = shard,
                       .fence = book_.fence(shard),
                       // Terms are known to the process alone that has the file.
                       .node = std::string(file_.read_only() ? "?" : book_.owner(shard)),
                       .upto = book_.level(shard)};
    const auto count = [&](std::string_view sql, auto place) {
      statement rows(file_.handle(), sql);
      while (rows.step())
        if (const auto shard = static_cast<std::size_t>(rows.number(0)); shard < shards.size())
          shards[shard].*place = static_cast<std::uint64_t>(rows.number(1));
    };
    count("SELECT shard, count(*) FROM timers GROUP BY shard", &shard_state::timers);
    count("SELECT shard, count(*) FROM dead GROUP BY shard", &shard_state::dead);
    return errc{};
  } catch (const sqlite_failure& failure) {
    return meaning(failure.code);
  }
}

void sqlite_store_on_file::listen(std::function<void(shard_id)> wake) {
  const std::lock_guard locked(listening_);
  wake_ = std::move(wake);
}

}  // namespace detent::durable::detail
