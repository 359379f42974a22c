// SPDX-License-Identifier: MIT
// The store in PostgreSQL: look-ups, by the store's own connection and by others.
#include "postgres_lookups.hpp"

#include "../stores/listing.hpp"
#include "../stores/text.hpp"
#include "opening.hpp"
#include "postgres_store.hpp"

#include <algorithm>
#include <utility>

namespace detent::durable::postgres {
namespace {

constexpr std::size_t most_counted = 65'536;  // of all shards together, which takes some milliseconds

record record_of(const rows& its, int row, shard_id shard) {
  record out;
  out.shard = shard;
  out.key = stored_key(its.text(row, 1), its.text(row, 0));
  out.id = static_cast<std::uint64_t>(its.number(row, 2));
  out.due = its.time(row, 3);
  out.attempt = static_cast<std::uint32_t>(its.number(row, 4));
  out.by_rule = its.flag(row, 5);
  out.handler = its.text(row, 6);
  out.schedule = its.text(row, 7);
  out.payload = its.bytes(row, 8);
  return out;
}

// Reads a row with the columns of find_sql.
listed_record found_one(const rows& its, int row, shard_id shard) {
  listed_record out{record_of(its, row, shard)};
  if (!its.is_null(row, 10)) {
    out.why = its.text(row, 9);
    out.died = its.time(row, 10);
  }
  return out;
}

// No timer has a name that is not text.
bool may_be_found(const list_request& which) noexcept {
  return detail::is_text(which.key_prefix) && detail::is_text(which.handler) &&
         (!which.partition || detail::is_text(*which.partition));
}

std::string words_of_dead(stored_time died, std::string_view partition, std::string_view key) {
  return detail::list_place{died, stored_key(key, partition)}.words();
}

template <class Each>
void each_shard(const rows& found, std::size_t shards, Each&& each) {
  for (int i = 0; i != found.count(); ++i)
    if (const auto shard = static_cast<std::size_t>(found.number(i, 0)); shard < shards) each(shard, i);
}

}  // namespace

errc lookups::ask(statement what, const parameters& with, rows& out) {
  return code_of(to_.run(query{what, &with}, out).kind);
}

errc lookups::find(const timer_ref& which, std::optional<listed_record>& out) {
  out.reset();
  const key_parts name = parts_of(which.key);
  if (!detail::is_text(name.key) || !detail::is_text(name.partition)) return errc{};
  parameters with;
  with.add(static_cast<std::int32_t>(which.shard));
  with.add_text(name.partition);
  with.add_text(name.key);
  rows found;
  if (const errc code = ask(statement::find, with, found); code != errc{} || found.count() == 0) return code;
  out = found_one(found, 0, which.shard);
  return errc{};
}

errc lookups::find_by_key(const key_request& which, std::vector<listed_record>& out) {
  out.clear();
  const std::string_view key = parts_of(which.name.key).key;
  if (!detail::is_text(key)) return errc{};
  parameters with;
  with.add(static_cast<std::int32_t>(which.name.shard));
  with.add_text(key);
  with.add(static_cast<std::int64_t>(which.limit));
  rows found;
  const statement what = which.dead ? statement::find_dead_by_key : statement::find_by_key;
  if (const errc code = ask(what, with, found); code != errc{}) return code;
  for (int i = 0; i != found.count() && out.size() < which.limit; ++i)
    out.push_back(found_one(found, i, static_cast<shard_id>(found.number(i, 11))));
  return errc{};
}

errc lookups::ask_for_piece(statement what, const list_request& which, rows& out) {
  const detail::list_place last = detail::list_place::of(which.after);
  const bool goes_on = !last.tie.empty() && last.at >= which.from;
  // The words of another list may not be a name.
  const bool is_name =
      goes_on && which.dead && detail::is_text(parts_of(last.tie).key) && detail::is_text(parts_of(last.tie).partition);
  const key_parts name = is_name ? parts_of(last.tie) : key_parts{};
  const bool has_filter = !which.handler.empty() || !which.key_prefix.empty() || which.partition;
  const std::size_t most = has_filter ? detail::timers_a_piece : std::min(which.limit, detail::timers_a_piece);
  parameters with;
  with.add(static_cast<std::int32_t>(which.shard));
  with.add(goes_on ? last.at : which.from);
  with.add(goes_on ? static_cast<std::int64_t>(detail::number_of(last.tie)) : INT64_MIN);
  with.add_text(name.partition);
  with.add_text(name.key);
  with.add(which.until);
  with.add_text(which.handler);
  if (which.partition)
    with.add_text(*which.partition);
  else
    with.add_null();
  with.add_text(which.key_prefix);
  with.add(static_cast<std::int64_t>(most + 1));
  with.add(static_cast<std::int64_t>(std::min(which.limit, detail::timers_a_piece)));
  with.add(which.recurring);
  return ask(what, with, out);
}

errc lookups::list(const list_request& which, list_page& out) {
  out = {};
  if (!may_be_found(which)) return errc{};
  const statement what = which.dead        ? statement::list_dead
                         : which.recurring ? statement::list_recurring
                                           : statement::list;
  rows found;
  if (const errc code = ask_for_piece(what, which, found); code != errc{}) return code;
  const int last = found.count() - 1;
  for (int i = 0; i <= last; ++i) {
    if (!found.flag(i, 9)) continue;
    listed_record one{record_of(found, i, which.shard)};
    if (which.dead) {
      one.why = found.text(i, 11);
      one.died = found.time(i, 12);
    }
    out.found.push_back(std::move(one));
  }
  if (last < 0 || !found.flag(last, 10)) return errc{};
  if (which.dead) {
    out.next = words_of_dead(found.time(last, 12), found.text(last, 0), found.text(last, 1));
  } else {
    const auto tie = static_cast<std::uint64_t>(found.number(last, 11));
    out.next = detail::list_place{found.time(last, 3), detail::bytes_of(tie)}.words();
  }
  return errc{};
}

errc lookups::purge(const list_request& which, purge_page& out) {
  out = {};
  if (!may_be_found(which)) return errc{};
  list_request dead = which;
  dead.dead = true;
  rows found;
  if (const errc code = ask_for_piece(statement::purge, dead, found); code != errc{} || found.count() == 0) return code;
  out.erased = static_cast<std::size_t>(found.number(0, 0));
  if (found.flag(0, 4)) out.next = words_of_dead(found.time(0, 3), found.text(0, 1), found.text(0, 2));
  return errc{};
}

errc lookups::look(std::span<shard_state> shards) {
  parameters with;
  with.add(static_cast<std::int32_t>(shards.size()));
  if (how_ == counting::fast)
    with.add(static_cast<std::int64_t>(most_counted / std::max<std::size_t>(shards.size(), 1)));
  else
    with.add_null();
  rows found;
  if (const errc code = ask(statement::look, with, found); code != errc{}) return code;
  for (std::size_t i = 0; i != shards.size(); ++i) shards[i] = {.shard = static_cast<shard_id>(i)};
  each_shard(found, shards.size(), [&](std::size_t shard, int row) {
    shards[shard].fence = static_cast<std::uint64_t>(found.number(row, 1));
    shards[shard].node = found.text(row, 2);
    shards[shard].upto = found.time(row, 3);
    shards[shard].timers = static_cast<std::uint64_t>(found.number(row, 4));
    shards[shard].dead = static_cast<std::uint64_t>(found.number(row, 5));
  });
  return errc{};
}

errc lookups::count_due(stored_time by, std::span<std::uint64_t> shards) {
  parameters with;
  with.add(static_cast<std::int32_t>(shards.size()));
  with.add(by);
  rows found;
  if (const errc code = ask(statement::count_due, with, found); code != errc{}) return code;
  each_shard(found, shards.size(),
             [&](std::size_t shard, int row) { shards[shard] = static_cast<std::uint64_t>(found.number(row, 1)); });
  return errc{};
}

errc lookups::look_at_deaths(std::size_t nth, std::span<stored_time> shards) {
  parameters with;
  with.add(static_cast<std::int32_t>(shards.size()));
  with.add(static_cast<std::int64_t>(std::max<std::size_t>(nth, 1) - 1));
  rows found;
  if (const errc code = ask(statement::deaths, with, found); code != errc{}) return code;
  std::ranges::fill(shards, stored_time::max());
  each_shard(found, shards.size(), [&](std::size_t shard, int row) {
    if (!found.is_null(row, 1)) shards[shard] = found.time(row, 1);
  });
  return errc{};
}

errc lookups::look_at_roll(roll_state& out) {
  rows found;
  if (const errc code = ask(statement::look_at_roll, {}, found); code != errc{}) return code;
  out = {};
  for (int i = 0; i != found.count(); ++i) {
    if (found.is_null(i, 1))
      out.now = found.time(i, 0);
    else
      out.entries.push_back({std::string(found.text(i, 1)), found.time(i, 0)});
  }
  return errc{};
}

errc postgres_store::purge(const list_request& which, purge_page& out) {
  return read_only_ ? errc::not_permitted : looks_.purge(which, out);
}

std::unique_ptr<store_view> postgres_store::view_apart() {
  return std::make_unique<postgres_view>(url_, settings_of(true, 0), patience_);
}

}  // namespace detent::durable::postgres
