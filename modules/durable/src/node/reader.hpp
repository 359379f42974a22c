// SPDX-License-Identifier: MIT
#pragma once

#include "counts.hpp"
#include "end_writer.hpp"
#include "hand.hpp"
#include "tenures.hpp"
#include "trouble.hpp"

#include <detent/durable_store.hpp>

#include <set>
#include <string>
#include <vector>

namespace detent::durable::detail {

// Keeps this node's terms: takes shards, reads each one horizon ahead into the hand, which renews its term, and gives
// shards back. By the thread that talks to the store.
class reader {
 public:
  struct parts {
    store& in;
    const options& how;
    hand& held;
    tenures& terms;
    end_writer& ends;
    trouble& problems;
    counts& counted;
  };
  reader(const parts& of, std::string node) : with_(of), node_(std::move(node)) {}

  // Calls the roll, takes shards, and reads on in all of them.
  void tick();
  // These shards alone: something was announced to them.
  void look_at(const std::vector<shard_id>& announced);
  // Renews the shards that this node still has, while it ends and handlers run.
  void renew();
  // Every shard begins to leave.
  void leave_all();
  // Gives back the shards in which nothing runs; false if some are left.
  bool give_back();
  // Whether timers that are due within the horizon did not fit into the last reading.
  bool lags() const noexcept { return lags_; }

 private:
  errc call_roll();
  void drop_lapsed();
  errc take();
  errc read(const std::vector<shard_id>& which);
  std::vector<read_request> share_out(const std::vector<shard_id>& which, stored_time upto) const;
  void use(shard_id shard, read_result& read);
  void lose(shard_id shard);
  void report_unknown(shard_id shard, const record& what);

  const parts with_;
  const std::string node_;
  std::set<std::string> reported_;  // handlers that are not known here
  bool measured_ = false;           // the skew: before, nothing is taken
  bool skewed_ = false;
  bool lags_ = false;
  bool unanswered_ = false;  // a part of the store did not answer the last tick
};

}  // namespace detent::durable::detail
