// SPDX-License-Identifier: MIT
#pragma once

#include "common.hpp"
#include "dead_keeper.hpp"
#include "hand.hpp"
#include "rule_follower.hpp"
#include "stall_watch.hpp"
#include "writer.hpp"

#include <detent/durable_store.hpp>

#include <set>

namespace detent::durable::detail {

// Keeps this node's terms: takes shards, reads each one horizon ahead into the hand, which also renews its term, and
// gives shards back. Used by the thread that talks to the store.
class reader {
 public:
  reader(const common& of, hand& held, writer& ends, rule_follower& rules, dead_keeper& dead, const std::string& node)
      : with_(of), held_(held), ends_(ends), rules_(rules), dead_(dead), node_(node), stalls_(of) {}

  // Calls the roll, takes shards, and reads all shards further.
  void tick();
  // Reads only these shards.
  void look_at(std::vector<shard_id> which);
  // Reads the shards to which something was announced, and some of those that have a backlog, in turn.
  void read_backlogs(std::vector<shard_id> announced);
  // Renews the terms of the shards that this node still has while it ends and handlers are running.
  void renew();
  // A schedule has become known here, so the shards with timers of an unknown schedule are given back and read again
  // from the start.
  void reread_lacking();
  // Tells the other nodes that this node has left.
  void leave_roll();
  // Every shard begins to leave.
  void leave_all();
  // Gives back the shards in which nothing runs, or lets their terms lapse. Returns false if a run is under way in some
  // shard.
  bool give_back();
  // Returns whether some timers that are due within the horizon did not fit into the last readings.
  bool lags() const noexcept { return lags_; }
  // Returns whether the last tick has taken shards, which are to be read soon.
  bool has_taken() const noexcept { return has_taken_; }

 private:
  errc call_roll();
  void judge_clock(duration skew, duration uncertain);
  void drop_lapsed();
  void withdraw(shard_id shard);
  bool renews(shard_id shard) const;
  bool lapses(shard_id shard) const;
  errc take();
  errc read(const std::vector<shard_id>& which);
  void note_backlogs(stored_time upto);
  std::size_t room() const;  // for timers of one reading
  std::vector<read_request> share_out(const std::vector<shard_id>& which, stored_time upto) const;
  void use(shard_id shard, read_result& read);
  void drop_needless_successors(shard_id shard, const read_result& read);
  void lose(shard_id shard);
  void note_unknown(shard_id shard, const record& what);

  const common& with_;
  hand& held_;
  writer& ends_;
  rule_follower& rules_;
  dead_keeper& dead_;
  const std::string node_;
  stall_watch stalls_;
  roll roll_;
  std::set<std::string> reported_;  // names of handlers that are missing here
  bool measured_ = false;           // a roll call has measured the skew
  bool skewed_ = false;
  bool lags_ = false;
  bool has_taken_ = false;
  shard_id next_backlog_ = 0;  // the first one that read_backlogs() considers
  bool unanswered_ = false;    // during the last tick a part of the store did not answer
};

}  // namespace detent::durable::detail
