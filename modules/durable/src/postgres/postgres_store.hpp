// SPDX-License-Identifier: MIT
// The store in PostgreSQL. One thread calls it; the listener has a thread and a connection of its own.
#pragma once

#include "connection.hpp"
#include "listener.hpp"
#include "postgres_lookups.hpp"
#include "remembered.hpp"
#include "terms.hpp"
#include "tokens.hpp"

#include <detent/durable_postgres.hpp>

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace detent::durable::postgres {

// A successor to be settled: it is dropped, or put in place of its timer.
struct lost_successor {
  shard_id shard;
  std::string key;
  std::uint64_t id;
  bool needless;
};

// The most changes in one transaction. They, and their bytes, are few enough for the server to be done soon.
inline constexpr std::size_t largest_piece = 1024;

using asked_successors = std::map<shard_id, std::set<std::string>>;  // the keys of each shard

class postgres_store final : public detail::looking<store, postgres_store> {
 public:
  // Throws detent::error.
  postgres_store(const std::string& url, const postgres_options& how);
  ~postgres_store() override { listener_.reset(); }

  bool names_are_text() const noexcept override { return true; }
  run_tokens* tokens() noexcept override { return &tokens_; }
  shard_id shards() const noexcept override { return shards_; }
  std::string_view name() const noexcept override { return name_; }
  errc call_roll(std::string_view node, std::chrono::milliseconds live_for, roll_call& out) override;
  errc take(std::string_view node, std::span<const take_request> what, std::span<take_result> results) override;
  errc give_back(std::span<const term_ref> what) override;
  errc read_on(std::span<const read_request> what, std::span<read_result> results) override;
  errc apply(std::span<const change> what, std::span<change_status> results) override;
  errc read_answers(std::span<const question_ref> what, std::span<answer> results) override;
  template <class F>
  errc by_lookups(F&& look) {
    return look(looks_);
  }
  errc purge(const list_request& which, purge_page& out) override;
  errc look_at_deaths(std::size_t nth, std::span<stored_time> shards) override {
    return looks_.look_at_deaths(nth, shards);
  }
  errc look_at_roll(roll_state& out) override { return looks_.look_at_roll(out); }
  std::unique_ptr<store_view> view_apart() override;
  void listen(std::function<void(shard_id)> wake) override;

 private:
  // Changes of a batch, as their places in it.
  using places = std::vector<std::size_t>;

  errc run(std::span<const query> what, std::vector<rows>& out);
  void read_rows(const rows& from, std::span<const read_request> what, std::span<read_result> results,
                 const asked_successors& asked, std::vector<lost_successor>& lost);
  void settle_successors(std::span<const lost_successor> which);
  trouble carry_out(std::span<const change> what, std::span<const std::size_t> which, bool apart,
                    std::span<change_status> results);
  trouble carry_out_in_pieces(std::span<const change> what, const places& which, bool apart,
                              std::span<change_status> results, places& done);
  trouble resolve_doubt();

  const std::string url_;
  const std::chrono::microseconds patience_;
  const bool read_only_;
  const std::int64_t own_number_;  // random; identifies this object's sessions, one at a time, and its turns
  std::string name_;
  shard_id shards_ = 0;
  connection to_;
  lookups looks_{to_, read_only_ ? lookups::counting::exact : lookups::counting::fast};
  terms terms_;
  remembered remembered_;
  std::int64_t last_turn_ = 0;
  busy_keys busy_;
  std::size_t most_rows_ = std::size_t{1} << 40;  // of a shard in a reading
  std::size_t piece_ = largest_piece;             // changes in a transaction; fewer after an answer did not come
  finish_tokens tokens_;
  std::unique_ptr<listener> listener_;
};

}  // namespace detent::durable::postgres
