// SPDX-License-Identifier: MIT
#pragma once

#include "held_term.hpp"
#include "roll.hpp"

#include <detent/durable_options.hpp>
#include <detent/durable_store.hpp>

#include <algorithm>
#include <array>
#include <map>

namespace detent::durable::detail {

// The shards that this node has, ought to have, and may not have. Used by the thread that talks to the store.
class tenures {
 public:
  // A handler, or a handler on a schedule, that this node lacks.
  struct lack {
    std::vector<ability> needs;
    stored_time due{};  // of the first timer that needs it
  };
  struct tenure {
    std::shared_ptr<held_term> term;                // null if the shard is not ours
    stored_time level = stored_time::min();         // read up to this due time
    bool whole = true;                              // and whether all timers of that instant were read
    bool leaving = false;                           // to be given back as soon as nothing of it runs
    bool lost = false;                              // we had it, and no other node is known to have had it since
    std::uint64_t lost_fence = 0;                   // of the term that was lost
    stored_time careful_upto = stored_time::min();  // of the lost term: its untried careful runs are still to be tried
    bool untried = false;      // careful runs were withdrawn untried, so the term lapses instead of being given back
    bool foreign = false;      // another node has it, as far as is known
    bool has_backlog = false;  // the limit cut its last reading short
    // Times by elapsed():
    std::chrono::nanoseconds try_at{};       // not to be asked for earlier
    std::chrono::nanoseconds free_since{};   // since when no node is known to have it; 0 while one has
    std::chrono::nanoseconds stays_until{};  // not to be given back for fairness earlier
    std::chrono::nanoseconds lends_at{};     // not to be lent for lack of handlers earlier; 0 until it was read
    std::map<std::string, lack> lacks;       // what its timers in hand lack, by name
    std::string lent_to;                     // if not empty, the shard is leaving for this node

    bool has_read(stored_time due) const noexcept { return due < level || (due == level && whole); }
  };

  tenures(store& in, std::string_view node, const options& how, const clocks& by)
      : store_(in), node_(node), how_(how), clock_(by), all_(in.shards()), ours_(in.shards()) {}

  const clocks& clock() const noexcept { return clock_; }

  tenure& of(shard_id shard) noexcept { return all_[shard]; }
  shard_id shards() const noexcept { return static_cast<shard_id>(all_.size()); }
  std::size_t owned() const noexcept;
  // The option, lengthened on a slow link so that no term ends between two readings of its shard.
  std::chrono::milliseconds lease() const noexcept;
  // Notes how long a call of the store took. Only the shortest of the last few counts, because a stall does not make a
  // link slow.
  void note_trip(std::chrono::nanoseconds took) noexcept;
  std::chrono::nanoseconds trip() const noexcept { return std::ranges::min(trips_); }

  // Decides which shards fall to us among the nodes that are there, by rendezvous hashing.
  void share_out(const roll& with);
  // The roll cannot be read. This node keeps the shards that it has, and after a pause it may take those that are free.
  void share_out_nothing() noexcept;
  bool is_rolled() const noexcept { return is_rolled_; }
  // The roll may lack living nodes, because their calls may have failed as ours did, or because another server has it
  // now. For a while each node takes only the shards that it had before.
  void doubt() noexcept { shared_from_ = clock_.elapsed() + lease() / 4; }
  // Takes the free shards that fall to this node, and those that no node takes. `took` is called for each.
  errc take(const std::function<void(shard_id)>& took);
  // Lets one shard leave that falls to another node; `leave` is called for it.
  void pick_leaver(const std::function<void(shard_id)>& leave);
  // Asks the store which shards have an owner.
  errc look();
  // How many timers the shards without an owner had when look() was called last.
  std::uint64_t unowned() const noexcept { return unowned_; }
  // The term of this shard is over.
  void lose(shard_id shard);
  // The term has lapsed as intended. The shard is for another node, which sees that it was not given back.
  void let_go(shard_id shard);
  errc give_back(const std::vector<shard_id>& which);

  // Tells the other nodes about this one. To be called again and again: it writes only when the last note is about to
  // lapse.
  errc tell(const node_note& its);
  // A shard that lacks a handler here is lent to a node that can run the timer that has waited longest. It stays there
  // until its due timers have been read, and that node lends it in the same way. was_read(): the shard stays here long
  // enough for its due timers to run. lacks(): a timer was read for which this node has no handler.
  void was_read(shard_id shard);
  void lacks(shard_id shard, const std::string& name, std::span<const ability> needs, stored_time due);
  // Lets each shard leave that lacks a handler here and finds one on another node. `leave` is called for each.
  errc lend(const roll& with, const std::function<void(shard_id)>& leave);

 private:
  std::optional<std::string> taker_for(shard_id shard, const roll& with) const;
  errc look_for_orphans();
  bool may_take(shard_id shard, std::chrono::nanoseconds now) const noexcept;

  store& store_;
  const std::string node_;
  const options& how_;
  const clocks& clock_;
  std::vector<tenure> all_;
  std::vector<bool> ours_;
  std::map<shard_id, roll::lent_shard> lent_;  // only these nodes may take them
  bool is_rolled_ = false;                     // the roll is known
  std::chrono::nanoseconds shared_out_at_{};   // by elapsed(); 0: never
  std::chrono::nanoseconds shared_from_{};     // until then, not what others may have had before
  std::chrono::nanoseconds look_at_{};         // not to look for orphans earlier
  std::chrono::nanoseconds told_until_{};
  std::array<std::chrono::nanoseconds, 4> trips_{};
  std::size_t trips_noted_ = 0;
  std::uint64_t unowned_ = 0;
};

}  // namespace detent::durable::detail
