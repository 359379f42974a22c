// SPDX-License-Identifier: MIT
// The costs of a measurement for the whole process: CPU time of all threads, context switches, memory.
#pragma once

#include <benchmark/benchmark.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cstdint>
#include <ctime>
#include <fstream>

namespace detent::bench {

inline std::int64_t read_clock(clockid_t id) noexcept {
  timespec now{};
  ::clock_gettime(id, &now);
  return std::int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}
inline std::int64_t process_cpu_ns() noexcept { return read_clock(CLOCK_PROCESS_CPUTIME_ID); }
inline std::int64_t thread_cpu_ns() noexcept { return read_clock(CLOCK_THREAD_CPUTIME_ID); }

inline std::int64_t context_switches() noexcept {
  rusage used{};
  ::getrusage(RUSAGE_SELF, &used);
  return used.ru_nvcsw + used.ru_nivcsw;
}

inline double resident_bytes() {
  std::uint64_t total = 0, resident = 0;
  std::ifstream("/proc/self/statm") >> total >> resident;
  return static_cast<double>(resident) * static_cast<double>(::sysconf(_SC_PAGESIZE));
}

// The loop of a benchmark. It runs `operation` as often as asked and adds the counter cpu_ns, the CPU time of the whole
// process for one operation. The first reading comes after the barrier at which the benchmark's threads meet, so that
// earlier work of the others does not count.
template <class Operation>
void run_counting_cpu(benchmark::State& state, Operation operation) {
  constexpr int batch = 256;
  std::int64_t before = 0;
  bool begun = false;
  while (state.KeepRunningBatch(batch)) {
    if (!begun) before = process_cpu_ns();
    begun = true;
    for (int i = 0; i < batch; ++i) operation();
  }
  const auto used = static_cast<double>(process_cpu_ns() - before);
  if (state.thread_index() != 0) return;
  state.counters["cpu_ns"] = used / (static_cast<double>(state.iterations()) * state.threads());
}

}  // namespace detent::bench
