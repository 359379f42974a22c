// SPDX-License-Identifier: MIT
#pragma once

#include "held_term.hpp"
#include "roll.hpp"

#include <detent/durable_options.hpp>
#include <detent/durable_store.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace detent::durable::detail {

// The shards that this node has, ought to have, and may not have. By the thread that talks to the store.
class tenures {
 public:
  // A handler, or a handler on a schedule, that this node lacks.
  struct lack {
    std::vector<ability> needs;
    stored_time due{};  // of the first timer for it
  };
  struct tenure {
    std::shared_ptr<held_term> term;                // null: not ours
    stored_time level = stored_time::min();         // has been read, and
    bool whole = true;                              // whether all of that instant has
    bool leaving = false;                           // given back as soon as nothing of it runs
    bool lost = false;                              // we had it, and no other node is known to have had it since
    std::uint64_t lost_fence = 0;                   // of that term
    stored_time careful_upto = stored_time::min();  // of the lost term: what it had not tried is to be tried still
    bool untried = false;      // what was to be tried is withdrawn: the term is not given back, but lapses
    bool foreign = false;      // another node has it, as far as is known
    bool has_backlog = false;  // the limit cut its last reading
    // By elapsed(), of the shard:
    std::chrono::nanoseconds try_at{};       // not to be asked for before
    std::chrono::nanoseconds free_since{};   // no node has it since then, as far as is known; 0: one has
    std::chrono::nanoseconds stays_until{};  // not given back for fairness before
    std::chrono::nanoseconds lends_at{};     // not lent to a node with other handlers before; 0: it was not read yet
    std::map<std::string, lack> lacks;       // of its timers in hand, by name
    std::string lent_to;                     // not empty: it leaves for this node

    bool has_read(stored_time due) const noexcept { return due < level || (due == level && whole); }
  };

  tenures(store& in, std::string_view node, const options& how, const clocks& by)
      : store_(in), node_(node), how_(how), clock_(by), all_(in.shards()), ours_(in.shards()) {}

  const clocks& clock() const noexcept { return clock_; }

  tenure& of(shard_id shard) noexcept { return all_[shard]; }
  shard_id shards() const noexcept { return static_cast<shard_id>(all_.size()); }
  std::size_t owned() const noexcept;
  // The option; on a slow link longer, so that no term ends between two readings of it.
  std::chrono::milliseconds lease() const noexcept;
  // How long a call of the store took. Of the last few the shortest counts: a stall is no slow link.
  void note_trip(std::chrono::nanoseconds took) noexcept;
  std::chrono::nanoseconds trip() const noexcept { return std::ranges::min(trips_); }

  // Decides which shards fall to us among the nodes that are there, by rendezvous hashing.
  void share_out(const roll& with);
  // The roll cannot be read: what is free may be taken, after a pause, and what this node has it keeps.
  void share_out_nothing() noexcept;
  bool is_rolled() const noexcept { return is_rolled_; }
  // The roll may lack nodes that live, as theirs as our calls did not reach the store, or another server has it now.
  // For a while only what we had is taken, and the others take what they had.
  void doubt() noexcept { shared_from_ = clock_.elapsed() + lease() / 4; }
  // Takes the free shards that are ours, and those that no node takes. `took` is called for each.
  errc take(const std::function<void(shard_id)>& took);
  // A shard that falls to another node begins to leave, one at a time; `leave` is called for it.
  void pick_leaver(const std::function<void(shard_id)>& leave);
  // Asks the store which shards have an owner.
  errc look();
  // How many timers the shards had that had none then.
  std::uint64_t unowned() const noexcept { return unowned_; }
  // The term is over.
  void lose(shard_id shard);
  // It has lapsed as it was to: its shard is for another node, which sees that it was not given back.
  void let_go(shard_id shard);
  errc give_back(const std::vector<shard_id>& which);

 private:
  errc look_for_orphans();
  bool may_take(shard_id shard, std::chrono::nanoseconds now) const noexcept;

  store& store_;
  const std::string node_;
  const options& how_;
  const clocks& clock_;
  std::vector<tenure> all_;
  std::vector<bool> ours_;
  std::map<shard_id, roll::lent_shard> lent_;  // not to be taken but by these
  bool is_rolled_ = false;                     // the roll is known
  std::chrono::nanoseconds shared_out_at_{};   // by elapsed(); 0: never
  std::chrono::nanoseconds shared_from_{};     // not what others may have had before
  std::chrono::nanoseconds look_at_{};         // not to look for orphans before
  std::array<std::chrono::nanoseconds, 4> trips_{};
  std::size_t trips_noted_ = 0;
  std::uint64_t unowned_ = 0;
};

}  // namespace detent::durable::detail
