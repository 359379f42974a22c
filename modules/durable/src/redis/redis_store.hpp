// SPDX-License-Identifier: MIT
// The store on Redis. One thread calls it, and the listener has a thread of its own.
#pragma once

#include "batch.hpp"
#include "listener.hpp"
#include "lookups.hpp"
#include "record_bytes.hpp"
#include "remembered.hpp"
#include "servers.hpp"

#include <detent/durable_redis.hpp>

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace detent::durable::redis {

errc code_of(refusal kind) noexcept;

// The error code of a batch of calls. One call that was answered outweighs those whose server was not reached.
class outcome_of_calls {
 public:
  void add(const trouble& failed) noexcept {
    is_any_answered_ = is_any_answered_ || !failed;
    if (failed.kind == refusal::lost || failed.kind == refusal::busy)
      is_any_lost_ = true;
    else if (failed)
      spoil(code_of(failed.kind));
  }
  void spoil(errc code) noexcept {
    if (code_ == errc{}) code_ = code;
  }
  errc code() const noexcept {
    return code_ == errc{} && is_any_lost_ && !is_any_answered_ ? errc::unavailable : code_;
  }

 private:
  errc code_{};
  bool is_any_lost_ = false;
  bool is_any_answered_ = false;
};

inline errc run(servers& to, std::span<call> calls) {
  to.run(calls);
  outcome_of_calls all;
  for (const call& one : calls) all.add(one.failed);
  return all.code();
}

class redis_store final : public detail::looking<store, redis_store> {
 public:
  // Throws detent::error.
  redis_store(const std::string& address, const redis_options& how);
  ~redis_store() override { listener_.reset(); }

  shard_id shards() const noexcept override { return static_cast<shard_id>(terms_.size()); }
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
  errc purge(const list_request& which, purge_page& out) override {
    return read_only_ ? errc::not_permitted : looks_.purge(which, out);
  }
  errc look_at_deaths(std::size_t nth, std::span<stored_time> shards) override {
    return looks_.look_at_deaths(nth, shards);
  }
  errc look_at_roll(roll_state& out) override;
  std::unique_ptr<store_view> view_apart() override {
    return std::make_unique<redis_view>(servers(to_.places(), how_), keys_);
  }
  void listen(std::function<void(shard_id)> wake) override;

  using keys = shard_keys;

 private:
  // This node's knowledge of its last term of a shard: how far it has read, by the answers that it has received.
  struct term {
    std::uint64_t fence = 0;
    std::string node;
    std::string process;    // of the server that gave the term
    std::string level;      // as a score
    std::string level_key;  // the last key read of that instant; empty if all were read
    std::size_t seen = 0;   // lines of the term's announcements that have arrived
  };

  // Returns the term with that fence. If another object took it, only the fence is known, and only that is compared.
  const term& of(const term_ref& which) const noexcept;
  std::span<const std::string> keys_of(shard_id shard, std::size_t first, std::size_t count) const noexcept;
  std::string key(std::string_view tag, std::string_view name) const;
  std::string key_of_shard(shard_id shard, std::string_view name) const;
  std::string answer_key(shard_id shard, std::uint64_t question) const;
  call call_of(std::span<const change> what, const portion& its, keys& own_keys, arena& in) const;
  void settle(std::span<const change> what, const portion& its, const call& done, std::span<change_status> results);
  errc end_again(std::span<const std::pair<term_ref, std::string>> taken);
  void drop_unheard(const std::vector<portion>& round, std::span<const call> answered, std::span<answer> results);
  // Runs the calls; those that reach no server do not spoil the others. Returns the code of the batch.
  errc run_apart(std::span<call> calls);
  bool may_run(std::span<const call> calls) const noexcept;

  const access how_;
  servers to_;
  const std::string prefix_;
  const unsigned replicas_;
  const bool read_only_;
  const std::string own_name_;  // random
  const std::string channel_;   // announces changes to this store's owner
  std::string name_;
  std::vector<term> terms_;  // by shard
  std::vector<keys> keys_;   // by shard
  lookups looks_{to_, keys_};
  keys nodes_;
  std::vector<remembered> remembered_;  // by shard
  std::uint64_t last_turn_ = 0;
  unheard unheard_;  // used only if there are replicas
  std::unique_ptr<listener> listener_;
};

}  // namespace detent::durable::redis
