// SPDX-License-Identifier: MIT
// The load: clients with a socket each, that ask for any session, and count what comes back.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>

namespace loops {

struct client_counts {
  std::uint64_t asked = 0, answered = 0;
  std::uint64_t twice = 0;  // answers that had come already
};

// For so long, from one thread; then waits up to two seconds for the answers that are missing.
client_counts ask(std::uint16_t port, std::size_t sessions, std::chrono::milliseconds length, std::uint64_t seed);

}  // namespace loops
