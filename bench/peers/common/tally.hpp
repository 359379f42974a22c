// SPDX-License-Identifier: MIT
// The argument and the work of a timer's callback: 24 bytes, the same for each system.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <latch>
#include <vector>

namespace peers {

using nanoseconds = std::chrono::nanoseconds;

// The records of the callbacks of one measurement. They all run on one thread. Read it after `done`, or after that
// thread has ended.
struct tally {
  explicit tally(std::uint64_t callbacks_wanted = 0) : wanted(callbacks_wanted) {}

  std::uint64_t wanted;  // `done` opens after this many
  std::uint64_t ran = 0;
  std::vector<std::int64_t> lateness_ns;
  std::latch done{1};
};

// The callback's argument. `run` is one of those below.
struct argument {
  void (*run)(const argument&) = nullptr;
  tally* to = nullptr;
  std::int64_t deadline_ns = 0;  // on the steady clock

  void operator()() const { run(*this); }
};
static_assert(sizeof(argument) == 24, "the works promise a capture of 24 bytes");

void count_run(const argument& self);
void record_lateness(const argument& self);

}  // namespace peers
