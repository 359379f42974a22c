// SPDX-License-Identifier: MIT
#include "tsc_clock.hpp"

#include <detent/base/time_stamp.hpp>

#include <algorithm>
#include <cstdlib>
#include <new>
#include <thread>

namespace detent::detail {
namespace {

constexpr auto first_span = std::chrono::milliseconds(5);
constexpr nanoseconds_t second = 1'000'000'000;
constexpr nanoseconds_t least_error_bound = 200;
// In ticks, a tenth of a millisecond or so: cores' counters differ by less.
constexpr std::uint64_t shade = 1 << 18;

__extension__ using wide = unsigned __int128;

nanoseconds_t scale(std::uint64_t ticks, std::uint64_t ns_per_tick) noexcept {
  return static_cast<nanoseconds_t>(static_cast<wide>(ticks) * ns_per_tick >> 32);
}

}  // namespace

tsc_clock* tsc_clock::shared() noexcept {
  // Never destroyed: engines of static storage duration may still read it.
  static tsc_clock* const instance = base::time_stamp_is_invariant() ? new (std::nothrow) tsc_clock : nullptr;
  return instance;
}

// The pair whose two counter readings lie closest together was disturbed least.
tsc_clock::sample tsc_clock::take_sample() noexcept {
  sample best{};
  std::uint64_t narrowest = UINT64_MAX;
  for (int i = 0; i < 8; ++i) {
    std::uint64_t before = base::read_time_stamp();
    nanoseconds_t ns = to_ns(clock::now());
    std::uint64_t after = base::read_time_stamp();
    if (after - before < narrowest) {
      narrowest = after - before;
      best = {before + (after - before) / 2, ns};
    }
  }
  return best;
}

tsc_clock::tsc_clock() noexcept : first_(take_sample()) {
  error_bound_.store(least_error_bound, base::relaxed);  // relaxed: the object is not shared yet
  std::this_thread::sleep_for(first_span);
  fit(take_sample());
}

// Relaxed stores throughout: the sequence lock's fences order them.
void tsc_clock::fit(const sample& latest) noexcept {
  std::uint64_t ticks = latest.ticks - first_.ticks;
  nanoseconds_t ns = latest.ns - first_.ns;
  base_ticks_.store(latest.ticks, base::relaxed);
  base_ns_.store(latest.ns, base::relaxed);
  ns_per_tick_.store(static_cast<std::uint64_t>((static_cast<wide>(ns) << 32) / ticks), base::relaxed);
  // As far ahead as the span behind, at most a second: the error of the slope is then at most that of one sample.
  valid_ticks_.store(
      ns <= second ? ticks : static_cast<std::uint64_t>(static_cast<wide>(ticks) * second / static_cast<wide>(ns)),
      base::relaxed);
}

nanoseconds_t tsc_clock::now() noexcept {
  std::uint32_t before = sequence_.load(base::acquire);        // (1) acquire: pairs with (4)
  std::uint64_t base_ticks = base_ticks_.load(base::acquire);  // (2) acquire, all four: keep (3) behind them; each
  nanoseconds_t base_ns = base_ns_.load(base::acquire);        // pairs with the release of (5) through the odd count
  std::uint64_t ns_per_tick = ns_per_tick_.load(base::acquire);
  std::uint64_t valid = valid_ticks_.load(base::acquire);
  std::uint64_t ticks = base::read_time_stamp();
  // (3) relaxed: held behind (2) by its acquires. Whoever refits may be suspended: the truth can be had without it.
  if ((before & 1) != 0 || sequence_.load(base::relaxed) != before) return to_ns(clock::now());
  // Wraps where the counter is behind the base, and is more than any fit is good for.
  std::uint64_t elapsed = ticks - base_ticks;
  if (elapsed > valid) [[unlikely]]
    return base_ticks - ticks <= shade ? base_ns : refit();  // another core's, or one that began anew
  return base_ns + scale(elapsed, ns_per_tick);
}

nanoseconds_t tsc_clock::refit() noexcept {
  std::uint32_t even = sequence_.load(base::relaxed) & ~1u;  // relaxed: the exchange decides
  sample latest = take_sample();
  // (5) acq_rel: one thread refits, the others return what they measured; pairs with (4), and (2) sees the odd count
  // before any new value, because the fence keeps the stores behind it.
  if (!sequence_.compare_exchange_strong(even, even + 1, base::acq_rel, base::relaxed)) return latest.ns;
  base::full_fence();
  correct(latest);
  sequence_.store(even + 2, base::release);  // (4) release: pairs with (1)
  return latest.ns;
}

// Relaxed throughout: only the refitting thread writes these, and the sequence lock orders them.
void tsc_clock::correct(const sample& latest) noexcept {
  std::uint64_t base_ticks = base_ticks_.load(base::relaxed);
  std::uint64_t elapsed = latest.ticks - base_ticks, behind = base_ticks - latest.ticks;
  if (elapsed <= valid_ticks_.load(base::relaxed) || behind <= shade) return;  // somebody else has just fitted
  nanoseconds_t residual = second;  // where the counter has gone back nothing tells what it should be
  if (latest.ticks > base_ticks)
    residual = std::abs(base_ns_.load(base::relaxed) + scale(elapsed, ns_per_tick_.load(base::relaxed)) - latest.ns);
  // Slowly forgets; held under a tenth of a millisecond, as a stolen processor between two readings is no error of the
  // fit.
  nanoseconds_t bound = std::max({least_error_bound, 2 * residual, error_bound_.load(base::relaxed) * 7 / 8});
  error_bound_.store(std::min<nanoseconds_t>(bound, 100'000), base::relaxed);
  if (residual > 1'000'000) {
    // The two have parted: a suspend, which one of them does not count or after which the counter begins anew, as it
    // may on another host. The rate is right, the span begins anew.
    first_ = latest;
    base_ticks_.store(latest.ticks, base::relaxed);
    base_ns_.store(latest.ns, base::relaxed);
    valid_ticks_.store((std::uint64_t{5'000'000} << 32) / ns_per_tick_.load(base::relaxed), base::relaxed);
  } else {
    fit(latest);
  }
}

}  // namespace detent::detail
