// SPDX-License-Identifier: MIT
// Asks the kernel to do without some of the processors' idle states: PM QoS, by /dev/cpu_dma_latency.
#pragma once

#include <detent/time.hpp>

#include <cstdint>
#include <string>

namespace detent::detail {

inline constexpr const char* cpu_latency_device = "/dev/cpu_dma_latency";

// A request for the whole machine, which the kernel forgets when the last copy of the descriptor is closed, as at the
// end of the process. One thread at a time.
class cpu_latency_request {
 public:
  cpu_latency_request() = default;
  ~cpu_latency_request() { close(); }
  cpu_latency_request(const cpu_latency_request&) = delete;
  cpu_latency_request& operator=(const cpu_latency_request&) = delete;

  // Nothing is held yet. 0, or what errno is. `limit`: how long leaving an idle state may take.
  int open(duration limit, const char* device) noexcept;
  bool is_open() const noexcept { return descriptor_ >= 0; }
  // From its return on no core enters a deeper state; those that are in one are woken up. A system call each, if it
  // changes anything.
  void hold() noexcept { set(true); }
  void release() noexcept { set(false); }
  bool is_held() const noexcept { return held_; }
  // Releases first: a forked child may have a copy of the descriptor.
  void close() noexcept;
  // In the child of a fork: the request is its parent's. Async-signal-safe.
  void disown() noexcept;

 private:
  void set(bool held) noexcept;

  int descriptor_ = -1;
  std::int32_t limit_us_ = 0;  // where there is something to ask
  bool held_ = false;
};

// Why an engine with that limit cannot be made, and the cure, in a line; `problem`: what errno was.
std::string explain_cpu_latency(duration limit, const char* device, int problem);

}  // namespace detent::detail
