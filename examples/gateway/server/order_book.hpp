// SPDX-License-Identifier: MIT
// The orders of all sessions: how each comes to its one end, and which sessions get the report.
#pragma once

#include <detent/detent.hpp>

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "order.hpp"
#include "wire/protocol.hpp"

namespace gateway {

// accepted = traded + cancelled + expired + those that rest.
struct order_counts {
  std::uint64_t accepted = 0;
  std::uint64_t traded = 0;
  std::uint64_t cancelled = 0;
  std::uint64_t expired = 0;
};

class order_book {
 public:
  explicit order_book(detent::engine& engine);

  // A limit order until `expires`, which has not come yet. The id is none of the trader's resting orders'.
  void rest(trader& owner, std::uint64_t id, side which, detent::time_point expires);
  // A market order: trades with the oldest order of the other side, or is rejected.
  void take(trader& owner, std::uint64_t id, side which);
  void reject(trader& owner, std::uint64_t id, std::string_view why);
  // False: there is no such order any more, or its time is up.
  bool cancel(trader& owner, std::uint64_t id);
  bool replace(trader& owner, std::uint64_t id, detent::time_point expires);
  // All that the trader has in the book; its timers have been cancelled.
  void cancel_all(trader& owner, std::string_view why);

  // A session that gets a copy of every report, in the order in which things happened.
  void add_drop_copy(trader& reader) { drop_copies_.push_back(&reader); }
  void remove_drop_copy(trader& reader) { std::erase(drop_copies_, &reader); }

  const order_counts& counts() const { return counts_; }
  detent::label label() const { return label_; }

 private:
  struct report {
    trader& owner;
    std::uint64_t id;
    wire::execution what;
    detent::time_point at;
    detent::time_point expires = {};
    std::uint64_t expiry_number = 0;
    std::string_view text = {};
  };

  void expire(order& due, detent::time_point now);
  // The order, if it rests and its time is not up.
  order* find(trader& owner, std::uint64_t id, detent::time_point now);
  std::map<std::uint64_t, order*>& resting(side which) { return resting_[which == side::buy ? 0 : 1]; }
  void remove(order& ended);
  void send_report(const report& news);

  detent::engine& engine_;
  detent::label label_;
  std::map<std::uint64_t, order*> resting_[2];  // of each side, by arrival
  std::vector<trader*> drop_copies_;
  std::uint64_t arrivals_ = 0;
  order_counts counts_;
  std::string text_;  // of the report that is being sent
};

}  // namespace gateway
