// SPDX-License-Identifier: MIT
#include "host/cpu_usage.hpp"

#include <pthread.h>

namespace detent::tool {
namespace {

std::int64_t read_clock(clockid_t id) {
  timespec now = {};
  ::clock_gettime(id, &now);
  return std::int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

clockid_t clock_of(pthread_t thread) {
  clockid_t id = {};
  ::pthread_getcpuclockid(thread, &id);
  return id;
}

}  // namespace

cpu_usage::cpu_usage(const engine& engine)
    : worker_thread_(engine.worker_thread_id()),
      worker_clock_(clock_of(engine.native_handle())),
      began_(clock::now()),
      process_before_(read_clock(CLOCK_PROCESS_CPUTIME_ID)),
      worker_before_(read_clock(worker_clock_)) {}

cpu_usage::reading cpu_usage::read() const {
  const auto wall = static_cast<double>((clock::now() - began_).count());
  return {.process = static_cast<double>(read_clock(CLOCK_PROCESS_CPUTIME_ID) - process_before_) / wall,
          .worker = static_cast<double>(read_clock(worker_clock_) - worker_before_) / wall,
          .seconds = wall / 1e9};
}

}  // namespace detent::tool
