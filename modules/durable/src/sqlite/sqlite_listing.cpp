// SPDX-License-Identifier: MIT
// The store in a file: look-ups, by its own connection and by others, and what becomes of the dead.
#include "lookups.hpp"
#include "sqlite_store.hpp"

#include <utility>

namespace detent::durable::detail {
namespace {

template <class Look>
errc trying(Look&& look) {
  try {
    look();
    return errc{};
  } catch (const sqlite_failure& failure) {
    return meaning(failure.code);
  }
}

void count_due_of(lookups& in, stored_time by, std::span<std::uint64_t> shards) {
  for (std::size_t shard = 0; shard != shards.size(); ++shard)
    shards[shard] = in.count_due(by, static_cast<shard_id>(shard));
}

// A connection of its own, so that SQLite lets it read while the store writes. Each call sees what was committed when
// it began. Terms are in the memory of the store, so it sees none.
class sqlite_view final : public store_view {
 public:
  explicit sqlite_view(const database& of) : file_(of) {}

  errc find(const timer_ref& which, std::optional<listed_record>& out) override {
    return trying([&] { out = open().find(which); });
  }
  errc find_by_key(const key_request& which, std::vector<listed_record>& out) override {
    return trying([&] { out = open().find_by_key(which); });
  }
  errc list(const list_request& which, list_page& out) override {
    return trying([&] { out = open().list(which); });
  }
  errc look(std::span<shard_state> shards) override {
    return trying([&] {
      lookups& in = open();
      statement fences(connection_.get(), "SELECT shard, fence FROM shards");
      while (fences.step())
        if (const auto shard = static_cast<std::size_t>(fences.number(0)); shard < shards.size())
          shards[shard] = {.shard = static_cast<shard_id>(shard),
                           .fence = static_cast<std::uint64_t>(fences.number(1)),
                           .node = "?"};
      in.count(shards);
    });
  }
  errc count_due(stored_time by, std::span<std::uint64_t> shards) override {
    return trying([&] { count_due_of(open(), by, shards); });
  }

 private:
  lookups& open() {
    if (!in_) {
      connection_ = file_.connect_to_read();
      in_.emplace(connection_.get());
    }
    return *in_;
  }

  const database& file_;
  database::connection connection_;
  std::optional<lookups> in_;
};

}  // namespace

errc sqlite_store_on_file::find(const timer_ref& which, std::optional<listed_record>& out) {
  return trying([&] { out = looks_.find(which); });
}

errc sqlite_store_on_file::find_by_key(const key_request& which, std::vector<listed_record>& out) {
  return trying([&] { out = looks_.find_by_key(which); });
}

errc sqlite_store_on_file::list(const list_request& which, list_page& out) {
  return trying([&] { out = looks_.list(which); });
}

errc sqlite_store_on_file::count_due(stored_time by, std::span<std::uint64_t> shards) {
  return trying([&] { count_due_of(looks_, by, shards); });
}

errc sqlite_store_on_file::look_at_deaths(std::size_t nth, std::span<stored_time> shards) {
  return trying([&] {
    for (std::size_t shard = 0; shard != shards.size(); ++shard)
      shards[shard] = looks_.nth_death(nth, static_cast<shard_id>(shard));
  });
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
  if (shards.empty()) return errc{};
  return trying([&] {
    for (shard_id shard = 0; shard != static_cast<shard_id>(shards.size()); ++shard)
      shards[shard] = {.shard = shard,
                       .fence = book_.fence(shard),
                       // Only the process that holds the file knows its terms.
                       .node = std::string(file_.read_only() ? "?" : book_.owner(shard)),
                       .upto = book_.level(shard).due,
                       .timers = static_cast<std::uint64_t>(known_.counts[shard].timers),
                       .dead = static_cast<std::uint64_t>(known_.counts[shard].dead)};
    if (file_.read_only()) looks_.count(shards);
  });
}

}  // namespace detent::durable::detail
