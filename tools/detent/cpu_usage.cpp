// SPDX-License-Identifier: MIT
#include "cpu_usage.hpp"

#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <chrono>
#include <future>
#include <utility>

namespace detent::tool {
namespace {

std::int64_t read_clock(clockid_t id) {
  timespec now = {};
  ::clock_gettime(id, &now);
  return std::int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

std::pair<clockid_t, long long> worker_of(engine& engine) {
  std::promise<std::pair<clockid_t, long long>> told;
  std::future<std::pair<clockid_t, long long>> answer = told.get_future();
  engine.schedule_after(duration(0), [told = std::move(told)]() mutable {
    clockid_t id = {};
    ::pthread_getcpuclockid(::pthread_self(), &id);
    told.set_value({id, ::syscall(SYS_gettid)});
  });
  return answer.get();
}

}  // namespace

cpu_usage::cpu_usage(engine& engine)
    : worker_(worker_of(engine)),
      began_(clock::now()),
      process_before_(read_clock(CLOCK_PROCESS_CPUTIME_ID)),
      worker_before_(read_clock(worker_.first)) {}

cpu_usage::reading cpu_usage::read() const {
  const auto wall = static_cast<double>((clock::now() - began_).count());
  return {.process = static_cast<double>(read_clock(CLOCK_PROCESS_CPUTIME_ID) - process_before_) / wall,
          .worker = static_cast<double>(read_clock(worker_.first) - worker_before_) / wall,
          .seconds = wall / 1e9};
}

}  // namespace detent::tool
