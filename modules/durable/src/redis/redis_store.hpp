// SPDX-License-Identifier: MIT
// The store on Redis. One thread calls it, and the listener has a thread of its own.
#pragma once

#include "batch.hpp"
#include "listener.hpp"
#include "record_bytes.hpp"
#include "remembered.hpp"
#include "servers.hpp"
#include "unheard.hpp"

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

class redis_store final : public store {
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
  errc end(std::span<const end_request> what, std::span<end_status> results) override;
  errc put(std::span<const put_request> what, std::span<put_status> results) override;
  errc cancel(std::span<const cancel_request> what, std::span<cancel_status> results) override;
  errc read_answers(std::span<const question_ref> what, std::span<answer> results) override;
  errc revive(std::span<const put_request> what, std::span<put_status> results) override;
  errc list(const list_request& which, std::vector<listed_record>& out) override;
  errc look(std::span<shard_state> shards) override;
  void listen(std::function<void(shard_id)> wake) override;

  using keys = std::vector<std::string>;

 private:
  // This node's knowledge of its last term of a shard: how far it has got by the answers that it received.
  struct term {
    std::uint64_t fence = 0;
    std::string node;
    std::string process;   // of the server that gave the term
    std::string level;     // a score
    std::size_t seen = 0;  // lines of what was announced in it that have arrived
  };

  // The term of that fence. Of one that another object took, the fence is all that is known, and all that is compared.
  const term& of(const term_ref& which) const noexcept;
  std::span<const std::string> keys_of(shard_id shard, std::size_t first, std::size_t count) const noexcept;
  std::string key(std::string_view tag, std::string_view name) const;
  std::string answer_key(shard_id shard, std::uint64_t question) const;
  keys end_keys(std::span<const end_request> what, std::span<const std::size_t> places) const;
  void note(std::span<const end_request> what, const portion& its, std::string_view process);
  errc end_again(std::span<const std::pair<term_ref, std::string>> taken);
  void leave(std::span<const read_request> what, std::span<const std::size_t> places);
  // Runs them; in a cluster, calls that reached no server do not spoil the others. The code of the batch.
  errc run_apart(std::span<call> calls);
  errc run(std::span<call> calls);
  bool may_run(std::span<const call> calls) const noexcept;
  // And waits for replicas, where these are wanted.
  errc run_and_wait(std::vector<call>& calls);
  void drop_unheard(const std::vector<portion>& round, std::span<const call> answered, std::span<answer> results);

  servers to_;
  const credentials who_;
  const std::string prefix_;
  const unsigned replicas_;
  const bool read_only_;
  const std::string channel_;  // on which changes are announced to this store's owner
  std::string name_;
  std::vector<term> terms_;  // by shard
  std::vector<keys> keys_;   // by shard: own, announced, due, body, dead, grave
  keys nodes_;
  remembered<put_status> puts_;        // by id
  remembered<cancel_status> cancels_;  // by question
  unheard unheard_;                    // with replicas only
  std::unique_ptr<listener> listener_;
};

}  // namespace detent::durable::redis
