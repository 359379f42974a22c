// SPDX-License-Identifier: MIT
#include "descriptor_limit.hpp"

#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <stdexcept>

#include "descriptor.hpp"

namespace net {
namespace {

constexpr std::size_t for_everything_else = 32;  // standard streams, epoll, timers, listener, signals, drop copies

}  // namespace

void allow_descriptors_for(std::size_t sessions) {
  const rlim_t needed = sessions + for_everything_else;
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) throw_errno("getrlimit");
  if (limit.rlim_cur >= needed) return;
  const rlimit wanted{.rlim_cur = needed, .rlim_max = std::max(limit.rlim_max, needed)};
  if (setrlimit(RLIMIT_NOFILE, &wanted) == 0) return;
  throw std::runtime_error(fmt::format(
      "{} sessions need {} open files, and this process may have {} (`ulimit -Hn`): raise the hard limit, or ask for "
      "fewer with --sessions",
      sessions, needed, limit.rlim_max));
}

}  // namespace net
