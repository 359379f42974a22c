// SPDX-License-Identifier: MIT
// All clients: opens them, replaces those that are gone, and knows what they have been through.
#pragma once

#include <detent/detent.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <random>
#include <vector>

#include "client_session.hpp"
#include "findings.hpp"
#include "ledger.hpp"
#include "measurements.hpp"
#include "net/event_loop.hpp"
#include "options.hpp"

namespace load {

struct crowd_counts {
  std::uint64_t logons = 0;
  std::uint64_t heartbeats = 0, missed_slots = 0;
  std::uint64_t fell_silent = 0, found_dead = 0, slow_here = 0;
  std::uint64_t tests_answered = 0;
  std::uint64_t dropped = 0, floods = 0;
  std::uint64_t nonsense = 0, rejects = 0;  // lines, and the gateway's answers to them
};

class crowd {
 public:
  crowd(net::event_loop& loop, const options& chosen, std::uint64_t seed);

  // Opens all sessions, in the course of one heartbeat interval, so that their heartbeats are spread over it as well.
  void open();
  bool complete() const { return active_ == places_.size(); }
  // Nobody is on the way out: each that fell silent has been found dead, each line of nonsense has been answered.
  bool settled() const;

  // An active session, at random; null if none is found in a few tries.
  client_session* any();
  std::mt19937_64& chance() { return chance_; }

  // For sessions.
  const options& chosen() const { return chosen_; }
  findings& found() { return found_; }
  measurements& measured() { return measured_; }
  ledger& orders() { return orders_; }
  crowd_counts& counts() { return counts_; }
  void is_active() { ++active_; }
  void is_no_longer_active() { --active_; }
  // The session has ended; another takes its place soon.
  void replace(std::size_t place);

 private:
  void connect(std::size_t place);

  net::event_loop& loop_;
  options chosen_;
  std::mt19937_64 chance_;
  findings found_;
  measurements measured_;
  ledger orders_;
  crowd_counts counts_;
  std::size_t opened_ = 0, active_ = 0;
  std::vector<std::unique_ptr<client_session>> places_;
  detent::scoped_timer opening_;
};

}  // namespace load
