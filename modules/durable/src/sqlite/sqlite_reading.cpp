// SPDX-License-Identifier: MIT
#include "sqlite_store.hpp"

#include <algorithm>
#include <iterator>
#include <numeric>

namespace detent::durable::detail {
namespace {

constexpr std::int64_t close_together = 8;  // a step costs an eighth of a search, or less
constexpr std::ptrdiff_t ahead = 8;         // rows; by then the cache lines of a record have arrived
constexpr std::size_t most_at_once = 1 << 16;

std::int64_t row_of(const read_place& its) noexcept { return static_cast<std::int64_t>(its.tie); }

// A row that is wanted, and the place for its record.
struct wanted_row {
  std::int64_t row;
  stored_time due;
  record* to;
};

// Returns the places in the order of their rows, each with the place of its record. If they are `close`, they are
// sorted by counting, which passes over them twice.
std::vector<wanted_row> in_order_of_rows(std::span<const read_place> places, std::int64_t first, std::int64_t last,
                                         bool close, std::vector<record>& found) {
  std::vector<wanted_row> out(places.size());
  const auto wanted = [&](std::size_t i) { return wanted_row{row_of(places[i]), places[i].due, &found[i]}; };
  if (!close) {
    for (std::size_t i = 0; i < places.size(); ++i) out[i] = wanted(i);
    std::ranges::sort(out, {}, &wanted_row::row);
    return out;
  }
  // For each row, the index in `out` of its next place.
  std::vector<std::uint32_t> at(static_cast<std::size_t>(last - first) + 2);
  for (const read_place& its : places) ++at[static_cast<std::size_t>(row_of(its) - first) + 1];
  std::partial_sum(at.begin(), at.end(), at.begin());
  for (std::size_t i = 0; i < places.size(); ++i)
    out[at[static_cast<std::size_t>(row_of(places[i]) - first)]++] = wanted(i);
  return out;
}

// Records are filled in the order of rows but lie in the order of due times, so without this each would be a cache
// miss.
void prefetch(const record& its) noexcept {
  constexpr std::size_t line = 64;
  const auto* const at = reinterpret_cast<const char*>(&its);
  for (std::size_t offset = 0; offset < sizeof(record); offset += line) __builtin_prefetch(at + offset, 1);
}

// Appends those that were found.
void append(std::vector<record> found, std::vector<record>& out) {
  std::erase_if(found, [](const record& its) { return its.key.empty(); });
  if (out.empty())
    out = std::move(found);
  else
    std::ranges::move(found, std::back_inserter(out));
}

// A connection of its own, so that SQLite lets it read while the store writes. Each call sees what was committed when
// it began. Terms are in the memory of the store, so it sees none.
class sqlite_view final : public looking<store_view, sqlite_view> {
 public:
  explicit sqlite_view(const database& of) : file_(of) {}

  template <class F>
  errc by_lookups(F&& look) {
    return trying([&] {
      if (!in_) {
        file_.connect_to_read(connection_);
        in_.emplace(connection_.get());
      }
      look(*in_);
    });
  }

 private:
  const database& file_;
  database::connection connection_;
  std::optional<lookups> in_;
};

}  // namespace

// Fills `found` in the order of the places. A record without a key stands for a timer that is not there. If the places
// are close together, it walks once through that part of the file; otherwise it looks up each row. Returns false if the
// payloads have more than `most` bytes.
bool sqlite_store_on_file::read_rows(std::span<const read_place> places, shard_id shard, std::size_t most,
                                     std::vector<record>& found) {
  found.resize(places.size());
  const auto [low, high] = std::ranges::minmax_element(places, {}, row_of);
  const std::int64_t first = row_of(*low), last = row_of(*high);
  const bool close = static_cast<std::int64_t>(places.size()) > (last - first) / close_together;
  const std::vector<wanted_row> by_row = in_order_of_rows(places, first, last, close, found);
  std::size_t bytes = 0;
  // The row of a timer that was erased may belong to another timer by now, even of another shard.
  const auto keep = [&](const wanted_row& its, const statement& row) {
    if (row.number(9) != shard || due_of(row) != its.due) return;
    read_record(row, shard, *its.to);
    bytes += its.to->payload.size();
  };
  if (close) {
    auto next = by_row.begin();
    read_from_.with(first, last);
    while (bytes <= most && read_from_.step()) {
      const std::int64_t row = read_from_.number(8);
      while (next != by_row.end() && next->row < row) ++next;
      for (; next != by_row.end() && next->row == row; ++next) {
        if (by_row.end() - next > ahead) prefetch(*next[ahead].to);
        keep(*next, read_from_);
      }
    }
    read_from_.reset();
  } else {
    for (auto its = by_row.begin(); bytes <= most && its != by_row.end(); ++its) {
      if (read_row_.with(its->row).step()) keep(*its, read_row_);
      read_row_.reset();
    }
  }
  return bytes <= most;
}

void sqlite_store_on_file::read_due(const read_request& what, read_result& out) {
  const shard_id shard = what.term.shard;
  const bool any_size = what.bytes == SIZE_MAX;
  span_index& spans = spans_[shard];
  spans.reach(what.upto, shard, read_spans_);
  read_place level = book_.level(shard);
  std::size_t bytes = 0;
  for (bool cut = false; !cut;) {
    // Looks for one more than fits, to know whether there is one.
    std::size_t at_once = std::max<std::size_t>(what.limit - out.due.size(), 1);
    const std::size_t left = what.bytes - std::min(bytes, what.bytes);
    if (!any_size) at_once = std::min(at_once, rows_at_once_);
    if (!any_size && bytes != 0) at_once = std::min(at_once, 1 + left / (1 + bytes / out.due.size()));
    const auto places = spans.take(level, {.due = what.upto}, at_once);
    if (places.empty()) {
      level = {.due = what.upto};
      break;
    }
    std::vector<record> found;
    const std::size_t most =
        any_size || places.size() == 1 ? SIZE_MAX : std::min(left, SIZE_MAX / 2) + 4 * payload_limit;
    if (!read_rows(places, shard, most, found)) {
      spans.put_back(places);
      rows_at_once_ = places.size() / 2;
      continue;
    }
    std::size_t used = 0;
    for (std::size_t count = out.due.size(); used != found.size(); ++used) {
      if (found[used].key.empty()) continue;
      const std::size_t size = found[used].payload.size();
      if (count == what.limit || (count != 0 && bytes + size > what.bytes)) break;
      ++count;
      bytes += size;
      level = places[used];
    }
    cut = used != found.size();
    spans.put_back(std::span(places).subspan(used));
    found.resize(used);
    append(std::move(found), out.due);
    if (!cut && places.size() == rows_at_once_ && bytes <= what.bytes / 2)
      rows_at_once_ = std::min(2 * rows_at_once_, most_at_once);
  }
  // So far, places with equal due times are in the order of rows.
  const auto order = [](const record& its) { return std::pair(its.due, its.id); };
  if (!std::ranges::is_sorted(out.due, {}, order)) std::ranges::sort(out.due, {}, order);
  book_.advance(shard, level);
}

void sqlite_store_on_file::read_announced(shard_id shard, read_result& out) {
  book_.read_announced(shard, out, [&](const std::string& key) {
    std::optional<std::pair<read_place, record>> found;
    if (read_one_.with(shard, key).step())
      found.emplace(read_place{due_of(read_one_), static_cast<std::uint64_t>(read_one_.number(8))},
                    record_of(read_one_, shard));
    read_one_.reset();
    return found;
  });
}

errc sqlite_store_on_file::read_on(std::span<const read_request> what, std::span<read_result> results) {
  // Another process may have the file and run this node's timers, so its terms are over.
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
    }
  } catch (const sqlite_failure& failure) {
    // Records and announcements that did not arrive would be lost to these terms, so the terms end. The next ones read
    // everything.
    for (const read_request& one : what) book_.lapse(one.term);
    return meaning(failure.code);
  }
  return errc{};
}

errc sqlite_store_on_file::read_answers(std::span<const question_ref> what, std::span<answer> results) {
  for (std::size_t i = 0; i < what.size(); ++i) results[i] = book_.answer_of(what[i]);
  return errc{};
}

void sqlite_store_on_file::listen(std::function<void(shard_id)> wake) {
  const std::lock_guard locked(listening_);
  wake_ = std::move(wake);
}

errc sqlite_store_on_file::look_at_deaths(std::size_t nth, std::span<stored_time> shards) {
  return trying([&] { looks_.look_at_deaths(nth, shards); });
}

std::unique_ptr<store_view> sqlite_store_on_file::view_apart() { return std::make_unique<sqlite_view>(file_); }

errc sqlite_store_on_file::purge(const list_request& which, purge_page& out) {
  out = {};
  return in_transaction([&] {
    std::vector<std::string> keys;
    out.next = looks_.visit_dead(which, [&](listed_record&& its) {
      if (keys.size() == which.limit) return false;
      keys.push_back(std::move(its.what.key));
      return true;
    });
    for (const std::string& key : keys) out.erased += erase_dead(which.shard, key) ? 1u : 0u;
  });
}

errc sqlite_store_on_file::look(std::span<shard_state> shards) {
  if (file_.read_only()) return looking::look(shards);
  for (shard_id shard = 0; shard != static_cast<shard_id>(shards.size()); ++shard)
    shards[shard] = {.shard = shard,
                     .fence = book_.fence(shard),
                     .node = std::string(book_.owner(shard)),
                     .upto = book_.level(shard).due,
                     .timers = static_cast<std::uint64_t>(known_.counts[shard].timers),
                     .dead = static_cast<std::uint64_t>(known_.counts[shard].dead)};
  return errc{};
}

}  // namespace detent::durable::detail
