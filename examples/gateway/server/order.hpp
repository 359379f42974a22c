// SPDX-License-Identifier: MIT
#pragma once

#include <detent/detent.hpp>

#include <cstdint>
#include <map>
#include <memory>
#include <string>

#include "net/connection.hpp"

namespace gateway {

struct trader;

enum class side : char { buy = '1', sell = '2' };

// A limit order that rests until somebody takes it, its owner cancels it or goes, or its time is up.
struct order {
  trader& owner;
  std::uint64_t id;  // the owner's own
  side which;
  std::uint64_t arrival;  // counted over all traders
  detent::time_point expires;
  detent::timer expiry;
};

// The book's data about a session.
struct trader {
  net::connection& line;
  detent::timer_group timers;  // every timer of the session, its orders' expiries among them
  std::string name = {};
  std::map<std::uint64_t, std::unique_ptr<order>> orders = {};  // those that rest, by id
};

}  // namespace gateway
