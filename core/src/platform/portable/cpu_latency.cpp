// SPDX-License-Identifier: MIT
// Nothing to ask for idle states: open() refuses, and then there is nothing to hold.
#include "platform/cpu_latency.hpp"

#include <detent/error.hpp>

#include <cerrno>

namespace detent::detail {

int cpu_latency_request::open(duration, const char*) noexcept { return ENOSYS; }
void cpu_latency_request::close() noexcept {}
void cpu_latency_request::disown() noexcept {}
void cpu_latency_request::set(bool) noexcept { static_cast<void>(limit_us_); }

std::string explain_cpu_latency(duration limit, const char*, int problem) {
  return "cpu_latency_limit = " + std::to_string(limit.count()) + " ns: " + explain(problem);
}

}  // namespace detent::detail
