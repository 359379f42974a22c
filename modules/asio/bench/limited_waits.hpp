// SPDX-License-Identifier: MIT
// An operation that ends in time, again and again, for the ways to limit it: a coroutine's post to its own context, as
// it costs little itself.
#pragma once

#include <benchmark/benchmark.h>

#include <cstdint>

#include "asio_library.hpp"
#include "coroutine_library.hpp"
#include "support/process_cost.hpp"
#include "support/scale.hpp"

namespace detent::bench {

// `Way` is made once, and called with the context: what it returns is awaited.
template <class Way>
net::awaitable<void> wait_often(net::io_context& io, Way& way, std::int64_t times) {
  for (std::int64_t i = 0; i < times; ++i) co_await way(io);
}

template <class Way>
void limit_cost(benchmark::State& state) {
  const std::int64_t waits = full_or_smoke(300'000, 1000);
  for (auto _ : state) {
    net::io_context io(1);
    Way way;
    net::co_spawn(io, wait_often(io, way, waits), net::detached);
    const std::int64_t began = process_cpu_ns();
    io.run();
    state.SetIterationTime(static_cast<double>(process_cpu_ns() - began) * 1e-9 / static_cast<double>(waits));
  }
}

template <class Way>
bool add_limit(const char* name) {
  benchmark::RegisterBenchmark(name, limit_cost<Way>)
      ->UseManualTime()
      ->Iterations(1)
      ->Repetitions(static_cast<int>(full_or_smoke(5, 1)));
  return true;
}

}  // namespace detent::bench
