// SPDX-License-Identifier: MIT
// What became of each order, by two witnesses: the drop copy, which reports all sessions in the order in which things
// happened, and the session that sent it.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "findings.hpp"
#include "measurements.hpp"
#include "wire/message.hpp"

namespace load {

using session_number = std::uint32_t;  // of one connection; a reconnected client has another
using order_number = std::uint64_t;

struct order_totals {
  std::uint64_t accepted = 0, traded = 0, cancelled = 0, expired = 0;
  std::uint64_t replaced = 0, rejected = 0, cancelled_on_disconnect = 0;
};

class ledger {
 public:
  ledger(findings& found, measurements& measured) : found_(found), measured_(measured) {}

  session_number open_session();
  // A limit order, or a market order, which has no expiry. Returns its number.
  order_number send(session_number by, std::optional<wire::time_point> expires);
  // A report by the drop copy; by the session itself.
  void copied(const wire::message& report);
  void reported(const wire::message& report, wire::time_point arrived);
  // The session's connection is gone: nothing more is reported to it, and its orders must not live on. `broken` is set
  // if it was the client that broke it.
  void lost(session_number gone, std::optional<wire::time_point> broken);

  // Nothing is under way: both witnesses have reported how each order ended that the gateway must have got.
  bool settled() const { return resting_ == 0 && unanswered_ == 0 && unreported_ == 0; }
  // Holds the witnesses against each other, once, at the end.
  void close();
  const order_totals& totals() const { return totals_; }

 private:
  // The last report of a witness about an order: nothing; execution::accepted while the order rests; any other value is
  // its end.
  using state = char;
  static constexpr state nothing = '\0';
  static constexpr state resting = static_cast<state>(wire::execution::accepted);

  struct order {
    std::optional<wire::time_point> expires;
    session_number by;
    state copied = nothing;
    state reported = nothing;
  };
  struct session {
    bool lost = false;
    std::optional<wire::time_point> broken;     // by the client
    std::optional<wire::time_point> cancelled;  // its orders, by the gateway
    std::uint64_t unanswered = 0, unreported = 0;
  };

  order* find(const wire::message& report);
  // False: it cannot have happened.
  bool advance(const order& of, state& known, const wire::message& report, std::string_view witness);
  void count_answer(session& of);
  void expired(const order& of, const wire::message& report);
  void cancelled(const order& of, const wire::message& report);

  findings& found_;
  measurements& measured_;
  std::vector<order> orders_;      // by number - 1
  std::vector<session> sessions_;  // by number
  wire::time_point last_expiry_{};
  std::uint64_t resting_ = 0;     // by the drop copy
  std::uint64_t unanswered_ = 0;  // of which the drop copy has reported nothing
  std::uint64_t unreported_ = 0;  // whose sessions are there and have got no report of an end
  order_totals totals_;
};

}  // namespace load
