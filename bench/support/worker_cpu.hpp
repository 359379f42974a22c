// SPDX-License-Identifier: MIT
// The CPU that `bench --report` wants the engines' workers on.
#pragma once

#include <cstdlib>
#include <optional>

namespace detent::bench {

// Returns the number in DETENT_BENCH_CPU. Without it, the worker runs on any CPU.
inline std::optional<int> worker_cpu() {
  const char* wanted = std::getenv("DETENT_BENCH_CPU");
  return wanted != nullptr ? std::optional<int>(std::atoi(wanted)) : std::nullopt;
}

}  // namespace detent::bench
