// SPDX-License-Identifier: MIT
// What a server counted.
#pragma once

#include "net/durations.hpp"

#include <cstdint>

namespace game {

struct server_counts {
  // Ticks: periods = ticks + missed, and missed = caught_up + let_go.
  std::uint64_t ticks = 0;
  std::uint64_t missed = 0;
  std::uint64_t caught_up = 0;
  std::uint64_t let_go = 0;
  std::uint64_t early = 0;
  std::uint64_t most_frames_in_a_tick = 0;
  durations lateness;
  // Datagrams.
  std::uint64_t received = 0;
  std::uint64_t garbage = 0;     // no datagram of ours
  std::uint64_t strangers = 0;   // of nobody we know, or with another's key
  std::uint64_t duplicates = 0;  // nothing new in it
  std::uint64_t sent = 0;
  std::uint64_t unsent = 0;  // not taken by the kernel
  // Inputs.
  std::uint64_t taken = 0;
  std::uint64_t recovered = 0;  // from a later datagram than their own
  std::uint64_t lost = 0;       // also with those
  std::uint64_t excess = 0;     // more in a tick than a player may send
  // Players.
  std::uint64_t joined = 0;
  std::uint64_t refused = 0;
  std::uint64_t away = 0;
  std::uint64_t back = 0;
  std::uint64_t left = 0;
  std::uint64_t thrown_out = 0;  // after silence
  std::uint64_t forgiven = 0;    // silences that ended while the server was not there
};

void print_all(server_counts& of);

}  // namespace game
