// SPDX-License-Identifier: MIT
#pragma once

#include "held_term.hpp"

#include <detent/durable_options.hpp>
#include <detent/durable_store.hpp>

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace detent::durable::detail {

// The shards that this node has, ought to have, and may not have. By the thread that talks to the store.
class tenures {
 public:
  struct tenure {
    std::shared_ptr<held_term> term;  // null: not ours
    stored_time level = stored_time::min();
    bool leaving = false;      // given back as soon as nothing of it runs
    bool lost = false;         // we had it, and no other node is known to have had it since
    bool foreign = false;      // another node has it, as far as is known
    bool lacking = false;      // it has timers that this node has no handler for
    bool has_backlog = false;  // the limit cut its last reading
    // By elapsed(), of the shard:
    std::chrono::nanoseconds try_at{};       // not to be asked for before
    std::chrono::nanoseconds free_since{};   // no node has it since then, as far as is known; 0: one has
    std::chrono::nanoseconds stays_until{};  // not given back for fairness before
    std::chrono::nanoseconds lends_at{};     // not left to a node with other handlers before
  };

  tenures(store& in, std::string_view node, const options& how)
      : store_(in), node_(node), how_(how), all_(in.shards()), ours_(in.shards()) {}

  tenure& of(shard_id shard) noexcept { return all_[shard]; }
  shard_id shards() const noexcept { return static_cast<shard_id>(all_.size()); }
  std::size_t owned() const noexcept;
  std::chrono::milliseconds lease() const noexcept { return std::chrono::ceil<std::chrono::milliseconds>(how_.lease); }

  // Decides which shards fall to us among these nodes, by rendezvous hashing.
  void share_out(const std::vector<std::string>& nodes);
  // The roll may lack nodes that live, as theirs as our calls did not reach the store, or another server has it now.
  // For a while only what we had is taken, and the others take what they had.
  void doubt() noexcept { shared_from_ = elapsed() + how_.lease / 4; }
  // Takes the free shards that are ours, and those that no node takes. `took` is called for each.
  errc take(const std::function<void(shard_id)>& took);
  // Those of which `leave` is called begin to leave: one that falls to another node, and those that lack a handler
  // here, if there is another node that may have it.
  void pick_leavers(const std::function<void(shard_id)>& leave);
  // The term is over.
  void lose(shard_id shard);
  errc give_back(const std::vector<shard_id>& which);

 private:
  errc look_for_orphans();
  bool may_lend(const tenure& its) const noexcept;

  store& store_;
  const std::string node_;
  const options& how_;
  std::vector<tenure> all_;
  std::vector<bool> ours_;
  std::size_t nodes_ = 0;
  std::chrono::nanoseconds shared_out_at_{};  // by elapsed(); 0: never
  std::chrono::nanoseconds shared_from_{};    // not what others may have had before
};

}  // namespace detent::durable::detail
