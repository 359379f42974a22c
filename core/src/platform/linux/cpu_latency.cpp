// SPDX-License-Identifier: MIT
#include "platform/cpu_latency.hpp"

#include <detent/error.hpp>

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace detent::detail {

int cpu_latency_request::open(duration limit, const char* device) noexcept {
  close();
  descriptor_ = ::open(device, O_WRONLY | O_CLOEXEC);
  if (descriptor_ < 0) return errno;
  limit_us_ = static_cast<std::int32_t>(std::chrono::duration_cast<std::chrono::microseconds>(limit).count());
  return 0;
}

void cpu_latency_request::close() noexcept {
  if (!is_open()) return;
  release();
  disown();
}

void cpu_latency_request::disown() noexcept {
  if (is_open()) ::close(descriptor_);
  descriptor_ = -1;
  held_ = false;
}

// The device takes a number of microseconds as 4 bytes. It keeps no position and refuses no number. Should a write fail
// nevertheless, the next call tries again.
void cpu_latency_request::set(bool held) noexcept {
  constexpr std::int32_t no_limit = 2'000'000'000;  // the kernel's PM_QOS_CPU_LATENCY_DEFAULT_VALUE
  if (held == held_) return;
  const std::int32_t wanted = held ? limit_us_ : no_limit;
  if (::write(descriptor_, &wanted, sizeof wanted) == sizeof wanted) held_ = held;
}

std::string explain_cpu_latency(duration limit, const char* device, int problem) {
  const std::string why = "cpu_latency_limit = " + std::to_string(limit.count()) + " ns: " + device + ": ";
  if (problem == EACCES || problem == EPERM)
    return why + std::strerror(problem) +
           "; run as root, or let the user write to it, by a udev rule or setfacl -m u:USER:w";
  if (problem == ENOENT || problem == ENXIO || problem == ENODEV)
    return why + std::strerror(problem) + "; a container needs --device " + device + ", a kernel CONFIG_CPU_IDLE";
  return why + explain(problem);
}

}  // namespace detent::detail
