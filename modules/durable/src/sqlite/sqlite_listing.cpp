// SPDX-License-Identifier: MIT
// The store in a file: look-ups, by its own connection and by others, and what becomes of the dead.
#include "lookups.hpp"
#include "sqlite_store.hpp"

#include <utility>

namespace detent::durable::detail {
namespace {

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
