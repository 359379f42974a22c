// SPDX-License-Identifier: MIT
#pragma once

#include "journal.hpp"
#include "load.hpp"

#include <detent/durable.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <unordered_set>

namespace chaos {

// FNV-1a, by which the journal knows a payload.
std::uint64_t hash_of(std::span<const std::byte> bytes) noexcept;

// Before start(): the handlers, which write a line at the beginning and the end of each run.
void handle(detent::durable::timers& timers, const load& of, const journal& book);

// Asks for all of a load. Of one that was killed amid this, the next goes on: what the journal has an answer to is not
// asked for again.
class putter {
 public:
  putter(detent::durable::timers& to, const load& of, const journal& book);
  void put_all();

 private:
  void carry_out(const step& one);
  void put(const step& one);
  void cancel(const step& one, int more);
  bool cancel_again(const step& one, int more);

  detent::durable::timers& timers_;
  const load& load_;
  const journal& book_;
  std::unordered_set<std::uint64_t> answered_;  // by a process before this one
  std::atomic<int> open_{0};                    // cancels without an answer
};

}  // namespace chaos
