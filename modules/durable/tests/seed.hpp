// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <cstdlib>
#include <random>

namespace durable_test {

// DETENT_SEED of the environment, or a fresh one.
inline std::uint64_t seed_of_run() {
  const char* given = std::getenv("DETENT_SEED");
  return given != nullptr ? std::strtoull(given, nullptr, 10) : std::random_device{}();
}

}  // namespace durable_test
