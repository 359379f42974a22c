// SPDX-License-Identifier: MIT
// Asks the kernel to do without some of the processors' idle states: PM QoS, by /dev/cpu_dma_latency.
#pragma once

#include <detent/time.hpp>

#include <cstdint>
#include <string>

namespace detent::detail {

inline constexpr const char* cpu_latency_device = "/dev/cpu_dma_latency";

// A request that applies to the whole machine. The kernel forgets it when the last copy of the descriptor is closed,
// for example when the process ends. Used by one thread at a time.
class cpu_latency_request {
 public:
  cpu_latency_request() = default;
  ~cpu_latency_request() { close(); }
  cpu_latency_request(const cpu_latency_request&) = delete;
  cpu_latency_request& operator=(const cpu_latency_request&) = delete;

  // Opens the device without holding anything yet. Returns 0 or errno. `limit` says how long leaving an idle state may
  // take.
  int open(duration limit, const char* device) noexcept;
  bool is_open() const noexcept { return descriptor_ >= 0; }
  // Once it returns, no core enters a deeper state, and cores in one have been woken. Makes a system call if it changes
  // anything.
  void hold() noexcept { set(true); }
  void release() noexcept { set(false); }
  bool is_held() const noexcept { return held_; }
  // Releases first, because a forked child may have a copy of the descriptor.
  void close() noexcept;
  // For the child of a fork: the request belongs to its parent. Async-signal-safe.
  void disown() noexcept;

 private:
  void set(bool held) noexcept;

  int descriptor_ = -1;
  std::int32_t limit_us_ = 0;  // used if there is something to ask for
  bool held_ = false;
};

// Says in a line why an engine with that limit cannot be made, and the cure. `problem` is the errno.
std::string explain_cpu_latency(duration limit, const char* device, int problem);

}  // namespace detent::detail
