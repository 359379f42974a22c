// SPDX-License-Identifier: MIT
#include "platform/light_pause.hpp"

#include <detent/base/atomic.hpp>
#include <detent/base/platform/ground.hpp>

#include "platform/time_stamp.hpp"

#if defined(__x86_64__)
#include <cpuid.h>
#endif
#if defined(DETENT_GROUND_LINUX)
#include <sys/prctl.h>
#endif

namespace detent::detail {

pause_kind choose_pause(const pause_features& features) noexcept {
  constexpr std::uint32_t waitpkg = 1u << 5, monitorx = 1u << 29;  // Intel SDM, CPUID; AMD APM volume 3, appendix E
  if ((features.leaf_7_ecx & waitpkg) != 0) return pause_kind::tpause;
  if ((features.leaf_80000001_ecx & monitorx) != 0) return pause_kind::mwaitx;
  return pause_kind::plain;
}

bool is_permitted(pause_kind kind) noexcept {
#if defined(DETENT_GROUND_LINUX)
  if (kind != pause_kind::tpause) return true;
  int counter = PR_TSC_ENABLE;  // TPAUSE reads the time-stamp counter, which prctl(2) can forbid
  return ::prctl(PR_GET_TSC, &counter, 0UL, 0UL, 0UL) != 0 || counter != PR_TSC_SIGSEGV;
#else
  return kind == pause_kind::plain;  // it is not known which of the others the system permits
#endif
}

#if defined(__x86_64__)
namespace {

constexpr std::uint32_t longest = 1'000;  // ticks

void wait_in_c01() noexcept {
  constexpr std::uint32_t c01 = 1;  // C0.2 would save more and take longer to leave
  const std::uint64_t until = base::read_time_stamp() + longest;
  __asm__ __volatile__("tpause %%ecx"
                       :
                       : "c"(c01), "d"(static_cast<std::uint32_t>(until >> 32)), "a"(static_cast<std::uint32_t>(until))
                       : "cc");
}

// MONITORX watches a line that is never written, so the timer ends the wait.
void wait_with_timer() noexcept {
  constexpr std::uint32_t stay_in_c0 = 0xf0, by_timer = 2;
  alignas(64) const char line[64] = {};
  __asm__ __volatile__("monitorx" : : "a"(line), "c"(0), "d"(0) : "memory");
  __asm__ __volatile__("mwaitx" : : "a"(stay_in_c0), "c"(by_timer), "b"(longest) : "memory");
}

}  // namespace

pause_kind choose_pause_here() noexcept {
  pause_features here;
  unsigned a = 0, b = 0, c = 0, d = 0;
  if (__get_cpuid_count(7, 0, &a, &b, &c, &d) != 0) here.leaf_7_ecx = c;
  if (__get_cpuid(0x80000001, &a, &b, &c, &d) != 0) here.leaf_80000001_ecx = c;
  const pause_kind chosen = choose_pause(here);
  return is_permitted(chosen) ? chosen : pause_kind::plain;
}

void pause_lightly(pause_kind kind) noexcept {
  switch (kind) {
    case pause_kind::tpause: return wait_in_c01();
    case pause_kind::mwaitx: return wait_with_timer();
    case pause_kind::plain: return base::cpu_pause();
  }
}
#else
pause_kind choose_pause_here() noexcept { return choose_pause({}); }
void pause_lightly(pause_kind) noexcept { base::cpu_pause(); }
#endif

}  // namespace detent::detail
