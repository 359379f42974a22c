// SPDX-License-Identifier: MIT
// The size of a benchmark: all of it or, with DETENT_BENCH_SMOKE in the environment, just enough to see that it runs.
#pragma once

#include <benchmark/benchmark.h>

#include <cstdint>
#include <cstdlib>
#include <initializer_list>
#include <string>

namespace detent::bench {

inline bool smoke() { return std::getenv("DETENT_BENCH_SMOKE") != nullptr; }
inline std::int64_t full_or_smoke(std::int64_t full, std::int64_t smoke_size) { return smoke() ? smoke_size : full; }

// Registers a benchmark for each number of live timers. From a million on, filling takes longer than measuring, so the
// iterations are fixed; otherwise the library would fill again for each of its guesses. A smoke run leaves these out.
inline void register_by_live(const std::string& name, void (*function)(benchmark::State&),
                             std::initializer_list<std::int64_t> sizes) {
  constexpr std::int64_t large = 1'000'000, iterations = 3 << 20;
  for (std::int64_t live : sizes) {
    if (live >= large && smoke()) continue;
    auto* made = benchmark::RegisterBenchmark(name.c_str(), function);
    made->ArgName("live")->Arg(live)->UseRealTime();
    if (live >= large) made->Iterations(iterations);
  }
}

}  // namespace detent::bench
