// SPDX-License-Identifier: MIT
#include <detent/base/atomic.hpp>

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <ctime>

namespace detent::base {

static_assert(sizeof(atomic<std::uint32_t>) == sizeof(std::uint32_t), "the kernel sees the bare word");

futex_result futex_wait(const atomic<std::uint32_t>& word, std::uint32_t expected, std::int64_t deadline_ns) noexcept {
  timespec until{deadline_ns / 1'000'000'000, deadline_ns % 1'000'000'000};
  if (deadline_ns < 0) until = {0, 0};
  // FUTEX_WAIT_BITSET takes an absolute time, on CLOCK_MONOTONIC by default.
  long result = syscall(SYS_futex, &word, FUTEX_WAIT_BITSET | FUTEX_PRIVATE_FLAG, expected,
                        deadline_ns == INT64_MAX ? nullptr : &until, nullptr, FUTEX_BITSET_MATCH_ANY);
  if (result == 0) return futex_result::woken;
  switch (errno) {
    case EAGAIN: return futex_result::changed;
    case ETIMEDOUT: return futex_result::timed_out;
    default: return futex_result::interrupted;
  }
}

void futex_wake(atomic<std::uint32_t>& word, int waiters) noexcept {
  syscall(SYS_futex, &word, FUTEX_WAKE | FUTEX_PRIVATE_FLAG, waiters, nullptr, nullptr, 0);
}

}  // namespace detent::base
