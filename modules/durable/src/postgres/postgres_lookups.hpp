// SPDX-License-Identifier: MIT
#pragma once

#include "../stores/looking.hpp"
#include "connection.hpp"

#include <detent/durable_store.hpp>

namespace detent::durable::postgres {

// The look-ups, as queries to the server. Each is one statement, which sees what was committed before. Used by one
// thread.
class lookups {
 public:
  // How a shard's timers are counted: one by one; or fast enough for a node to look often, where many timers are
  // estimated.
  enum class counting : bool { exact, fast };

  // `to` must outlive this object.
  lookups(connection& to, counting how) noexcept : to_(to), how_(how) {}

  errc find(const timer_ref& which, std::optional<listed_record>& out);
  errc find_by_key(const key_request& which, std::vector<listed_record>& out);
  errc list(const list_request& which, list_page& out);
  errc look(std::span<shard_state> shards);
  errc count_due(stored_time by, std::span<std::uint64_t> shards);
  errc look_at_deaths(std::size_t nth, std::span<stored_time> shards);
  errc look_at_roll(roll_state& out);
  // Unlike the others, this one writes.
  errc purge(const list_request& which, purge_page& out);

 private:
  errc ask(statement what, const parameters& with, rows& out);
  errc ask_for_piece(statement what, const list_request& which, rows& out);

  connection& to_;
  const counting how_;
};

// Has a connection of its own, so that another thread than the store's can use it. The first call makes it.
class postgres_view final : public detail::looking<store_view, postgres_view> {
 public:
  postgres_view(const std::string& url, const std::string& settings, std::chrono::microseconds patience)
      : to_(url, settings, patience), in_(to_, lookups::counting::exact) {}

  template <class F>
  errc by_lookups(F&& look) {
    return look(in_);
  }

 private:
  connection to_;
  lookups in_;
};

}  // namespace detent::durable::postgres
