// SPDX-License-Identifier: MIT
#include "event_log.hpp"

#include <cinttypes>
#include <cstdio>

namespace detent::sim {

// FNV-1a by bytes would be eight multiplications a value; one with a rotation distinguishes events as well.
void event_log::mix(std::uint64_t value) noexcept {
  digest_ = (digest_ ^ value) * 0x100000001b3u;
  digest_ = digest_ << 29 | digest_ >> 35;
}

void event_log::note(const char* what, std::initializer_list<std::int64_t> values) noexcept {
  ++events_;
  mix(step_);
  for (const char* each = what; *each != '\0'; ++each) mix(static_cast<unsigned char>(*each));
  for (std::int64_t value : values) mix(static_cast<std::uint64_t>(value));
  if (!tracing_) return;
  std::printf("%5" PRIu64 "  %-22s", step_, what);
  for (std::int64_t value : values) std::printf(" %" PRId64, value);
  std::printf("\n");
}

}  // namespace detent::sim
